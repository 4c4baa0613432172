// Source form of a document: the document as its author wrote it, with `${NAME}` where the pushed (expanded) document has a value. It is
// stored with the pushed document, so that it can be expanded for another environment.
import { pathOf, pointerOf } from '../../base/errors/issue.ts'
import { maskedUrl } from '../../base/wording/masked-url.ts'
import { isSecretName } from '../rules/variable-rules.ts'

const maxDepth = 64
/** Matches an escaped `${` (written `$${`), or a variable. */
const marker = /\$\$\{|\$\{[^}]*\}/g

/**
 * Returns the pointer of the first value of `document` that cannot result from expanding the variables in `written`; null if there is none.
 * A value without a variable must be the same in both documents.
 */
export function whereNotExpanded(written: unknown, document: unknown): string | null {
  return findDifference(written, document, [])
}

/** Returns the strings that contain a variable, with their pointers, in document order. */
export function variableTexts(written: unknown): { readonly pointer: string; readonly text: string }[] {
  const found: { pointer: string; text: string }[] = []
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'string' && hasVariable(value)) found.push({ pointer: pointerOf(path), text: value })
    if (typeof value !== 'object' || value === null || path.length > maxDepth) return
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, [...path, index]))
    else for (const [key, member] of Object.entries(value)) walk(member, [...path, key])
  }
  walk(written, [])
  return found
}

/** Returns the values of the variables in a source form. They are found by comparing the source form with the expanded document. */
export function variablesOf(written: unknown, document: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { pointer, text } of variableTexts(written)) {
    const value = valueAt(document, pathOf(pointer))
    if (typeof value !== 'string') continue
    const names: string[] = []
    const pattern = partsOf(text)
      .map((part) => {
        if (part === '$${') return escapeRegExp('${')
        if (!part.startsWith('${')) return escapeRegExp(part)
        names.push(part.slice(2, -1))
        return '(.*?)'
      })
      .join('')
    const values = new RegExp(`^${pattern}$`, 's').exec(value)?.slice(1) ?? []
    names.forEach((name, index) => found.set(name, values[index] ?? ''))
  }
  return found
}

/**
 * A string of a document that contains a secret. `shown` is its redacted form with the variable's name, e.g.
 * `https://example.com/${HOOK_TOKEN}`.
 */
export interface SecretText {
  readonly text: string
  readonly shown: string
}

export interface SecretTexts {
  /** Strings that contain the value of a variable with a secret name. */
  readonly variables: readonly SecretText[]
  /** URLs of webhooks with userinfo or values of a query. */
  readonly webhooks: readonly SecretText[]
}

/** Returns the URLs of the document's webhooks that contain userinfo or values of a query, as keys of scope `read` see them. */
export function maskedWebhooks(document: {
  readonly webhooks?: readonly { readonly url: string }[]
}): readonly SecretText[] {
  return (document.webhooks ?? []).flatMap(({ url }) => {
    const shown = maskedUrl(url)
    return shown === url ? [] : [{ text: url, shown }]
  })
}

/** Returns the strings of the document whose source form contains a variable with a secret name (e.g. `HOOK_TOKEN`). */
export function secretTexts(written: unknown, document: unknown): readonly SecretText[] {
  const values = variablesOf(written, document)
  return variableTexts(written).flatMap(({ pointer, text: form }) => {
    const text = valueAt(document, pathOf(pointer))
    const isSecret = (part: string) => part.startsWith('${') && isSecretName(part.slice(2, -1))
    if (typeof text !== 'string' || !partsOf(form).some(isSecret)) return []
    const shown = partsOf(form)
      .map((part) => (part === '$${' ? '${' : isSecret(part) ? part : (values.get(part.slice(2, -1)) ?? part)))
      .join('')
    return text === shown ? [] : [{ text, shown }]
  })
}

/** Splits a string into literal texts and the markers (`$${` or a variable) between them. */
const partsOf = (text: string) => text.split(/(\$\$\{|\$\{[^}]*\})/)
const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

export function hasVariable(text: string): boolean {
  return [...text.matchAll(marker)].some(([match]) => match !== '$${')
}

function findDifference(written: unknown, document: unknown, path: readonly (string | number)[]): string | null {
  if (path.length > maxDepth) return pointerOf(path)
  if (typeof written === 'string')
    return typeof document === 'string' && couldBeWrittenAs(written, document) ? null : pointerOf(path)
  if (typeof written !== 'object' || written === null) return written === document ? null : pointerOf(path)
  if (typeof document !== 'object' || document === null || Array.isArray(written) !== Array.isArray(document))
    return pointerOf(path)
  const keys = Object.keys(written)
  // The keys must be in the same order too, because the expanded written form must equal the pushed document byte for byte.
  if (keys.join('\u0000') !== Object.keys(document).join('\u0000')) return pointerOf(path)
  for (const key of keys) {
    const place = Array.isArray(written) ? Number(key) : key
    const found = findDifference(memberOf(written, key), memberOf(document, key), [...path, place])
    if (found !== null) return found
  }
  return null
}

const memberOf = (value: object, key: string): unknown => (value as Record<string, unknown>)[key]

/**
 * True if `text` can result from expanding the variables in `written`. Works without backtracking: each part between two variables is
 * matched at its earliest position.
 */
function couldBeWrittenAs(written: string, text: string): boolean {
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
