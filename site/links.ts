import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface BrokenLink {
  readonly page: string
  readonly href: string
  readonly why: string
}

/** Returns the links between pages of a built site whose page, file or heading does not exist. `pages` are paths below `folder`. */
export function brokenLinks(folder: string, base: string, pages: readonly string[]): readonly BrokenLink[] {
  const idsOf = remembered((file) => new Set(idsIn(readFileSync(file, 'utf8'))))
  return pages.flatMap((page) => {
    const html = readFileSync(path.join(folder, page), 'utf8')
    return hrefsIn(html).flatMap((href): BrokenLink[] => {
      const [file = '', hash = ''] = href.split('#')
      const target = file === '' ? path.join(folder, page) : fileOf(folder, base, page, file)
      if (target === null || !existsSync(target)) return [{ page, href, why: 'no such page' }]
      if (hash === '' || idsOf(target).has(decodeURIComponent(hash))) return []
      return [{ page, href, why: 'no such heading' }]
    })
  })
}

function fileOf(folder: string, base: string, page: string, file: string): string | null {
  const at = decodeURI(file)
  if (at.startsWith('/') && !at.startsWith(base)) return null
  const target = at.startsWith('/')
    ? path.join(folder, at.slice(base.length))
    : path.join(folder, path.dirname(page), at)
  return at.endsWith('/') || at === '' ? path.join(target, 'index.html') : target
}

const hrefsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter((href) => href !== '' && !/^(?:[a-z]+:|\/\/)/.test(href))

const idsIn = (html: string): readonly string[] => [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id)

function remembered<T>(make: (key: string) => T): (key: string) => T {
  const kept = new Map<string, T>()
  return (key) => {
    const value = kept.get(key) ?? make(key)
    kept.set(key, value)
    return value
  }
}
