import type { IssueCode } from './codes.ts'

export type Severity = 'error' | 'warning'

/** One thing wrong with a document, with its place as a JSON pointer in URI-fragment form (`#/products/0/id`; `#` is the whole). */
export interface Issue {
  readonly code: IssueCode
  readonly pointer: string
  readonly severity: Severity
  readonly detail: string
  /** The next action, an imperative sentence. Absent when there is none. */
  readonly hint?: string
}

/** Escapes one reference token (RFC 6901), percent-encoding nothing but what a URI fragment forbids. */
export function pointerToken(token: string | number): string {
  // A lone surrogate has no form in a URI, and encodeURIComponent would throw on it.
  return encodeURIComponent(String(token).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** `pointerOf(['products', 0, 'id'])` is `#/products/0/id`. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? '#' : `#/${path.map(pointerToken).join('/')}`
}

/** The inverse of {@link pointerOf}; tokens come back as strings. */
export function pathOf(pointer: string): string[] {
  if (pointer === '#' || pointer === '') return []
  return pointer
    .replace(/^#?\//, '')
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
}
