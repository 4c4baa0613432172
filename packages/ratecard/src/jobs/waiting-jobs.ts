// Goes on with jobs whose date has come, one pass a minute and one job at a time. Every replica does; the lease of a job lets
// one of them through. A job that stopped for another reason than a date is left to whoever looks at it.
import { ServiceError } from '../errors/service-error.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import type { StepRunners } from './jobs.ts'
import { continueJob } from './run-job.ts'

export interface WaitingJobs {
  /** One pass: resolves when every job that was due stopped again. Rejects when it cannot be known what is due. */
  continueDue(): Promise<void>
  /** Makes a pass now and a minute after each one; the process does not stay alive for it. What fails is told to `report`. */
  start(report: (error: unknown) => void): void
  /** No further pass begins. One that runs ends between two steps when the process drains. */
  stop(): void
}

const everyMs = 60_000

/** `others`: what else waits for a date, with a pass of its own. */
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

/** Another replica goes on with it, or somebody resumed it. */
function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'push_in_progress'
}
