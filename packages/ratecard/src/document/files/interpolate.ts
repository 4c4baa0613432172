import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { didYouMean } from '../../base/errors/suggest.ts'
import { whyForbidden } from '../rules/variable-rules.ts'

export type EnvironmentLookup = (name: string) => string | undefined
/**
 * Returns the reason why a variable counts as unset although it is defined (e.g. it is an unedited placeholder). Returns undefined if the
 * variable counts as set.
 */
export type WhyUnset = (name: string) => Pick<Issue, 'detail' | 'hint'> | undefined

// Maximum nesting depth of expansion, deeper than any valid document. Deeper values are not expanded, and validation rejects the document.
const maxDepth = 64
const marker = /\$\$\{|\$\{/g
const reference = /\$\{([^}]*)\}/y
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

export interface Interpolation {
  readonly value: unknown
  readonly issues: Issue[]
  /** Names and values of the variables that were expanded. */
  readonly used: ReadonlyMap<string, string>
}

/**
 * Expands `${NAME}` in every string value, never in keys. `$${` stands for a literal `${`. A value that contains `${` is not expanded
 * again. An unset or forbidden variable stays unexpanded and is reported. Issues never contain values of variables.
 */
export function interpolate(
  document: unknown,
  environment: ReadonlyMap<string, string> | EnvironmentLookup,
  whyUnset: WhyUnset = () => undefined,
): Interpolation {
  const lookup: EnvironmentLookup = typeof environment === 'function' ? environment : (name) => environment.get(name)
  const names = typeof environment === 'function' ? [] : [...environment.keys()]
  const used = new Map<string, string>()
  const issues: Issue[] = []

  const expand = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === 'string') return expandText(value, path)
    if (typeof value !== 'object' || value === null || path.length > maxDepth) return value
    if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index]))
    // `fromEntries` defines members instead of assigning them. So a key `__proto__` stays an ordinary key.
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member, [...path, key])]))
  }

  const expandText = (text: string, path: readonly (string | number)[]): string => {
    if (!text.includes('${')) return text
    let result = ''
    let position = 0
    marker.lastIndex = 0
    for (let match = marker.exec(text); match !== null; match = marker.exec(text)) {
      result += text.slice(position, match.index)
      if (match[0] === '$${') {
        result += '${'
      } else {
        reference.lastIndex = match.index
        const found = reference.exec(text)
        const written = found?.[0] ?? text.slice(match.index)
        result += resolve(found?.[1], written, path)
        marker.lastIndex = match.index + written.length
      }
      position = marker.lastIndex
    }
    return result + text.slice(position)
  }

  const resolve = (name: string | undefined, written: string, path: readonly (string | number)[]): string => {
    const named = name !== undefined && variableName.test(name)
    const forbidden = named ? whyForbidden(name, path) : null
    if (forbidden !== null) {
      issues.push({ code: 'variable_forbidden', pointer: pointerOf(path), severity: 'error', ...forbidden })
      return written
    }
    const value = named ? lookup(name) : undefined
    if (value === undefined) {
      const reason = named ? whyUnset(name) : undefined
      issues.push(
        reason === undefined
          ? unresolvedVariable(
              name,
              pointerOf(path),
              names.filter((other) => whyForbidden(other, path) === null),
            )
          : { code: 'variable_unset', pointer: pointerOf(path), severity: 'error', ...reason },
      )
      return written
    }
    used.set(name ?? '', value)
    return value
  }

  return { value: expand(document, []), issues, used }
}

/**
 * Escapes `${` in all strings, so that {@link interpolate} returns the strings unchanged. Used when foreign values are written to a file,
 * e.g. by a pull.
 */
export function escapeVariables(value: unknown): unknown {
  // The replacement is a function, because `$$` in a replacement string would stand for one `$`.
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(escapeVariables)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, escapeVariables(member)]))
}

function unresolvedVariable(name: string | undefined, pointer: string, known: readonly string[]): Issue {
  if (name !== undefined && variableName.test(name)) {
    const hint = didYouMean(name, known) ?? `Set ${name} in the environment or in the environment file.`
    return { code: 'variable_unset', pointer, severity: 'error', detail: `The variable ${name} is not set.`, hint }
  }
  const detail =
    name === undefined
      ? 'A "${" has no matching "}".'
      : 'The name between "${" and "}" may contain letters, digits and underscores only.'
  return { code: 'variable_malformed', pointer, severity: 'error', detail, hint: 'Write "$${" for a literal "${".' }
}
