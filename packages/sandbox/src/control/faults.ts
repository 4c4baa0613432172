// Faults on order: the next N matching requests fail in a chosen way. Only decides which; the api carries it out.
import { matchesWildcard } from '../protocol/wildcard.ts'

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
 * Faults that carry out a write after its connection has closed, when the requests that wait are landed or `latencyMs` has passed.
 * Until then the idempotency key of a `late` write is in use (409). A `late_arrival` has not reached the API yet: a retry under
 * its key is carried out at once, and the late request then only replays that result.
 */
export const isLate = (kind: FaultKind): kind is 'late' | 'late_arrival' => kind === 'late' || kind === 'late_arrival'

export interface FaultOrder {
  readonly kind: FaultKind
  /** `POST`, `GET` or `DELETE`; any when absent. */
  readonly method?: string | undefined
  /** A path like `/v1/prices` or `/v1/products/*`; `*` stands for anything. Any when absent. */
  readonly path?: string | undefined
  /** How many matching requests fail, default 1; null for all of them until the faults are cleared. */
  readonly count?: number | null | undefined
  /** How many matching requests pass first. */
  readonly skip?: number | undefined
  /** For `latency`, and for the late kinds: milliseconds until the write is carried out by itself; absent: when it is landed. */
  readonly latencyMs?: number | undefined
  /** For `rate_limit`: what `Stripe-Rate-Limited-Reason` says, default `global-rate`. */
  readonly reason?: string | undefined
  /**
   * For `error_before` and `error_after`: whether the 500 is what the idempotency key repeats (the default, as the real
   * API does), or a retry under the same key gets a true answer.
   */
  readonly keep?: boolean | undefined
  /** Only requests of this account. */
  readonly account?: string | undefined
  /** Called for each request that the fault is injected into, before anything else happens to it. Not for orders over HTTP. */
  readonly onStrike?: (() => void) | undefined
}

export interface Fault extends FaultOrder {
  readonly id: number
  /** Requests it struck so far. */
  readonly struck: number
}

interface Standing {
  readonly order: FaultOrder
  readonly id: number
  seen: number
  struck: number
}

export class Faults {
  #standing: Standing[] = []
  #lastId = 0

  add(order: FaultOrder): number {
    const id = ++this.#lastId
    this.#standing.push({ order, id, seen: 0, struck: 0 })
    return id
  }

  list(): readonly Fault[] {
    return this.#standing.map(({ order: { onStrike: _callback, ...order }, id, struck }) => ({ ...order, id, struck }))
  }

  clear(): void {
    this.#standing = []
  }

  /** What befalls this request: any latency, and at most one failure (the oldest order that matches). */
  strike(
    method: string,
    path: string,
    account: string,
  ): { readonly latencyMs: number; readonly fault: FaultOrder | undefined } {
    let latencyMs = 0
    let fault: FaultOrder | undefined
    for (const standing of this.#standing) {
      const { order } = standing
      if (order.kind !== 'latency' && fault !== undefined) continue
      if (!matches(order, method, path, account)) continue
      standing.seen++
      if (standing.seen <= (order.skip ?? 0)) continue
      standing.struck++
      if (order.kind === 'latency') latencyMs += order.latencyMs ?? 0
      else fault = order
      order.onStrike?.()
    }
    this.#standing = this.#standing.filter(({ order, struck }) => order.count === null || struck < (order.count ?? 1))
    return { latencyMs, fault }
  }
}

function matches(order: FaultOrder, method: string, path: string, account: string): boolean {
  if (order.method !== undefined && order.method.toUpperCase() !== method) return false
  if (isLate(order.kind) && method === 'GET') return false
  if (order.account !== undefined && order.account !== account) return false
  return matchesWildcard(order.path ?? '*', path)
}
