// Runs the feed: one replica at a time, under a lease, until it is stopped. Fills the copy, then polls events, reads stale objects, and
// compares everything once a night.
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../../errors/service-error.ts'
import { compare, compareLists, comparisonDue } from './compare.ts'
import type { FeedDeps } from './deps.ts'
import { ensureState, fill } from './fill.ts'
import { CursorLost, poll } from './poll.ts'
import type { SeenEvents } from './poll.ts'
import type { ReadAllocation } from './read-allocation.ts'
import { refreshStale } from './refresh.ts'
import type { Failures } from './refresh.ts'
import { sumCustomers } from '../sums/sum-customers.ts'

/** Name of the lease: one replica feeds. */
export const mirrorLease = 'mirror'

export interface Feeder {
  /** Starts the feed; failures are reported and retried. */
  readonly start: () => void
  /** Looks for stale objects now, e.g. after a delivery. */
  readonly wake: () => void
  /** Ends the feed after its reads in flight. */
  readonly stop: () => Promise<void>
}

export interface FeederOptions {
  /** Counts reads of all replicas, and spaces the polls. */
  readonly allocation: ReadAllocation
  /** Keeps the sums of the last day, if it ended. */
  readonly keepDay: () => Promise<void>
  /** Makes sure that events are delivered. Absent without a public address. */
  readonly ensureEndpoint?: (signal: AbortSignal) => Promise<void>
  /** Time (ms) between two looks for stale objects, which another replica may have marked. Default: 500. */
  readonly lookMs?: number
}

/** Time (ms) until another attempt at the lease. */
const leaseLookMs = 1_000
/** Longest time (ms) between two attempts after failures, e.g. while the processor cannot be reached. */
const longestRetryMs = 60_000

interface FeederState {
  readonly seen: SeenEvents
  readonly failures: Failures
  polledAt: number
}

export function createFeeder(
  deps: FeedDeps,
  { allocation, keepDay, ensureEndpoint, lookMs = 500 }: FeederOptions,
): Feeder {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let alarm = new AbortController()
  let running: Promise<void> | null = null

  const pause = async (ms: number): Promise<void> => {
    const signal = AbortSignal.any([stopping.signal, alarm.signal])
    await wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
    if (alarm.signal.aborted) alarm = new AbortController()
  }

  const round = async (state: FeederState, signal: AbortSignal): Promise<void> => {
    const now = performance.now()
    await allocation.flush()
    if (now - state.polledAt >= (await allocation.pollEveryMs())) {
      await poll(deps, state.seen, signal)
      state.polledAt = now
    }
    await refreshStale(deps, state.failures, signal)
    await sumCustomers(deps.store, signal)
    await keepDay()
    const stored = await deps.store.mirror.state()
    if (stored === null || !comparisonDue(deps.clock.now(), stored.comparedAt)) return
    await deliver(signal)
    await compare(deps, state.seen, state.failures, signal)
  }

  /** The poll makes up for a missing endpoint, so that a failure does not stop the feed. */
  const deliver = async (signal: AbortSignal): Promise<void> => {
    try {
      await ensureEndpoint?.(signal)
    } catch (error) {
      if (signal.aborted) throw error
      deps.report(error, 'the endpoint for deliveries could not be made')
    }
  }

  const feed = async (signal: AbortSignal, onRound: () => void): Promise<void> => {
    const state: FeederState = { seen: new Set(), failures: new Map(), polledAt: performance.now() }
    await deliver(signal)
    await complete(deps, state, signal)
    await keepDay()
    for (;;) {
      signal.throwIfAborted()
      onRound()
      await pause(lookMs)
      await round(state, signal)
    }
  }

  const run = async (): Promise<void> => {
    for (let failed = 0; !stopped();) {
      try {
        await deps.store.exclusively(mirrorLease, async ({ signal }) => {
          await feed(AbortSignal.any([signal, stopping.signal]), () => {
            failed = 0
          })
        })
      } catch (error) {
        const taken = isTaken(error)
        failed = taken ? 0 : failed + 1
        if (!stopped() && !taken) deps.report(error, 'the feed failed and is retried')
      }
      await allocation.flush().catch((error: unknown) => {
        deps.report(error, 'reads are counted later')
      })
      await pause(Math.min(longestRetryMs, leaseLookMs * 2 ** Math.max(0, failed - 1)))
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    wake: () => {
      alarm.abort()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Makes the copy complete: continues a fill, reads what happened since, and lists everything again if events were missed. */
async function complete(deps: FeedDeps, state: FeederState, signal: AbortSignal): Promise<void> {
  const { mirror } = deps.store
  const before = await ensureState(deps, signal)
  await fill(deps, signal)
  try {
    await poll(deps, state.seen, signal)
  } catch (error) {
    if (!(error instanceof CursorLost)) throw error
    await restart(deps, state, signal)
  }
  state.polledAt = performance.now()
  await refreshStale(deps, state.failures, signal)
  await sumCustomers(deps.store, signal)
  if (before.beganAt === null) await mirror.setState({ beganAt: deps.clock.now() })
}

/** Takes a new cursor, and lists everything: the events between the two cursors can no longer be read. */
async function restart(deps: FeedDeps, { seen }: FeederState, signal: AbortSignal): Promise<void> {
  const { mirror } = deps.store
  const { last } = await deps.processor.events({ after: null, types: [] }, signal)
  const began = deps.clock.now()
  await compareLists(deps, signal)
  // Stored last, so that a replica that ends meanwhile begins again.
  await mirror.setState({ eventCursor: last ?? '', readUntil: began, comparedAt: began })
  seen.clear()
  await poll(deps, seen, signal)
}

function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'push_in_progress'
}
