// Runs the feed, which keeps the mirror (the local copy of the processor's data) current. One replica runs it at a time, under a lease,
// until it is stopped. The feed fills the copy, then polls events, reads stale objects, and compares all objects once a night, page by
// page.
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { pushLease } from '../../../acts/lease.ts'
import { beginComparison, beginRelisting, compareNext, comparisonDue } from './compare.ts'
import type { FeedDeps } from './deps.ts'
import { createFeedErrors } from './feed-error.ts'
import { ensureState, fill } from './fill.ts'
import { CursorLost, pollEvents, type SeenEvents } from './poll.ts'
import type { ReadAllocation } from './read-allocation.ts'
import { refreshStale } from './refresh.ts'
import { sumCustomers } from '../sums/sum-customers.ts'

/** Name of the lease that the replica running the feed holds. */
export const mirrorLease = 'mirror'

export interface Feeder {
  /** Starts the feed. Failures are reported and retried. */
  readonly start: () => void
  /** Reads stale objects now, e.g. after an event was received. */
  readonly wake: () => void
  /** Polls and reads all that has changed by now. Resolves when the copy has it, or at once if another process runs the feed. */
  readonly catchUp: () => Promise<void>
  /** Stops the feed after its running reads. */
  readonly stop: () => Promise<void>
}

export interface FeederOptions {
  /** Counts the reads of all replicas, and determines the interval between two polls and between two pages of a list. */
  readonly allocation: ReadAllocation
  /** Stores the revenue sums of the last day, if that day has ended. */
  readonly keepDay: () => Promise<void>
  /** Called after each round of the feed, e.g. to grant the credits of payments that the round stored. */
  readonly afterRound?: () => Promise<void>
  /**
   * The nightly comparison of usage, which runs page by page after that of the objects: `due` is true until it is done, and `next` compares
   * the next tenant and meter.
   */
  readonly usage?: { readonly due: () => Promise<boolean>; readonly next: (signal: AbortSignal) => Promise<void> }
  /** Ensures that the processor sends events to this service. Absent if the service has no public address. */
  readonly ensureEndpoint?: (signal: AbortSignal) => Promise<void>
  /** Interval (ms) between two searches for stale objects, because other replicas may mark objects as stale. Default: 500. */
  readonly lookMs?: number
}

/** Delay (ms) before the next attempt to take the lease. */
const leaseLookMs = 1_000
/** Maximum delay (ms) between two attempts after failures, e.g. while the processor is unreachable. */
const longestRetryMs = 60_000

/**
 * Share of the interval after which a poll is due. It is a little less than 1, because a copy counts as stale when it is older than the
 * interval, e.g. five minutes.
 */
const dueShare = 0.99

/** Returns the delay (ms) before the next attempt after this number of failures in a row. */
function retryDelayMs(failed: number): number {
  return Math.min(longestRetryMs, leaseLookMs * 2 ** Math.max(0, failed - 1))
}

interface FeederState {
  readonly seen: SeenEvents
  polledAt: number
  /** Earliest time of the next page of a comparison. */
  listsFrom: number
  /** Number of pages of a comparison that failed in a row. */
  failedPages: number
}

