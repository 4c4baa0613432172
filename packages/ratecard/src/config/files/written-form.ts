// A document as its author wrote it, with `${NAME}` where the pushed one has values. Kept beside the pushed one, so that it can be
// expanded anew for another environment.
import { pointerOf } from '../../errors/issue.ts'

const deepest = 64
/** A literal `${` (written `$${`), or a variable. */
const marker = /\$\$\{|\$\{[^}]*\}/g

/**
 * Where `document` cannot come from `written` by expanding its variables: the pointer of the first such place, null when it can.
 * Whatever has no variable must be the same.
 */
export function whereNotExpanded(written: unknown, document: unknown): string | null {
  return differs(written, document, [])
}

/** Pointers of the texts that hold a variable, with the text as it is written, in the order of the document. */
export function variableTexts(written: unknown): { readonly pointer: string; readonly text: string }[] {
  const found: { pointer: string; text: string }[] = []
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'string' && hasVariable(value)) found.push({ pointer: pointerOf(path), text: value })
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, [...path, index]))
    else for (const [key, member] of Object.entries(value)) walk(member, [...path, key])
  }
  walk(written, [])
  return found
}

export function hasVariable(text: string): boolean {
  return [...text.matchAll(marker)].some(([match]) => match !== '$${')
}

function differs(written: unknown, document: unknown, path: readonly (string | number)[]): string | null {
  if (path.length > deepest) return pointerOf(path)
  if (typeof written === 'string')
    return typeof document === 'string' && fits(written, document) ? null : pointerOf(path)
  if (typeof written !== 'object' || written === null) return written === document ? null : pointerOf(path)
  if (typeof document !== 'object' || document === null || Array.isArray(written) !== Array.isArray(document))
    return pointerOf(path)
  const keys = Object.keys(written)
  // The order counts too: the document is promised byte for byte.
  if (keys.join('\u0000') !== Object.keys(document).join('\u0000')) return pointerOf(path)
  for (const key of keys) {
    const place = Array.isArray(written) ? Number(key) : key
    const found = differs(memberOf(written, key), memberOf(document, key), [...path, place])
    if (found !== null) return found
  }
  return null
}

const memberOf = (value: object, key: string): unknown => (value as Record<string, unknown>)[key]

/** Whether some values of its variables make the text. One pass: the texts between the variables, each at its earliest place. */
function fits(written: string, text: string): boolean {
  const parts: string[] = []
  let literal = ''
  let position = 0
  for (const match of written.matchAll(marker)) {
    literal += written.slice(position, match.index)
    position = match.index + match[0].length
    if (match[0] === '$${') literal += '${'
    else {
      parts.push(literal)
      literal = ''
    }
  }
  const last = literal + written.slice(position)
  const [first, ...between] = parts
  if (first === undefined) return text === last
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of between) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
