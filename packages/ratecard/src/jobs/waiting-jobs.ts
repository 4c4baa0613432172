// Continues jobs whose date has come, once a minute and one job after the other. Every replica does this; the lease of a job lets only one
// of them continue it. A job that stopped for another reason is left to an operator.
import { ServiceError } from '../errors/service-error.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import type { StepRunners } from './jobs.ts'
import { continueJob } from './run-job.ts'

export interface WaitingJobs {
  /**
   * Continues all jobs that are due. Resolves when each of them has stopped again. Rejects if the due jobs could not be read, or if one of
   * them failed.
   */
  continueDue(): Promise<void>
  /**
   * Continues due jobs now, and again one minute after each run. The timer does not keep the process alive. Failures are passed to
   * `report`.
   */
  start(report: (error: unknown) => void): void
  /** Stops continuing due jobs. A job that is running ends between two steps when the process shuts down. */
  stop(): void
}

const everyMs = 60_000

/** Creates the loop. `others` is a second task that continues other waiting work (e.g. webhook rotations) each time. */
export function createWaitingJobs(deps: SwapDeps, resumed: StepRunners, others: () => Promise<void>): WaitingJobs {
  let timer: NodeJS.Timeout | undefined
  let started = false

  const loop = async (report: (error: unknown) => void) => {
    await continueDue(deps, resumed, report).catch(report)
    await others().catch(report)
    if (started) timer = setTimeout(() => deps.background(loop(report)), everyMs).unref()
  }
  return {
    continueDue: async () => {
      const failures: unknown[] = []
      await continueDue(deps, resumed, (error) => failures.push(error))
      await others().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw new AggregateError(failures, 'Not every job that was due could go on.')
    },
    start: (report) => {
      if (started) return
      started = true
      deps.background(loop(report))
    },
    stop: () => {
      started = false
      clearTimeout(timer)
    },
  }
}

async function continueDue(deps: SwapDeps, resumed: StepRunners, report: (error: unknown) => void): Promise<void> {
  const due = await deps.store.jobs.due(deps.clock.now())
  if (due.length === 0) return
  await deps.assertAccount('write')
  for (const job of due) {
    if (deps.shutdown.aborted) return
    if (job.kind === 'enterprise_apply' || job.kind === 'webhook_rotation') continue
    try {
      await continueJob(deps, job.id, resumed[job.kind](job))
    } catch (error) {
      if (!isTaken(error)) report(error)
    }
  }
}

/** True if another process holds the job's lease, e.g. because that replica continues the job, or a user resumed the job there. */
function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'push_in_progress'
}