export function createFeeder(
  deps: FeedDeps,
  { allocation, keepDay, afterRound, usage, ensureEndpoint, lookMs = 500 }: FeederOptions,
): Feeder {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let alarm = new AbortController()
  let running: Promise<void> | null = null
  let feeding = false
  const catchingUp: (() => void)[] = []

  const pause = async (ms: number): Promise<void> => {
    const signal = AbortSignal.any([stopping.signal, alarm.signal])
    await wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
    if (alarm.signal.aborted) alarm = new AbortController()
  }

  /** Does the work that is due now. Returns true if more work is due; then the next round starts without delay. */
  const round = async (state: FeederState, signal: AbortSignal): Promise<boolean> => {
    const now = performance.now()
    const waiting = catchingUp.splice(0)
    try {
      await allocation.flush()
      if (waiting.length > 0 || now - state.polledAt >= (await allocation.pollEveryMs()) * dueShare) {
        await pollOrRelist(deps, state, signal)
        state.polledAt = now
      }
      // A round reads at most 100 stale objects, so that it does not delay the next poll. For callers of `catchUp` it reads all of them.
      let read = await refreshStale(deps, signal)
      while (waiting.length > 0 && read > 0) read = await refreshStale(deps, signal)
      await sumCustomers(deps.store, signal)
      await keepDay()
      await afterRound?.()
    } finally {
      for (const caughtUp of waiting) caughtUp()
    }
    return compareOnePage(state, signal)
  }

  /** Waits before a page of the first fill, if few reads are left. */
  const pacePage = async (signal: AbortSignal): Promise<void> => {
    await allocation.flush()
    const ms = await allocation.pageEveryMs()
    if (ms > 0) await wait(ms, undefined, { signal, ref: false })
  }

  /** Begins a comparison that is due, or makes the next read of the running one. Returns true if the comparison goes on. */
  const compareOnePage = async (state: FeederState, signal: AbortSignal): Promise<boolean> => {
    const stored = await deps.store.mirror.state()
    if (stored === null) return false
    const { comparing, comparedAt } = stored
    if (comparing === null && comparisonDue(deps.clock.now(), comparedAt)) {
      await deliver(signal)
      await beginComparison(deps)
      return true
    }
    if (comparing !== null) return paced(state, signal, () => compareNext(deps, comparing, state.seen, signal))
    if (usage === undefined || !(await usage.due()) || !(await allocation.hasSpare())) return false
    return paced(state, signal, () => usage.next(signal))
  }

  /** Makes a read of a comparison, unless it has to wait. Returns true if the next one may follow at once. */
  const paced = async (state: FeederState, signal: AbortSignal, read: () => Promise<unknown>): Promise<boolean> => {
    // A push needs the whole rate limit.
    if (await deps.store.held(pushLease)) return false
    const now = performance.now()
    if (now < state.listsFrom) return false
    try {
      await read()
      state.failedPages = 0
      state.listsFrom = now + (await allocation.pageEveryMs())
      return true
    } catch (error) {
      if (signal.aborted) throw error
      // The feed continues to read events, and the page is retried later.
      state.failedPages += 1
      state.listsFrom = now + retryDelayMs(state.failedPages)
      await reportFailure(error, 'a page of the comparison failed and is retried')
      return false
    }
  }

  /** A failure does not stop the feed, because the poll reads all events even without an endpoint. */
  const deliver = async (signal: AbortSignal): Promise<void> => {
    try {
      await ensureEndpoint?.(signal)
    } catch (error) {
      if (signal.aborted) throw error
      deps.report(error, 'the endpoint for deliveries could not be made')
    }
  }

  const errors = createFeedErrors(deps.store, deps.clock)

  const feed = async (signal: AbortSignal, onRound: () => void): Promise<void> => {
    const state: FeederState = { seen: new Set(), polledAt: performance.now(), listsFrom: 0, failedPages: 0 }
    await deliver(signal)
    await fillMirror(deps, state, () => pacePage(signal), signal)
    await keepDay()
    feeding = true
    for (let busy = false; ;) {
      signal.throwIfAborted()
      onRound()
      if (state.failedPages === 0) await errors.clear()
      await pause(busy ? 0 : lookMs)
      busy = await round(state, signal)
    }
  }

  const reportFailure = async (error: unknown, what: string): Promise<void> => {
    deps.report(error, what)
    await errors.store(error).catch((unstored: unknown) => {
      deps.report(unstored, 'the failure of the feed was not stored')
    })
  }

  const run = async (): Promise<void> => {
    for (let failed = 0; !stopped();) {
      try {
        const fed = await deps.store.tryExclusively(mirrorLease, async ({ signal }) => {
          try {
            await feed(AbortSignal.any([signal, stopping.signal]), () => {
              failed = 0
            })
          } finally {
            feeding = false
            for (const caughtUp of catchingUp.splice(0)) caughtUp()
          }
          return true
        })
        if (fed === null) failed = 0
      } catch (error) {
        const lost = isLost(error)
        failed = lost ? 0 : failed + 1
        if (!stopped() && !lost) await reportFailure(error, 'the feed failed and is retried')
      }
      await allocation.flush().catch((error: unknown) => {
        deps.report(error, 'reads are counted later')
      })
      await pause(retryDelayMs(failed))
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    wake: () => {
      alarm.abort()
    },
    catchUp: () =>
      new Promise((resolve) => {
        if (!feeding) {
          resolve()
          return
        }
        catchingUp.push(resolve)
        alarm.abort()
      }),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Makes the copy complete: continues an unfinished first fill, then polls the events that occurred since the fill began. */
async function fillMirror(
  deps: FeedDeps,
  state: FeederState,
  pace: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { mirror } = deps.store
  const before = await ensureState(deps, signal)
  await fill(deps, signal, pace)
  if (before.beganAt === null) await pollOrClear(deps, state, signal)
  else await pollOrRelist(deps, state, signal)
  state.polledAt = performance.now()
  await refreshStale(deps, signal)
  await sumCustomers(deps.store, signal)
  if (before.beganAt === null) await mirror.setState({ beganAt: deps.clock.now() })
}

/** Polls events. If the processor no longer has the events after the cursor, begins to list all objects again. */
async function pollOrRelist(deps: FeedDeps, { seen }: FeederState, signal: AbortSignal): Promise<void> {
  try {
    await pollEvents(deps, seen, signal)
  } catch (error) {
    if (!(error instanceof CursorLost)) throw error
    await beginRelisting(deps, signal)
    seen.clear()
    await pollEvents(deps, seen, signal)
  }
}

/**
 * Polls events after the first fill. If the fill took so long that the processor has deleted events since it began, deletes the copy, so
 * that the fill starts again.
 */
async function pollOrClear(deps: FeedDeps, { seen }: FeederState, signal: AbortSignal): Promise<void> {
  try {
    await pollEvents(deps, seen, signal)
  } catch (error) {
    if (error instanceof CursorLost) await deps.store.mirror.clear()
    throw error
  }
}

/** True if another process took the lease over. */
function isLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'push_in_progress'
}
