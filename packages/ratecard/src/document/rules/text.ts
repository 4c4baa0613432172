// Checks that text is well-formed Unicode without control characters. Malformed text would be refused by the processor in the middle of a
// push. Control characters could manipulate the terminal of an operator who approves a plan.
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { errorIssue } from './draft.ts'

type Path = readonly (string | number)[]

// Control characters (C0, DEL and C1), and the separators U+2028 and U+2029.
const control = /[\p{Cc}\u2028\u2029]/u
const eachControl = /[\p{Cc}\u2028\u2029]/gu
const halfCharacter = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
/**
 * Members that programs read. They must not contain line breaks and tabs. Ids and codes are not listed, because they have their own
 * patterns.
 */
const oneLineMembers = new Set(['url', 'images', '$schema', 'version', 'event_name', 'event_payload_key'])

/**
 * Returns an issue for each string and key that is malformed or contains a control character. In values that people read, line breaks and
 * tabs are allowed, because the processor stores them. Stops after `most` issues.
 */
export function textIssues(document: unknown, most = Infinity): Issue[] {
  const found = new Map<string, Issue>()
  walk(document, (text, path, isKey) => {
    const flaw = flawOf(text, !isKey && takesBreaks(path))
    if (flaw === null) return true
    const pointer = pointerOf(path)
    const what = isKey ? 'The name of this field' : 'The text'
    const detail = `${what} holds ${flaw.words} at its character ${String(flaw.position + 1)}.`
    found.set(pointer, errorIssue('text_malformed', pointer, detail, 'Remove this character, or type the text again.'))
    return found.size < most
  })
  return [...found.values()]
}

/**
 * Returns the document with valid text, and the pointers of the changed strings. Each character that {@link textIssues} reports is replaced
 * by a space or by the replacement character (U+FFFD).
 */
export function withSoundText<T>(document: T): { readonly document: T; readonly pointers: readonly string[] } {
  const pointers = textIssues(document).map(({ pointer }) => pointer)
  return { document: pointers.length === 0 ? document : (soundValue(document, []) as T), pointers }
}

function soundValue(value: unknown, path: Path): unknown {
  if (typeof value === 'string') return soundText(value, takesBreaks(path))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, index) => soundValue(item, [...path, index]))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [soundText(key, false), soundValue(member, [...path, key])]),
  )
}

const isBreak = (character: string) => '\n\r\t\u2028\u2029'.includes(character)
const soundText = (text: string, breaks: boolean) =>
  text.toWellFormed().replace(eachControl, (match) => (breaks && isBreak(match) ? match : ' '))

/** True if the text at this path may contain line breaks and tabs. */
function takesBreaks(path: Path): boolean {
  if (path.at(-2) === 'metadata') return true
  return !oneLineMembers.has(path.findLast((part) => typeof part === 'string') ?? '')
}

function flawOf(text: string, breaks: boolean): { readonly words: string; readonly position: number } | null {
  // Fast path for text without flaws.
  if (!control.test(text) && text.isWellFormed()) return null
  for (const match of text.matchAll(eachControl))
    if (!(breaks && isBreak(match[0])))
      return { words: `the control character ${nameOf(match[0])}`, position: match.index }
  const half = halfCharacter.exec(text)
  return half === null ? null : { words: `half a character (${nameOf(half[0])})`, position: half.index }
}

const nameOf = (character: string) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Visits every string and every key until `visit` returns false. Iterative instead of recursive, because the nesting depth may not have
 * been checked yet.
 */
function walk(document: unknown, visit: (text: string, path: Path, isKey: boolean) => boolean): void {
  const waiting: { readonly value: unknown; readonly path: Path }[] = [{ value: document, path: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && !visit(value, path, false)) return
    if (typeof value !== 'object' || value === null) continue
    const members: [string | number, unknown][] = Array.isArray(value)
      ? value.map((item, index) => [index, item])
      : Object.entries(value)
    const inside: { readonly value: object; readonly path: Path }[] = []
    for (const [key, member] of members) {
      const isObject = typeof member === 'object' && member !== null
      if (typeof key === 'number' && !isObject && typeof member !== 'string') continue
      const place = [...path, key]
      if (typeof key === 'string' && !visit(key, place, true)) return
      if (typeof member === 'string' && !visit(member, place, false)) return
      if (isObject) inside.push({ value: member, path: place })
    }
    // Children are pushed onto the stack in reverse order. The stack is read from its end, so they are visited in document order.
    for (const next of inside.reverse()) waiting.push(next)
  }
}
