import type { Plain } from '../parameters/form.ts'

/** A handled request. Never contains the API key. */
export interface LoggedRequest {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly account: string | null
  readonly method: string
  readonly path: string
  readonly params: Plain
  readonly idempotencyKey: string | null
  /** Null: the socket was closed without a response. */
  readonly status: number | null
  readonly replayed: boolean
  /** Kind of the injected fault. */
  readonly fault: string | null
}

const maxEntries = 10_000

/** The latest 10,000 requests, oldest first. */
export class RequestLog {
  #entries: LoggedRequest[] = []

  add(entry: LoggedRequest): void {
    this.#entries.push(entry)
    // Truncated in large steps, because removing single entries would copy the log at every request.
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
