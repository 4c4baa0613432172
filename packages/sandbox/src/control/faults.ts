// Injected faults: the next N matching requests fail in a chosen way. This file decides which requests fail; `protocol/api.ts` executes the
// faults.
import { matchesWildcard } from '../protocol/requests/wildcard.ts'

export const faultKinds = [
  'rate_limit',
  'lock_timeout',
  'conflict',
  'error_before',
  'error_after',
  'close_before',
  'close_after',
  'cut_body',
  'late',
  'late_arrival',
  'latency',
] as const
export type FaultKind = (typeof faultKinds)[number]

/**
 * True for faults that close the connection before the write is executed. The write is executed when the test calls `land`, or after
 * `latencyMs`. `late`: until then the idempotency key is in use, so a retry gets 409. `late_arrival`: the request has not reached the API
 * yet, so a retry is executed at once, and the late request then replays its result.
 */
export const isLate = (kind: FaultKind): kind is 'late' | 'late_arrival' => kind === 'late' || kind === 'late_arrival'

export interface FaultOrder {
  readonly kind: FaultKind
  /** HTTP method of the requests to match: `POST`, `GET` or `DELETE`. Default: any. */
  readonly method?: string | undefined
  /** Path of the requests to match, e.g. `/v1/prices` or `/v1/products/*`, where `*` matches any text. Default: any. */
  readonly path?: string | undefined
  /** Number of matching requests that fail. Default: 1. Null: all, until the faults are cleared. */
  readonly count?: number | null | undefined
  /** Number of matching requests that succeed before the first failure. Default: 0. */
  readonly skip?: number | undefined
  /**
   * For `latency`: the delay in milliseconds. For `late` and `late_arrival`: the time in milliseconds until the write is executed; if
   * absent, the write waits until the test calls `land`.
   */
  readonly latencyMs?: number | undefined
  /** For `latency`: the request also waits until this promise is settled. Not available for faults added over HTTP. */
  readonly until?: Promise<unknown> | undefined
  /** Value of the header `Stripe-Rate-Limited-Reason` of a `rate_limit` fault. Default: `global-rate`. */
  readonly reason?: string | undefined
  /**
   * True (default): the 500 of `error_before` or `error_after` is stored with the idempotency key, so a retry gets the same 500, as in the
   * real API. False: a retry with the same key is executed.
   */
  readonly keep?: boolean | undefined
  /** Limits the fault to requests of this account. */
  readonly account?: string | undefined
  /** Called for each request that the fault affects, before the fault takes effect. Not available for faults added over HTTP. */
  readonly onStrike?: (() => void) | undefined
}

export interface Fault extends FaultOrder {
  readonly id: number
  /** Number of requests that the fault was injected into so far. */
  readonly struck: number
}

interface ActiveFault {
  readonly order: FaultOrder
  readonly id: number
  seen: number
  struck: number
}

export class Faults {
  #standing: ActiveFault[] = []
  #lastId = 0

  add(order: FaultOrder): number {
    const id = ++this.#lastId
    this.#standing.push({ order, id, seen: 0, struck: 0 })
    return id
  }

  list(): readonly Fault[] {
    return this.#standing.map(({ order: { onStrike: _callback, until: _hold, ...order }, id, struck }) => ({
      ...order,
      id,
      struck,
    }))
  }

  clear(): void {
    this.#standing = []
  }

  /**
   * Returns the faults to inject into this request: the sum of all matching latencies, and at most one other fault (the oldest that
   * matches).
   */
  inject(
    method: string,
    path: string,
    account: string,
  ): {
    readonly latencyMs: number
    readonly until: Promise<unknown> | undefined
    readonly fault: FaultOrder | undefined
  } {
    let latencyMs = 0
    let until: Promise<unknown> | undefined
    let fault: FaultOrder | undefined
    for (const standing of this.#standing) {
      const { order } = standing
      if (order.kind !== 'latency' && fault !== undefined) continue
      if (!matches(order, method, path, account)) continue
      standing.seen++
      if (standing.seen <= (order.skip ?? 0)) continue
      standing.struck++
      if (order.kind === 'latency') {
        latencyMs += order.latencyMs ?? 0
        until = order.until ?? until
      } else fault = order
      order.onStrike?.()
    }
    this.#standing = this.#standing.filter(({ order, struck }) => order.count === null || struck < (order.count ?? 1))
    return { latencyMs, until, fault }
  }
}

function matches(order: FaultOrder, method: string, path: string, account: string): boolean {
  if (order.method !== undefined && order.method.toUpperCase() !== method) return false
  if (isLate(order.kind) && method === 'GET') return false
  if (order.account !== undefined && order.account !== account) return false
  return matchesWildcard(order.path ?? '*', path)
}
