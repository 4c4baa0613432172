/** One thing wrong with a document or a request, with its place as a JSON pointer (`#/products/0/id`). */
export interface Issue {
  readonly code: string
  readonly pointer: string
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
}
