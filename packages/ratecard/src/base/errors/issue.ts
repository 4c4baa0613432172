import type { IssueCode } from './codes.ts'

export type Severity = 'error' | 'warning'

/** A problem in a document. `pointer` is a JSON pointer in URI-fragment form (`#/products/0/id`; `#` is the whole document). */
export interface Issue {
  readonly code: IssueCode
  readonly pointer: string
  readonly severity: Severity
  readonly detail: string
  /** The next step, as an imperative sentence. Absent if there is none. */
  readonly hint?: string
}

/** Escapes one token of a JSON pointer (RFC 6901) and percent-encodes it for a URI fragment. */
export function pointerToken(token: string | number): string {
  // `toWellFormed` is needed, because `encodeURIComponent` throws on a lone surrogate.
  return encodeURIComponent(String(token).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Builds a pointer: `pointerOf(['products', 0, 'id'])` is `#/products/0/id`. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? '#' : `#/${path.map(pointerToken).join('/')}`
}

/** Parses a pointer; the inverse of {@link pointerOf}. Numbers are returned as text too. */
export function pathOf(pointer: string): string[] {
  if (pointer === '#' || pointer === '') return []
  return pointer
    .replace(/^#?\//, '')
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
}
