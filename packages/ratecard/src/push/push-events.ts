// Live events of a push. If this process runs the push, events are emitted at once. If another replica runs it, this process polls the
// journal.
import { setTimeout as delay } from 'node:timers/promises'
import type { SyncDeps } from './deps.ts'
import { findPushHead, liveState, stepView } from './pushes.ts'
import type { PushEvent } from '../api/push/pushes.ts'
import type { PushState } from '../store/records/journal.ts'

const pollMs = 500
/**
 * Maximum share of time spent on reading the journal, because reads slow the push down. E.g. with 0.1, a read of 50 ms is followed by a
 * pause of 450 ms.
 */
const share = 0.1
const maxPollIntervalMs = 1_000
/**
 * Overlap (ms) of two consecutive reads of steps. The clock of the process that executes the steps may be set back a little, so each read
 * also covers the last seconds of the previous one.
 */
const overlapMs = 5_000

export class PushBus {
  private readonly listeners = new Map<string, Set<() => void>>()

  /** Wakes all readers that follow this push, e.g. open event streams. */
  readonly notify = (pushId: string): void => {
    for (const wake of this.listeners.get(pushId) ?? []) wake()
  }

  /** Resolves at the next notification about the push, after the poll interval, or when the signal aborts. */
  wait(pushId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listeners = this.listeners.get(pushId) ?? new Set()
      this.listeners.set(pushId, listeners)
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        listeners.delete(done)
        if (listeners.size === 0) this.listeners.delete(pushId)
        resolve()
      }
      const timer = setTimeout(done, pollMs)
      listeners.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(ms, maxPollIntervalMs), undefined, { signal }).catch(() => undefined)
}

const endStates: ReadonlySet<PushState> = new Set(['applied', 'failed', 'abandoned', 'interrupted'])

/** Yields the present state of a push first, then each change, until the push ends or the signal aborts. */
export async function* followPush(
  deps: Pick<SyncDeps, 'store'>,
  bus: PushBus,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<PushEvent> {
  const told = new Map<number, string>()
  let last = ''
  let latest = 0
  for (;;) {
    // Registers for notifications before the read, so that no change in between is missed.
    const woken = bus.wait(id, signal)
    const began = performance.now()
    const push = await findPushHead(deps, id)
    const counts = { pushId: id, stepsDone: push.stepsDone, stepsTotal: push.stepsTotal }
    const state = await liveState(deps, push)
    const now = `${state} ${String(push.stepsDone)}`
    const changed = now !== last
    const records = changed ? await deps.store.pushes.steps(id, Math.max(0, latest - overlapMs)) : []
    const spentMs = performance.now() - began
    if (last === '') yield { type: 'state', ...counts, state }
    for (const record of records) {
      latest = Math.max(latest, record.beganAt ?? 0, record.endedAt ?? 0)
      if (record.state === 'pending' || told.get(record.index) === record.state) continue
      told.set(record.index, record.state)
      yield { type: 'step', ...counts, step: stepView(record) }
    }
    if (changed && last !== '') yield { type: 'state', ...counts, state }
    last = now
    if (endStates.has(state) || signal.aborted) return
    await Promise.all([woken, pause(spentMs * (1 / share - 1), signal)])
  }
}
