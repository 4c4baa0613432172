// Continues waiting jobs, and does other scheduled work, once it is due. Checks at least once a minute. Every replica does this; a lease
// ensures that only one replica does each piece of work. Jobs that stopped for another reason than a date are left to an operator.
import type { JobDeps } from './deps.ts'
import type { ResumableKind } from '../kinds.ts'
import type { StepRunners } from './jobs.ts'
import { continueJob } from './run-job.ts'

export interface WaitingJobs {
  /**
   * Continues all jobs that are due. Resolves when each of them has stopped again. Rejects if the due jobs could not be read, or if one of
   * them failed.
   */
  continueDue(): Promise<void>
  /**
   * Continues due jobs now, and then every minute or at the next due date, whichever comes first. The timer does not keep the process
   * alive. Failures are passed to `report`.
   */
  start(report: (error: unknown) => void): void
  /** Determines the next due date again. Call it after adding work, because the new work may be due earlier. */
  wake(): void
  /** Stops continuing due jobs. A job that is already running continues; it stops between two steps when the process shuts down. */
  stop(): void
}

const everyMs = 60_000

/** Waiting work that is no job, e.g. a deal that ends at a date. */
export interface OtherWork {
  /** Does all work of this kind that is due. Failures of single parts are passed to `report`. */
  continueDue(report: (error: unknown) => void): Promise<void>
  /**
   * Returns the next date (epoch milliseconds) at which work is due; null if no date is known. The loop checks after a minute at the latest
   * anyway.
   */
  nextAt?(): Promise<number | null>
}

/** Creates the loop. It checks every minute, and earlier if one of the `others` has an earlier due date. */
export function createWaitingJobs(deps: JobDeps, resumed: StepRunners, others: readonly OtherWork[]): WaitingJobs {
  let timer: NodeJS.Timeout | undefined
  let started = false
  let report: (error: unknown) => void = () => undefined

  const doDueNow = async (failed: (error: unknown) => void) => {
    await continueDue(deps, resumed, failed).catch(failed)
    for (const work of others) await work.continueDue(failed).catch(failed)
  }
  // Rounds of due work run one after the other. Example: the loop is ending a deal when the sandbox's clock asks for what is due. Beside it, the
  // second round would find the lease of deals taken, and resolve before the deal has ended.
  let doing: Promise<void> | null = null
  const doDue = (failed: (error: unknown) => void): Promise<void> => {
    const work = doing === null ? doDueNow(failed) : doing.then(() => doDueNow(failed))
    doing = work
    return work.finally(() => {
      if (doing === work) doing = null
    })
  }
  const loop = async () => {
    await doDue(report)
    await sleep()
  }
  const sleep = async () => {
    const now = deps.clock.now()
    const pauseMs = Math.min(...(await Promise.all(others.map((work) => pauseOf(work, now, report)))), everyMs)
    clearTimeout(timer)
    if (started) timer = setTimeout(() => deps.background(loop()), pauseMs).unref()
  }
  return {
    continueDue: async () => {
      const failures: unknown[] = []
      await doDue((error) => failures.push(error))
      if (failures.length > 0) throw new AggregateError(failures, 'Not every job that was due could be continued.')
    },
    start: (failed) => {
      if (started) return
      started = true
      report = failed
      deps.background(loop())
    },
    wake: () => {
      // A loop that is at work looks for the next date itself.
      if (started && timer !== undefined) deps.background(sleep())
    },
    stop: () => {
      started = false
      clearTimeout(timer)
    },
  }
}

/**
 * Returns the time (ms) to wait before checking the work again: until its next due date, but at most one minute. It is one minute if the
 * due date cannot be read (which is reported) or has already passed, because then the last attempt failed.
 */
async function pauseOf(work: OtherWork, now: number, report: (error: unknown) => void): Promise<number> {
  try {
    const next = (await work.nextAt?.()) ?? null
    return next === null || next <= now ? everyMs : next - now
  } catch (error) {
    report(error)
    return everyMs
  }
}

async function continueDue(deps: JobDeps, resumed: StepRunners, report: (error: unknown) => void): Promise<void> {
  const due = await deps.store.jobs.due(deps.clock.now())
  if (due.length === 0) return
  await deps.assertAccount('write')
  for (const job of due) {
    if (deps.shutdown.aborted) return
    const runner = resumed[job.kind as ResumableKind] as StepRunners[ResumableKind] | undefined
    if (runner === undefined) continue
    try {
      await continueJob(deps, job.id, runner(job))
    } catch (error) {
      report(error)
    }
  }
}
