// Deletes old logs and runs of workers every minute, in small steps with pauses between the steps.
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../../store/store.ts'

const everyMs = 60_000
const runsKeptMs = 30 * 24 * 60 * 60_000
const runsPerStep = 200
/** Pause (ms) between two steps, so that the database has most of its time for requests. */
const pauseMs = 20

/** Starts pruning at once and repeats it every minute. Returns a function that stops it. */
export function startPruning(deps: {
  readonly store: Pick<Store, 'workers' | 'workerLogs' | 'workerRuns'>
  readonly logRetentionMs: number
  readonly report: (error: unknown, what: string) => void
}): () => void {
  const { store, logRetentionMs, report } = deps
  const stop = new AbortController()
  const { signal } = stop
  const prune = async () => {
    const now = await store.workers.now()
    const workers = (await store.workers.list()).map(({ name }) => name)
    const present = { workers, now, since: now - logRetentionMs }
    while (await store.workerLogs.tidy(present)) await pause(pauseMs, undefined, { signal, ref: false })
    for (const worker of workers)
      while ((await store.workerRuns.prune(worker, now - runsKeptMs, runsPerStep)) === runsPerStep)
        await pause(pauseMs, undefined, { signal, ref: false })
  }
  const repeat = async () => {
    while (!signal.aborted) {
      await prune().catch((error: unknown) => {
        if (!signal.aborted) report(error, 'old logs of workers')
      })
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  void repeat()
  return () => {
    stop.abort()
  }
}
