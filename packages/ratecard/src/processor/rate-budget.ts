// Client-side rate limit for calls to the processor, with one limit for the account and one for each operation. It decides when a call may
// start, never whether it is retried. shared-budget.ts implements this interface for several replicas.
import type { Clock } from '../base/clock.ts'
import { abortReason } from './abort.ts'
import { sessionTenant, Turns, type InLine } from './whose-turn.ts'

export interface RateBudget {
  /**
   * Resolves when a call of this operation (e.g. `POST /v1/prices`) may start. Calls of one operation start in the order in which `take`
   * was called, but those of sessions after all others, and in turns by tenant. An operation that has reached its own limit does not block other operations. Rejects with the signal's reason if the signal
   * aborts.
   */
  take(operation: string, signal: AbortSignal): Promise<void>
}

export interface RateLimits {
  /** Maximum number of calls a second, e.g. 80. */
  readonly perSecond: number
  /** Maximum number of calls a second of each operation. */
  readonly perOperationPerSecond: number
}

/** A budget without limits, for the sandbox. */
export const unlimitedBudget: RateBudget = {
  take: (_operation, signal) => (signal.aborted ? Promise.reject(abortReason(signal)) : Promise.resolve()),
}

/**
 * Returns the share of the key's rate limits that Ratecard may use. The rest is left for other programs that use the account. Stripe allows
 * 25 (test mode) or 100 (live mode) calls a second, and 25 per operation. Ratecard uses at most 23, 80 and 23.
 */
export function limitsFor(account: { livemode: boolean }): RateLimits {
  return { perSecond: account.livemode ? 80 : 23, perOperationPerSecond: 23 }
}

/** Returns half of the limits: the share that the mirror's list requests may use. */
export function halfOf({ perSecond, perOperationPerSecond }: RateLimits): RateLimits {
  return { perSecond: Math.floor(perSecond / 2), perOperationPerSecond: Math.floor(perOperationPerSecond / 2) }
}

/** Creates the rate budget of a key for one process. */
export function budgetFor(account: { livemode: boolean; sandboxUnthrottled: boolean; clock: Clock }): RateBudget {
  if (account.sandboxUnthrottled) return unlimitedBudget
  return createRateBudget({ ...limitsFor(account), clock: account.clock })
}

/** The operation that records usage. */
export const meterEventOperation = 'POST /v1/billing/meter_events'

/**
 * Returns the budget without a limit for usage, for live mode. There Stripe counts meter events apart from all other calls and allows 1,000
 * a second. Paced like other operations, all tenants together could report 23 a second. A report that Stripe refuses with 429 is retried.
 */
export function withoutUsageLimit(budget: RateBudget): RateBudget {
  return {
    take: (operation, signal) => (operation === meterEventOperation ? unlimitedBudget : budget).take(operation, signal),
  }
}

/** Combines two budgets: each call takes first from `share` (e.g. the share of background work), then from `whole`. */
export function inTurn(share: RateBudget, whole: RateBudget): RateBudget {
  return {
    take: async (operation, signal) => {
      await share.take(operation, signal)
      await whole.take(operation, signal)
    },
  }
}

interface Waiter extends InLine {
  readonly operation: string
  readonly admit: () => void
}

/** Creates a budget for one process. Calls are spread evenly, and no span of one second contains more calls than the limit. */
export function createRateBudget(limits: RateLimits & { readonly clock: Clock }): RateBudget {
  const { clock } = limits
  const whole = new Pace(limits.perSecond)
  const paces = new Map<string, Pace>()
  const queue = new Set<Waiter>()
  const turns = new Turns<Waiter>()
  let timer: NodeJS.Timeout | undefined

  const paceOf = (operation: string): Pace => {
    const known = paces.get(operation)
    if (known !== undefined) return known
    const pace = new Pace(limits.perOperationPerSecond)
    paces.set(operation, pace)
    return pace
  }

  const admitReady = (): void => {
    clearTimeout(timer)
    const now = clock.now()
    let wake = Infinity
    const isReady = ({ operation }: Waiter) => {
      const at = paceOf(operation).readyAt()
      if (at > now) wake = Math.min(wake, at)
      return at <= now
    }
    while (queue.size > 0 && whole.readyAt() <= now) {
      const waiter = turns.next(queue, isReady)
      if (waiter === undefined) break
      whole.spend(now)
      paceOf(waiter.operation).spend(now)
      queue.delete(waiter)
      turns.served(waiter, queue.size)
      waiter.admit()
    }
    if (queue.size > 0 && whole.readyAt() > now) wake = whole.readyAt()
    if (wake < Infinity) timer = setTimeout(admitReady, Math.max(1, Math.ceil(wake - clock.now())))
  }

  const take = (operation: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal))
        return
      }
      const leave = (): void => {
        queue.delete(waiter)
        reject(abortReason(signal))
      }
      const waiter: Waiter = {
        operation,
        tenant: sessionTenant(),
        admit: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      queue.add(waiter)
      admitReady()
    })

  return { take }
}

const windowMs = 1000

/**
 * One rate limit with evenly spaced slots. If a timer fires late, the next call may start after a shorter pause. Still no span of one
 * second contains more calls than the limit.
 */
class Pace {
  readonly #intervalMs: number
  readonly #starts: number[]
  #next = 0
  #nextSlot = -Infinity

  constructor(perSecond: number) {
    if (!Number.isInteger(perSecond) || perSecond < 1)
      throw new RangeError('A rate is a whole number of calls, one or more.')
    this.#intervalMs = windowMs / perSecond
    this.#starts = Array.from({ length: perSecond }, () => -Infinity)
  }

  readyAt(): number {
    return Math.max(this.#nextSlot, (this.#starts[this.#next] ?? -Infinity) + windowMs)
  }

  spend(now: number): void {
    this.#starts[this.#next] = now
    this.#next = (this.#next + 1) % this.#starts.length
    // If a call started late by up to one interval, the next slot keeps its planned time. After a longer pause the next slot is now, so
    // that no burst of calls follows.
    const late = now - this.#nextSlot
    this.#nextSlot = (late > this.#intervalMs ? now : this.#nextSlot) + this.#intervalMs
  }
}
