import type { Plain } from '../parameters/form.ts'

/** A handled request in the log. It never contains the API key. */
export interface LoggedRequest {
  readonly id: string
  /** Time of the request in epoch milliseconds. */
  readonly at: number
  readonly account: string | null
  readonly method: string
  readonly path: string
  readonly params: Plain
  readonly idempotencyKey: string | null
  /** HTTP status of the response. Null: the socket was closed without a response. */
  readonly status: number | null
  readonly replayed: boolean
  /** Kind of the injected fault, e.g. `rate_limit`. Null: none. */
  readonly fault: string | null
}

const maxEntries = 10_000

/** A log of the latest 10,000 requests, oldest first. */
export class RequestLog {
  #entries: LoggedRequest[] = []

  add(entry: LoggedRequest): void {
    this.#entries.push(entry)
    // Truncate the log in large steps. Removing single entries would copy the log at every request.
    if (this.#entries.length >= 2 * maxEntries) this.#entries = this.#entries.slice(-maxEntries)
  }

  list(
    filter: { readonly account?: string | undefined; readonly limit?: number | undefined } = {},
  ): readonly LoggedRequest[] {
    const { account, limit } = filter
    const found = account === undefined ? this.#entries : this.#entries.filter((entry) => entry.account === account)
    return found.slice(-(limit ?? maxEntries))
  }

  find(id: string): LoggedRequest | undefined {
    return this.#entries.findLast((entry) => entry.id === id)
  }

  clear(): void {
    this.#entries = []
  }
}
