// A rate budget shared by all replicas. `reserve` determines the times of the slots. This module decides which waiting call of this process
// gets a reserved slot.
import { abortReason } from './abort.ts'
import type { RateBudget } from './rate-budget.ts'
import { sessionTenant, Turns, type InLine } from './whose-turn.ts'

/** A slot for one call, in timestamps of `performance.now()`. A slot that is not used before `until` is lost. */
export interface ReservedMoment {
  readonly from: number
  readonly until: number
}

/** Reserves the next `count` slots of an operation for this process. Returns them in chronological order. */
export type ReserveMoments = (operation: string, count: number) => Promise<readonly ReservedMoment[]>

export interface SharedBudgetOptions {
  readonly reserve: ReserveMoments
  /**
   * Maximum number of slots per reservation, e.g. 6. With a larger number, fewer queries are needed; with a smaller number, other replicas
   * can start sooner.
   */
  readonly batch: number
}

interface Waiter extends InLine {
  readonly admit: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Creates a rate budget that several replicas share. Within this process, calls of one operation start in the order in which `take` was
 * called, but those of sessions after all others, and in turns by tenant. `take` also rejects if `reserve` fails.
 */
export function createSharedBudget(options: SharedBudgetOptions): RateBudget {
  const lanes = new Map<string, Set<Waiter>>()
  const turns = new Turns<Waiter>()

  /** Serves the queue of one operation. Runs until the queue is empty. */
  const serve = async (operation: string, lane: Set<Waiter>): Promise<void> => {
    try {
      while (lane.size > 0) {
        const moments = await options.reserve(operation, Math.min(lane.size, options.batch))
        for (const moment of moments) {
          await sleepUntil(moment.from)
          const next = performance.now() <= moment.until ? turns.next(lane) : undefined
          next?.admit()
          if (next !== undefined) turns.served(next, lane.size)
        }
      }
    } catch (error) {
      for (const waiter of lane) waiter.refuse(error)
    } finally {
      lanes.delete(operation)
    }
  }

  const take = (operation: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal))
        return
      }
      const known = lanes.get(operation)
      const lane = known ?? new Set<Waiter>()
      const end = (): void => {
        lane.delete(waiter)
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        reject(abortReason(signal))
      }
      const waiter: Waiter = {
        tenant: sessionTenant(),
        admit: () => {
          end()
          resolve()
        },
        refuse: (reason) => {
          end()
          reject(reason instanceof Error ? reason : new Error('The rate could not be shared.', { cause: reason }))
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      lane.add(waiter)
      if (known !== undefined) return
      lanes.set(operation, lane)
      void serve(operation, lane)
    })

  return { take }
}

/** Resolves at a timestamp of `performance.now()`. Waits in a loop, because timers may fire a little early. */
async function sleepUntil(moment: number): Promise<void> {
  for (;;) {
    const left = moment - performance.now()
    if (left <= 0) return
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)))
  }
}
