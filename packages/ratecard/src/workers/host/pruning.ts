import type { Store } from '../../store/store.ts'

const everyMs = 60_000
const logLines = 20_000
const logBytes = 32 * 1024 * 1024
const batch = 5_000
const runsKeptMs = 30 * 24 * 60 * 60_000

/** Forgets old logs and runs, a batch a minute, until the returned function is called. */
export function startPruning(deps: {
  readonly store: Pick<Store, 'workers' | 'workerLogs' | 'workerRuns'>
  readonly logRetentionMs: number
  readonly report: (error: unknown, what: string) => void
}): () => void {
  const { store, logRetentionMs, report } = deps
  const prune = async () => {
    const now = await store.workers.now()
    await store.workerLogs.prune({ since: now - logRetentionMs, lines: logLines, bytes: logBytes }, batch)
    await store.workerRuns.prune(now - runsKeptMs, batch)
  }
  const timer = setInterval(() => {
    prune().catch((error: unknown) => {
      report(error, 'old logs of workers')
    })
  }, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
  }
}
