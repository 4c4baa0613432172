// Client-side rate limit of calls to the processor: one pace for the account, one for each operation. Decides when a call may start, never
// whether it is retried. A budget shared by replicas replaces this one behind the same interface.
import type { Clock } from '../clock.ts'
import { abortReason } from './abort.ts'

export interface RateBudget {
  /**
   * Resolves when a call of this operation (for example `POST /v1/prices`) may start. First come, first served within an operation; an
   * operation at its own limit does not block the others. Rejects with the signal's reason.
   */
  take(operation: string, signal: AbortSignal): Promise<void>
}

export interface RateLimits {
  /** Maximum number of calls a second, e.g. 80. */
  readonly perSecond: number
  /** Maximum number of calls a second of any one operation. */
  readonly perOperationPerSecond: number
}

/** A budget without limits, for the sandbox. */
export const unlimitedBudget: RateBudget = {
  take: (_operation, signal) => (signal.aborted ? Promise.reject(abortReason(signal)) : Promise.resolve()),
}

/**
 * Returns the share of a key's limits that Ratecard uses, because customers check out at the same time: of Stripe's 25 (test) and 100
 * (live) calls a second and 25 per operation, up to 23, 80 and 23.
 */
export function limitsFor(account: { livemode: boolean }): RateLimits {
  return { perSecond: account.livemode ? 80 : 23, perOperationPerSecond: 23 }
}

/** Returns half of the limits, the most that lists of the mirror may use. */
export function halfOf({ perSecond, perOperationPerSecond }: RateLimits): RateLimits {
  return { perSecond: Math.floor(perSecond / 2), perOperationPerSecond: Math.floor(perOperationPerSecond / 2) }
}

/** Creates the budget for a key, for one process. */
export function budgetFor(account: { livemode: boolean; sandboxUnthrottled: boolean; clock: Clock }): RateBudget {
  if (account.sandboxUnthrottled) return unlimitedBudget
  return createRateBudget({ ...limitsFor(account), clock: account.clock })
}

/** A budget that takes from two: a share for background work, and the budget of everything. */
export function inTurn(share: RateBudget, whole: RateBudget): RateBudget {
  return {
    take: async (operation, signal) => {
      await share.take(operation, signal)
      await whole.take(operation, signal)
    },
  }
}

interface Waiter {
  readonly operation: string
  readonly admit: () => void
}

/** Creates a budget for one process. Calls are spread evenly, and no window of one second (at any offset) exceeds the limit. */
export function createRateBudget(limits: RateLimits & { readonly clock: Clock }): RateBudget {
  const { clock } = limits
  const whole = new Pace(limits.perSecond)
  const paces = new Map<string, Pace>()
  const queue = new Set<Waiter>()
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
    const full = new Set<string>()
    for (const waiter of queue) {
      if (whole.readyAt() > now) {
        wake = Math.min(wake, whole.readyAt())
        break
      }
      if (full.has(waiter.operation)) continue
      const pace = paceOf(waiter.operation)
      if (pace.readyAt() > now) {
        full.add(waiter.operation)
        wake = Math.min(wake, pace.readyAt())
        continue
      }
      whole.spend(now)
      pace.spend(now)
      queue.delete(waiter)
      waiter.admit()
    }
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

/** One limit: evenly spaced slots. A late timer may catch up, but never past the limit of any one-second window. */
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
    // A late timer may catch up one slot; an idle pause earns no burst.
    const late = now - this.#nextSlot
    this.#nextSlot = (late > this.#intervalMs ? now : this.#nextSlot) + this.#intervalMs
  }
}
