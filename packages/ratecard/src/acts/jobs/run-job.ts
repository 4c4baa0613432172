// Runs a journalled job until it is done, is cancelled, or cannot continue. Its steps are independent and run with limited concurrency.
// Each step is written to the journal before it begins and after it ended. If a step fails, the failure is stored and the other steps
// continue. A job that waits for a date continues automatically at that date. A job that was interrupted or cancelled continues only on
// request.
import { toRfc3339 } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ProblemCode } from '../../base/errors/codes.ts'
import { openAct, type NewAct } from '../act.ts'
import { attemptStep, failureText, runSteps, stopIfDraining } from '../journal/run-steps.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import { jobLease, type TenantLease } from '../lease.ts'
import type { JobDeps } from './deps.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Result of a step. `waiting` means that the step cannot run yet and must be retried when the job continues after `until` (epoch
 * milliseconds).
 */
export type StepOutcome =
  | { readonly state: 'succeeded' | 'skipped'; readonly result: Json }
  | { readonly state: 'waiting'; readonly until: number }

export interface StepJournal {
  readonly jobId: string
  readonly index: number
  readonly attempt: number
  readonly signal: AbortSignal
  /** Called before a write is sent, with the content of the write. The content is stored, so that another process can retry the write. */
  readonly sending: (sent: Json) => Promise<void>
}

/** Executes one step. An earlier attempt may already have had its effect, which this function must detect itself. */
export type DoStep = (step: Json, journal: StepJournal) => Promise<StepOutcome>

/**
 * Maximum number of steps that run at a time. 24 steps use up the rate limit of 23 calls a second even if each call takes a second. If the
 * processor responds faster, the rate limit delays the steps.
 */
const concurrency = 24
/** Maximum number of consecutive systemic failures (e.g. the processor is unavailable) before the job stops with an error. */
const maxConsecutiveFailures = 5
/**
 * Delay (ms) before the retry of a step that waits for the renewal of a subscription, if the renewal is already overdue at the processor.
 */
const retryDelayMs = 10 * 60_000

const fatalCodes: readonly ProblemCode[] = [
  'shutting_down',
  'processor_unauthorized',
  'store_unavailable',
  'push_in_progress',
]
const transientCodes: readonly ProblemCode[] = ['shutting_down', 'store_unavailable']
const systemicCodes: readonly ProblemCode[] = ['processor_unavailable', 'processor_rate_limited', 'processor_timeout']

/** Starts a job, which then runs in the background. Resolves when the job is in the journal. */
export function startJob(deps: JobDeps, job: Omit<NewAct<Json>, 'id'>, doStep: DoStep): Promise<JobRecord> {
  const id = deps.newId()
  const asGiven = { record: (step: Json) => step }
  return inBackground(deps, id, doStep, (lease) => openAct(deps, asGiven, { ...job, id }, lease))
}

/**
 * Resumes a stopped job in the background. Failed and begun steps are retried, and waiting steps are checked again. Resolves when the job
 * is running.
 */
export function resumeJob(deps: JobDeps, id: string, doStep: DoStep): Promise<JobRecord> {
  return inBackground(deps, id, doStep, async ({ token }) => {
    await deps.store.jobs.resume(id, token)
    return findOpened(deps, id)
  })
}

async function findOpened({ store }: JobDeps, id: string): Promise<JobRecord> {
  const job = await store.jobs.find(id)
  if (job === null) throw new ServiceError('job_not_found', `There is no job "${id}".`)
  return job
}

/**
 * Continues a waiting job if its date has come and no other replica has taken it. Resolves when the job stops again. After a transient
 * failure (e.g. a shutdown, or the processor is unavailable) the job waits again instead of failing, because no user watches it.
 */
export async function continueJob(deps: JobDeps, id: string, doStep: DoStep): Promise<void> {
  await deps.store.tryExclusively(jobLease(id), async (lease) => {
    const job = await deps.store.jobs.find(id)
    if (job === null || job.resumesAt === null || job.resumesAt > deps.clock.now()) return
    await deps.store.jobs.resume(id, lease.token)
    await run(deps, id, doStep, { lease, unattended: true })
  })
}

function inBackground(
  deps: JobDeps,
  id: string,
  doStep: DoStep,
  begin: (lease: TenantLease) => Promise<JobRecord>,
): Promise<JobRecord> {
  return new Promise((resolve, reject) => {
    const work = deps.store.exclusively(jobLease(id), async (lease) => {
      resolve(await begin(lease))
      await run(deps, id, doStep, { lease, unattended: false })
    })
    // After the job has started, its failure does not reject the promise, because the journal contains the failure.
    deps.background(work.catch(reject))
  })
}

interface JobRun {
  readonly lease: TenantLease
  /**
   * True if the service itself (not a user) continued the job. Then steps that wait for a date are skipped until that date. Otherwise each
   * attempt would read the subscriptions of all waiting steps.
   */
  readonly unattended: boolean
}

/** Thrown when a cancellation of the job was requested. */
class JobCancelledError extends Error {
  override readonly name = 'Cancelled'
}

