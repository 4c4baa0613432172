// Runs a journalled job of many independent steps, a few at a time, until it is done, told to stop, or cannot go on.
// Each step is journalled before it begins and after it ended; one that fails is recorded and the others go on.
// A job whose process died or that was told to stop is never taken up by itself; one that waits for a date is, when it comes.
import { toRfc3339 } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import type { JobRecord, JobStepRecord, NewJob } from '../store/tenant-store.ts'
import { stopIfDraining } from '../tenants/lease.ts'
import type { Held } from '../tenants/lease.ts'
import { jobLease } from './deps.ts'
import type { SwapDeps } from './deps.ts'
import { dueJobs, stepWaitsUntil } from './waiting.ts'

type Json = Readonly<Record<string, unknown>>

/** `waiting`: it is too early for the step; it comes again when the job goes on after that time (epoch milliseconds). */
export type StepOutcome =
  | { readonly state: 'succeeded' | 'skipped'; readonly result: Json }
  | { readonly state: 'waiting'; readonly until: number }

/** Does one step. It must find out for itself what an earlier attempt did: a step that was begun may come again. */
export type DoStep = (
  step: Json,
  journal: { readonly jobId: string; readonly index: number; readonly attempt: number; readonly signal: AbortSignal },
) => Promise<StepOutcome>

/** In flight at once: fills the rate budget of 23 calls a second up to a second for each call. The budget holds them back where the processor is faster. */
const width = 24
/** A processor that fails this often in a row is not asked a thousand times more. */
const mostFailures = 5
/** Between two looks at what should have happened at the processor, and did not yet. */
const lookAgainMs = 10 * 60_000

const stopping: readonly ProblemCode[] = [
  'shutting_down',
  'processor_unauthorized',
  'store_unavailable',
  'push_in_progress',
]
const passing: readonly ProblemCode[] = ['shutting_down', 'store_unavailable']
const systemic: readonly ProblemCode[] = ['processor_unavailable', 'processor_rate_limited', 'processor_timeout']

/** Resolves when the job is journalled; it then runs in the background. */
export function startJob(deps: SwapDeps, job: Omit<NewJob, 'id' | 'createdAt'>, doStep: DoStep): Promise<JobRecord> {
  const id = deps.newId()
  return inBackground(deps, id, doStep, ({ token }) =>
    deps.store.jobs.open({ ...job, id, createdAt: deps.clock.now() }, token),
  )
}

/** The same for a job that stopped: what failed and what was begun is done again, and what waits is looked at again. */
export function resumeJob(deps: SwapDeps, id: string, doStep: DoStep): Promise<JobRecord> {
  return inBackground(deps, id, doStep, async ({ token }) => {
    await deps.store.jobs.resume(id, token)
    const job = await deps.store.jobs.find(id)
    if (job === null) throw new ServiceError('job_not_found', `There is no job "${id}".`)
    return job
  })
}

/**
 * The same for a job that waits, if its time has come and nobody was faster; resolves when it stopped again. Nobody looks
 * on: what passes by itself, the end of this process or a processor that is away, makes it wait again.
 */
export async function continueJob(deps: SwapDeps, id: string, doStep: DoStep): Promise<void> {
  await deps.store.exclusively(jobLease(id), async (held) => {
    const job = await deps.store.jobs.find(id)
    if (job === null || dueJobs([job], deps.clock.now()).length === 0) return
    await deps.store.jobs.resume(id, held.token)
    await run(deps, id, doStep, { held, unattended: true })
  })
}

function inBackground(
  deps: SwapDeps,
  id: string,
  doStep: DoStep,
  begin: (held: Held) => Promise<JobRecord>,
): Promise<JobRecord> {
  return new Promise((resolve, reject) => {
    const work = deps.store.exclusively(jobLease(id), async (held) => {
      resolve(await begin(held))
      await run(deps, id, doStep, { held, unattended: false })
    })
    // After it is journalled, the journal says what became of it.
    deps.background(work.catch(reject))
  })
}

interface Run {
  readonly held: Held
  /** It goes on by itself: what is known to wait is not asked about before its time, or each pass would ask about everything. */
  readonly unattended: boolean
}

