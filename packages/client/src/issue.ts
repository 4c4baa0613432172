/** A mistake in a document or request, with its location as a JSON pointer (e.g. `#/products/0/id`). */
export interface Issue {
  readonly code: string
  readonly pointer: string
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
}