async function run(deps: JobDeps, id: string, doStep: DoStep, { lease, unattended }: JobRun): Promise<void> {
  const { jobs } = deps.store
  const job = await findOpened(deps, id)
  const open = (await jobs.steps(id)).filter(({ state }) => state !== 'succeeded' && state !== 'skipped')
  const now = deps.clock.now()
  const wakesAt = ({ waitsUntil }: JobStepRecord) => (unattended ? (waitsUntil ?? 0) : 0)
  const ready = open.filter((record) => wakesAt(record) <= now)
  const times = open.filter((record) => wakesAt(record) > now).map(wakesAt)
  const failures = { inRow: 0 }
  const stop = await runSteps(ready, concurrency, async (record) => {
    try {
      stopIfDraining(deps)
      lease.signal.throwIfAborted()
      if (await jobs.cancelRequested(id)) throw new JobCancelledError()
      if (await deps.settleOwn(job, record, lease)) return
      const until = await runStep(deps, record, doStep, lease)
      if (until !== null) times.push(until)
      failures.inRow = 0
    } catch (error) {
      if (isSystemic(error)) failures.inRow += 1
      if (isFatal(error) || failures.inRow >= maxConsecutiveFailures) throw error
    }
  }).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  if (stop === null) await endWithoutStop(deps, id, Math.min(...times), lease)
  else if (stop.error instanceof JobCancelledError) await jobs.end(id, 'cancelled', null, lease.token)
  else await endStopped(deps, id, stop.error, { lease, unattended })
}

/** Executes a step. Returns the time (epoch milliseconds) until which the step waits; null if it does not wait. */
function runStep(deps: JobDeps, record: JobStepRecord, doStep: DoStep, lease: TenantLease): Promise<number | null> {
  const { jobs } = deps.store
  const { jobId, index } = record
  let sent: string | null = null
  const sending = (what: Json) => {
    sent = JSON.stringify(what)
    return jobs.sending(jobId, index, sent, lease.token)
  }
  return attemptStep<JobStepRecord, StepOutcome, number | null>({
    begin: () => jobs.begin(jobId, index, lease.token),
    send: ({ attempts }) =>
      doStep(JSON.parse(record.step) as Json, { jobId, index, attempt: attempts, signal: lease.signal, sending }),
    succeeded: async (done) => {
      if (done.state !== 'waiting') {
        const result = JSON.stringify(done.result)
        await jobs.settle(jobId, index, { state: done.state, result, error: null }, lease.token)
        return null
      }
      // The processor may execute a renewal late. So the step is retried at the earliest `retryDelayMs` from now.
      const waitsUntil = Math.max(done.until, deps.clock.now() + retryDelayMs)
      await jobs.settle(jobId, index, { state: 'pending', result: null, error: null, waitsUntil }, lease.token)
      return waitsUntil
    },
    failed: async (error) => {
      if (!(error instanceof ServiceError)) throw error
      const state = isOutcomeUnknown(error, sent !== null) ? 'unknown' : isFatal(error) ? 'pending' : 'failed'
      const result = state === 'unknown' ? sent : null
      await jobs.settle(jobId, index, { state, result, error: problemText(error) }, lease.token)
      throw error
    },
  })
}

/**
 * True if the step may have been executed although it failed. A step without a request to the processor may have been executed only after a
 * timeout. A step with a request may have been executed unless the processor refused it, or this process shut down before sending it.
 */
function isOutcomeUnknown({ code, cause }: ServiceError, sent: boolean): boolean {
  if (!sent) return code === 'processor_timeout'
  return cause instanceof ProcessorError ? cause.outcomeUnknown : code !== 'shutting_down'
}

async function endStopped(deps: JobDeps, id: string, error: unknown, { lease, unattended }: JobRun): Promise<void> {
  const { jobs } = deps.store
  const draining = error instanceof ServiceError && error.code === 'shutting_down'
  if (!unattended || !isTransient(error))
    return jobs.end(id, draining ? 'interrupted' : 'failed', problemText(error), lease.token)
  const until = deps.clock.now() + (draining ? 0 : retryDelayMs)
  return jobs.wait(id, until, problemText(error), lease.token)
}

async function endWithoutStop(
  { store: { jobs } }: JobDeps,
  id: string,
  until: number,
  lease: TenantLease,
): Promise<void> {
  const left = (await jobs.steps(id)).filter(({ state }) => state !== 'succeeded' && state !== 'skipped')
  const waiting = left.filter(({ state }) => state === 'pending').length
  if (left.length === 0) return jobs.end(id, 'done', null, lease.token)
  if (waiting > 0) return jobs.wait(id, until, restOf(waiting, left.length - waiting, until), lease.token)
  const error = { detail: `${countSteps(left.length)} failed; resume the job to try again.` }
  return jobs.end(id, 'failed', JSON.stringify(error), lease.token)
}

/** Returns the message of a waiting job, as JSON. It counts waiting and failed steps; failed steps are retried at the same date. */
function restOf(waiting: number, failed: number, until: number): string {
  const said = [
    `${countSteps(waiting)} must wait; the service continues on its own after ${toRfc3339(until)}.`,
    ...(failed > 0 ? [`${countSteps(failed)} failed; they are retried then, or when the job is resumed.`] : []),
  ]
  return JSON.stringify({ detail: said.join(' ') })
}

const countSteps = (count: number) => `${String(count)} ${count === 1 ? 'step' : 'steps'}`

function isTransient(error: unknown): boolean {
  return isSystemic(error) || (error instanceof ServiceError && transientCodes.includes(error.code))
}

/** True for errors after which all further steps would fail too. This includes bugs (errors other than ServiceError). */
function isFatal(error: unknown): boolean {
  return !(error instanceof ServiceError) || fatalCodes.includes(error.code)
}

function isSystemic(error: unknown): boolean {
  return error instanceof ServiceError && systemicCodes.includes(error.code)
}

function problemText(error: unknown): string {
  const unforeseen = JSON.stringify({ code: 'internal', detail: 'Something went wrong on our side.' })
  return error instanceof ServiceError ? (failureText(error, error.extra) ?? unforeseen) : unforeseen
}