async function run(deps: SwapDeps, id: string, doStep: DoStep, { held, unattended }: Run): Promise<void> {
  const { jobs } = deps.store
  const open = (await jobs.steps(id)).filter(({ state }) => state !== 'succeeded' && state !== 'skipped')
  const now = deps.clock.now()
  const wakesAt = (record: JobStepRecord) => (unattended ? (stepWaitsUntil(record) ?? 0) : 0)
  const queue = open.filter((record) => wakesAt(record) <= now)
  const failures: { inRow: number; stop: unknown } = { inRow: 0, stop: undefined }
  let cancelled = false
  let waitingFor = Infinity
  for (const record of open) if (wakesAt(record) > now) waitingFor = Math.min(waitingFor, wakesAt(record))
  const worker = async () => {
    for (let record = queue.shift(); record !== undefined && failures.stop === undefined; record = queue.shift()) {
      try {
        stopIfDraining(deps)
        held.signal.throwIfAborted()
        // Several run at once: what another has found meanwhile is read after the wait, not before.
        const asked = await jobs.cancelRequested(id)
        cancelled ||= asked
        if (cancelled) return
        const until = await runStep(deps, record, doStep, held)
        waitingFor = Math.min(waitingFor, until)
        failures.inRow = 0
      } catch (error) {
        if (isSystemic(error)) failures.inRow += 1
        if (stops(error) || failures.inRow >= mostFailures) failures.stop ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, worker))
  await end(deps, id, { cancelled, waitingFor, stop: failures.stop }, { held, unattended })
}

/** Until when the step waits; Infinity when it does not. */
async function runStep(deps: SwapDeps, record: JobStepRecord, doStep: DoStep, held: Held): Promise<number> {
  const { jobs } = deps.store
  const { jobId, index } = record
  const { attempts } = await jobs.begin(jobId, index, held.token)
  const settle = (
    state: 'succeeded' | 'skipped' | 'failed' | 'unknown' | 'pending',
    result: Json | null,
    error: Json | null,
  ) =>
    jobs.settle(
      jobId,
      index,
      { state, result: result && JSON.stringify(result), error: error && JSON.stringify(error) },
      held.token,
    )
  try {
    const step = JSON.parse(record.step) as Json
    const done = await doStep(step, { jobId, index, attempt: attempts, signal: held.signal })
    if (done.state === 'waiting') {
      // The processor may be late with a renewal that is due.
      const until = Math.max(done.until, deps.clock.now() + lookAgainMs)
      await settle('pending', { waits_until: toRfc3339(until) }, null)
      return until
    }
    await settle(done.state, done.result, null)
    return Infinity
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const state = stops(error) ? 'pending' : error.code === 'processor_timeout' ? 'unknown' : 'failed'
    await settle(state, null, problemOf(error))
    throw error
  }
}

interface Ending {
  readonly cancelled: boolean
  readonly waitingFor: number
  readonly stop: unknown
}

async function end(
  deps: SwapDeps,
  id: string,
  { cancelled, waitingFor, stop }: Ending,
  { held, unattended }: Run,
): Promise<void> {
  const { jobs } = deps.store
  if (stop !== undefined) {
    const draining = stop instanceof ServiceError && stop.code === 'shutting_down'
    const again = unattended && passesByItself(stop)
    const resumeAt = deps.clock.now() + (draining ? 0 : lookAgainMs)
    const error = { ...problemOf(stop), ...(again ? { resume_after: toRfc3339(resumeAt) } : {}) }
    await jobs.end(id, draining || again ? 'interrupted' : 'failed', JSON.stringify(error), held.token)
    return
  }
  if (cancelled) {
    await jobs.end(id, 'cancelled', null, held.token)
    return
  }
  const left = (await jobs.steps(id)).filter(({ state }) => state !== 'succeeded' && state !== 'skipped')
  const waiting = left.filter(({ state }) => state === 'pending').length
  if (left.length === 0) await jobs.end(id, 'done', null, held.token)
  else if (waiting === 0) {
    const error = { detail: `${steps(left.length)} failed; resume the job to try again.` }
    await jobs.end(id, 'failed', JSON.stringify(error), held.token)
  } else {
    const error = restOf(waiting, left.length - waiting, toRfc3339(waitingFor))
    await jobs.end(id, 'interrupted', JSON.stringify(error), held.token)
  }
}

/** A step that failed must not keep the others from their date. */
function restOf(waiting: number, failed: number, after: string): Json {
  const said = [
    `${steps(waiting)} of it must wait; the service goes on by itself after ${after}.`,
    ...(failed > 0 ? [`${steps(failed)} failed; tried again then, or when the job is resumed.`] : []),
  ]
  return { detail: said.join(' '), resume_after: after }
}

const steps = (count: number) => `${String(count)} ${count === 1 ? 'step' : 'steps'}`

function passesByItself(error: unknown): boolean {
  return isSystemic(error) || (error instanceof ServiceError && passing.includes(error.code))
}

/** What makes every further step useless. A bug is one, too. */
function stops(error: unknown): boolean {
  return !(error instanceof ServiceError) || stopping.includes(error.code)
}

function isSystemic(error: unknown): boolean {
  return error instanceof ServiceError && systemic.includes(error.code)
}

function problemOf(error: unknown): Json {
  if (!(error instanceof ServiceError)) return { code: 'internal', detail: 'Something went wrong on our side.' }
  const { code, message, processor, extra } = error
  return { code, detail: message, ...(processor === undefined ? {} : { processor }), ...extra }
}
