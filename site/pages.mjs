import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Returns the menu that docs/README.md describes: each line in bold is a group, and each link to a page of the site below it an entry.
 * A page has one entry, at its first link.
 */
export function menuOf(readme) {
  const groups = []
  const seen = new Set()
  for (const line of readme.split('\n')) {
    const heading = /^\*\*(.+)\*\*$/.exec(line)?.[1]
    if (heading !== undefined) groups.push({ text: heading, items: [] })
    // Links of the introduction belong to no group.
    const group = groups.at(-1)
    if (group === undefined) continue
    for (const [, text = '', file = ''] of line.matchAll(/\[([^\]]+)\]\(((?!\.\.)[^)#]+)\.md\)/g)) {
      if (seen.has(file)) continue
      seen.add(file)
      group.items.push({ text: text.charAt(0).toUpperCase() + text.slice(1), link: `/${file}` })
    }
  }
  return groups.filter(({ items }) => items.length > 0)
}

/**
 * Links from a page to a file outside of docs/ (e.g. `../ARCHITECTURE.md`) lead to the repository; without its address such a link becomes
 * plain text. A link to a folder of docs/ leads to its first page. A file that does not exist fails the build.
 */
export function relinked(md, place) {
  // Before the rule that turns `page.md` into `page.html`.
  md.core.ruler.push('relinked', ({ tokens, env }) => {
    const folder = path.join(place.docs, path.dirname(env.relativePath ?? ''))
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue
        const link = linkOf(folder, href, place)
        if (link !== null) token.attrSet('href', link)
        else asText([token, (children ?? []).slice(index).find(({ type }) => type === 'link_close')])
      }
  })
}

/** Returns the link of the site for a link of the Markdown file. null for a file of the repository whose address is not known. */
function linkOf(folder, href, { docs, repository }) {
  const [file = '', hash] = href.split('#')
  const target = path.resolve(folder, decodeURI(file))
  if (!existsSync(target)) throw new Error(`${folder}: the link ${href} leads nowhere.`)
  const isFolder = statSync(target).isDirectory()
  if (!path.relative(docs, target).startsWith('..')) {
    const first = isFolder
      ? readdirSync(target)
          .filter((name) => name.endsWith('.md'))
          .sort()[0]
      : undefined
    return first === undefined ? href : `${file.replace(/\/?$/, '/')}${first}`
  }
  if (repository === null) return null
  const inRepository = path.relative(path.dirname(docs), target)
  return `${repository}/${isFolder ? 'tree' : 'blob'}/main/${inRepository}${hash === undefined ? '' : `#${hash}`}`
}

function asText(tokens) {
  for (const token of tokens) if (token !== undefined) Object.assign(token, { type: 'text', tag: '', content: '' })
}

/** Words in brackets, e.g. `<tenant>` or `{{name.field}}`, are placeholders in these pages: no HTML elements but the line break of a table’s cell, and no expressions of Vue. */
export function placeholdersAsText(md) {
  md.renderer.rules.code_inline = (tokens, index) =>
    `<code v-pre>${md.utils.escapeHtml(tokens[index]?.content ?? '')}</code>`
  md.renderer.rules.html_inline = (tokens, index) => {
    const html = tokens[index]?.content ?? ''
    return html.startsWith('<!--') || html === '<br>' ? html : md.utils.escapeHtml(html)
  }
}
