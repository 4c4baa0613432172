// Executes a change as a journalled job under the tenant's lease. Its steps run in order. If the response of a step is lost, the
// subscription is read to find the outcome. If the process died during a step, late-swaps.ts finds the outcome before the tenant's next
// change.
import { toRfc3339 } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { openAct, runStep } from '../../acts/act.ts'
import { failureText, stopIfDraining } from '../../acts/journal/run-steps.ts'
import {
  changeAct,
  fromJournal,
  journalRecord,
  recordedChange,
  recordedResult,
  type ChangeDone,
  type ChangeStep,
} from '../item-swaps/change-step.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { ChangeableSubscription, ReleasedSchedule } from '../../processor/subscription-change.ts'
import { byOf } from '../../store/records/actor.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'
import type { AuditAction, PlannedFreeRecord, TenantRecord } from '../../store/records/tenants.ts'
import { actRow } from '../tenants/audit.ts'
import { withTenantLease, type TenantLease } from '../../acts/lease.ts'
import { settleLateSwaps } from '../item-swaps/late-swaps.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { archivedIn } from '../item-swaps/price-book.ts'
import { holdCodes } from '../checkout/once-per-tenant.ts'
import {
  addTakenOff,
  forgetCancellation,
  storeDecided,
  scheduledText,
  type SubscriptionDecisions,
} from './decisions.ts'
import type { SetAsideSchedule } from './decide/decision.ts'
import { decidePutBack } from './decide/set-aside.ts'
import type { Caller } from '../../api/notation/callers.ts'

/** What a job changes. `put_back` schedules again what a change took off that was not made. */
export type ChangeAct = 'change' | 'cancel' | 'resume' | 'pause' | 'put_back'

export interface ChangeRun {
  readonly tenantId: string
  readonly act: ChangeAct
  readonly subscription: string
  /** Further data for the job and the audit trail, with the names of the API. */
  readonly about: Readonly<Record<string, unknown>>
  readonly steps: readonly ChangeStep[]
  readonly caller: Caller
  /** True if a session of the tenant asked for it, which may undo it later. */
  readonly bySession: boolean
  readonly lease: TenantLease
  /** Free subscription that begins when the steps have ended the paid one. */
  readonly plannedFree?: PlannedFreeRecord | null
  /** Schedule that the first step releases, and that is put back if the change is not made. */
  readonly setAside?: SetAsideSchedule | null
  /** Called when the job is in the journal, before its first step. */
  readonly opened?: (jobId: string) => Promise<void>
}

/** Data of a job beside its steps. */
interface JobInput extends Pick<ChangeRun, 'act' | 'subscription' | 'about'> {
  readonly planned_free?: Readonly<Record<string, unknown>> | null
  readonly set_aside?: Readonly<Record<string, unknown>> | null
  readonly by_session?: boolean
  /** Deal of the tenant when the schedule was taken off. */
  readonly deal?: string
}

const inputOf = ({ input }: JobRecord) => {
  const {
    act,
    subscription,
    about,
    planned_free: free = null,
    set_aside: aside = null,
    by_session: bySession = false,
    deal = '',
  } = JSON.parse(input) as JobInput
  return {
    ...{ act, subscription, about, bySession, deal },
    plannedFree: fromJournal(free) as PlannedFreeRecord | null,
    setAside: setAsideIn(fromJournal(aside)),
  }
}

/** Version 0.1 kept the schedule itself, with its time in it. */
function setAsideIn(recorded: unknown): SetAsideSchedule | null {
  const kept = recorded as (SetAsideSchedule & { readonly schedule?: { readonly at: number } }) | null
  if (kept === null) return null
  const { from, at, codes = [], then, schedule } = kept
  return {
    ...{ from, at: schedule?.at ?? at },
    ...(codes.length === 0 ? {} : { codes }),
    ...(then === undefined ? {} : { then }),
  }
}

/** Returns the tenant's deal as text, so that a later one can be compared with it. */
export async function dealOf({ store }: SwapDeps, tenantId: string): Promise<string> {
  const tenant = await store.tenants.find(tenantId)
  return JSON.stringify([tenant?.enterpriseTemplate ?? null, tenant?.enterpriseId ?? null])
}

/** Time (ms) after which the service tries again to put a schedule back, if no later time is known. */
export const putBackEveryMs = 5 * 60_000

/**
 * Executes the steps of a change one after the other. Returns the result of the last step, or throws the error of the first step that
 * fails.
 */
export async function runChange(deps: SwapDeps, run: ChangeRun): Promise<ChangeDone> {
  const { tenantId, act, subscription, about, caller, bySession, lease, plannedFree = null, setAside = null } = run
  const { jobs } = deps.store
  const id = deps.newId()
  for (const unfinished of await jobs.unfinished('subscription_change', tenantId)) {
    // Its schedule may have to be put back, also if this change is refused.
    if (inputOf(unfinished).setAside !== null) continue
    const error = {
      detail: 'The change was interrupted and will not be continued, because a later change replaced it.',
      superseded_by: id,
    }
    await jobs.end(unfinished.id, 'cancelled', JSON.stringify(error), lease.token)
  }
  const input = {
    ...{ tenant_id: tenantId, act, subscription, about },
    ...(bySession ? { by_session: true } : {}),
    ...(plannedFree === null ? {} : { planned_free: journalRecord(plannedFree) }),
    ...(setAside === null ? {} : { set_aside: journalRecord(setAside), deal: await dealOf(deps, tenantId) }),
  }
  // Before the schedule is taken off, so that nobody takes its codes meanwhile.
  if (setAside?.codes !== undefined) await holdCodes(deps, tenantId, subscription, setAside.codes)
  const opened = { id, kind: 'subscription_change', subject: tenantId, input, steps: run.steps, caller } as const
  await openAct(deps, changeAct(deps.processor), opened, lease)
  await run.opened?.(id)
  return runRest(deps, id, lease)
}

/** Runs the steps that are not done, in order, and ends the job. */
async function runRest(deps: SwapDeps, id: string, lease: TenantLease): Promise<ChangeDone> {
  const { jobs, localSubscriptions } = deps.store
  const { plannedFree } = inputOf(await findJob(deps, id))
  const formerlyPlanned =
    plannedFree === null
      ? undefined
      : (await localSubscriptions.planned(plannedFree.tenantId)).find(
          ({ subscription }) => subscription === plannedFree.subscription,
        )
  try {
    // Planned before the processor ends the paid subscription, so that a crash in between cannot lose it.
    if (plannedFree !== null) await localSubscriptions.plan(plannedFree)
    for (const { index, step, state } of await jobs.steps(id)) {
      if (state === 'succeeded') continue
      stopIfDraining(deps)
      lease.signal.throwIfAborted()
      await runStep(deps, changeAct(deps.processor), { jobId: id, index, step: recordedChange(step) }, lease)
    }
    return await completeChange(deps, id, lease)
  } catch (error) {
    // The journal itself may have caused the failure. An error of these writes must not hide the original error.
    await endStoppedChange(deps, id, { error, formerlyPlanned }, lease).catch(() => undefined)
    throw error
  }
}

/**
 * Ends a job whose step failed. Takes back what was prepared for the change, unless a step may still take effect: the plan of a free
 * subscription, and the schedule that was taken off.
 */
async function endStoppedChange(
  deps: SwapDeps,
  id: string,
  { error, formerlyPlanned }: { readonly error: unknown; readonly formerlyPlanned: PlannedFreeRecord | undefined },
  lease: TenantLease,
): Promise<void> {
  const { jobs, localSubscriptions } = deps.store
  const { plannedFree, setAside } = inputOf(await findJob(deps, id))
  const steps = await jobs.steps(id)
  const text = failureText(error)
  // Only the journal failed: the change is made, and the next act of the tenant completes the job.
  if (isDone(steps)) return jobs.end(id, 'interrupted', text, lease.token)
  const isDraining = error instanceof ServiceError && error.code === 'shutting_down'
  const isUndecided = isDraining || steps.some(({ state }) => state === 'begun' || state === 'unknown')
  if (plannedFree !== null && !isUndecided)
    await (formerlyPlanned === undefined
      ? localSubscriptions.unplan(plannedFree.subscription)
      : localSubscriptions.plan(formerlyPlanned))
  const first = steps[0]?.state
  // A release without a response may still take effect.
  if (setAside === null || (first !== 'succeeded' && first !== 'begun' && first !== 'unknown'))
    return jobs.end(id, isUndecided ? 'interrupted' : 'failed', text, lease.token)
  const until = deps.clock.now() + putBackEveryMs
  await jobs.wait(id, until, text ?? interrupted, lease.token)
  if (!isUndecided) await putBack(deps, await findJob(deps, id), lease)
}

async function findJob({ store }: SwapDeps, id: string): Promise<JobRecord> {
  const job = await store.jobs.find(id)
  if (job === null) throw new Error(`The job ${id} does not exist`)
  return job
}

const auditActions = {
  change: 'subscription_changed',
  cancel: 'subscription_cancelled',
  resume: 'subscription_resumed',
  pause: 'subscription_paused',
  put_back: 'subscription_changed',
} as const satisfies Record<ChangeAct, AuditAction>

/**
 * Writes a job whose steps are all done to the audit trail, and ends the job. A job whose schedule comes back, or may come back because its
 * payment is missing, waits instead. A repeated call writes no second audit row. Returns the result of the last step.
 */
async function completeChange(deps: SwapDeps, id: string, lease: TenantLease): Promise<ChangeDone> {
  const { store, clock } = deps
  const job = await findJob(deps, id)
  const done = lastResult(await store.jobs.steps(id))
  const { act, subscription, about, setAside } = inputOf(job)
  const result = { subscription, job_id: id, ...about, ...(done.payment === null ? {} : { payment_required: true }) }
  await writeAuditRow(deps, job, { id, at: job.createdAt, act, result })
  const comesBack = setAside !== null && (done.payment !== null || setAside.then !== undefined)
  // The schedule is back, or gone for good; after a cancellation it may come back.
  if (done.canceledAt === undefined && !comesBack) await holdCodes(deps, job.subject, subscription, [])
  if (act === 'resume') await forgetCancellation(deps, subscription)
  else if (act !== 'put_back') await storeDecision(deps, job)
  // After a resumption the subscription does not end, and after a cancellation by the tenant no free subscription begins.
  if (act === 'cancel' || act === 'resume') await store.localSubscriptions.unplan(subscription)
  if (!comesBack) await store.jobs.end(id, 'done', null, lease.token)
  else {
    const detail = done.payment === null ? planned : unpaid
    await store.jobs.wait(id, clock.now() + putBackEveryMs, JSON.stringify({ detail }), lease.token)
  }
  return done
}

/** Remembers who decided what the steps of a job did, and the schedule that a cancellation took off. */
async function storeDecision(deps: SwapDeps, job: JobRecord): Promise<void> {
  const { subscription, bySession, setAside, deal } = inputOf(job)
  const done = (await deps.store.jobs.steps(job.id)).map(({ step, result }) => ({
    step: recordedChange(step),
    result: recordedResult(result ?? '{"payment":null}'),
  }))
  const released = done.flatMap(({ step }) => (step.op === 'release' ? [step.schedule] : []))[0]
  const more = done.map(({ step, result: { payment, canceledAt = null } }): SubscriptionDecisions => {
    if (step.op === 'settings' && step.cancellation === 'period_end') {
      const takenOff = setAside === null || released === undefined ? null : { ...setAside, released, deal }
      return { cancellation: { bySession, canceledAt, takenOff } }
    }
    // What the seller schedules is not a session's any more.
    if (!bySession) return step.op === 'schedule' ? { scheduled: '' } : {}
    if (step.op === 'schedule') return { scheduled: scheduledText(step) }
    return payment === null ? {} : { invoice: payment.invoice }
  })
  const decided = Object.assign({}, ...more) as SubscriptionDecisions
  if (Object.keys(decided).length > 0) await storeDecided(deps, subscription, decided)
  const takenOff = decided.cancellation?.takenOff ?? null
  if (takenOff !== null) await addTakenOff(deps, job.subject, subscription)
}

/** Writes a row to the audit trail. A second row with the same id is not written. */
function writeAuditRow(
  { store }: SwapDeps,
  job: JobRecord,
  { act, result, ...row }: { readonly id: string; readonly at: number; readonly act: ChangeAct; readonly result: Json },
): Promise<void> {
  return store.tenants.note(actRow(job, row, { tenantId: job.subject, action: auditActions[act], result }))
}

type Json = Readonly<Record<string, unknown>>

const interrupted = JSON.stringify({ detail: 'It was interrupted.' })
const planned = 'The change is made. What is scheduled is put back with the new quantities.'
const unpaid = 'The change waits for its payment. If it is never paid, the schedule that it took off is put back.'

const lastResult = (steps: readonly JobStepRecord[]): ChangeDone =>
  recordedResult(steps.at(-1)?.result ?? '{"payment":null}')

const isDone = (steps: readonly JobStepRecord[]) => steps.every(({ state }) => state === 'succeeded')

/**
 * Holds the tenant's lease for `work`, after what an earlier process left is settled: writes whose outcome is unknown, and jobs that only had
 * to be ended. Passes on the subscriptions that such jobs have cancelled.
 */
export function withSettledTenant<Tenant extends TenantRecord | null, T>(
  deps: SwapDeps,
  tenantId: string,
  find: () => Promise<Tenant>,
  work: (tenant: Tenant, lease: TenantLease, cancelled: readonly string[]) => Promise<T>,
): Promise<T> {
  return withTenantLease(deps, tenantId, async (lease) => {
    const tenant = await find()
    await settleLateSwaps(deps, { tenantId, customer: tenant?.processorCustomerId ?? null }, lease)
    return work(tenant, lease, await completeInterrupted(deps, tenantId, lease))
  })
}

/**
 * Completes the tenant's jobs whose steps are all done, but whose process died before it could end them. Returns the subscriptions that
 * such jobs have cancelled.
 */
async function completeInterrupted(deps: SwapDeps, tenantId: string, lease: TenantLease): Promise<readonly string[]> {
  const { jobs } = deps.store
  const cancelled: string[] = []
  for (const job of await jobs.unfinished('subscription_change', tenantId)) {
    if (!isDone(await jobs.steps(job.id))) continue
    await completeChange(deps, job.id, lease)
    const { act, subscription } = inputOf(job)
    if (act === 'cancel') cancelled.push(subscription)
  }
  return cancelled
}

/**
 * Returns the result of a job. If its process died between two steps, executes the remaining steps first. Returns null if no step was
 * executed, if a later change replaced the job, or if it was undone because a step failed.
 */
export async function finishJob(deps: SwapDeps, jobId: string, lease: TenantLease): Promise<ChangeDone | null> {
  const { jobs } = deps.store
  const [job, steps] = await Promise.all([jobs.find(jobId), jobs.steps(jobId)])
  if (
    job === null ||
    job.state === 'cancelled' ||
    job.state === 'failed' ||
    steps.every(({ state }) => state !== 'succeeded')
  )
    return null
  if (job.state === 'done' || (job.state === 'waiting' && isDone(steps))) return lastResult(steps)
  const { setAside, subscription } = inputOf(job)
  if (setAside !== null) {
    // The schedule is back already, e.g. because the process died just after that. The change is decided anew, from what is there.
    const state = await askProcessor(lease.signal, () => deps.processor.changeable(subscription, lease.signal))
    if (state === null || state.subscription.schedule !== null) return null
  }
  if (job.state !== 'running') await jobs.resume(jobId, lease.token)
  return runRest(deps, jobId, lease)
}

/**
 * Puts the tenant's schedules back that were taken off for a change of quantities, or for a change that was not made: because its invoice was
 * never paid, or because the process died before it. The caller holds the tenant's lease and has settled its late writes. Returns the reasons why schedules cannot be
 * put back at all; the audit trail has them, too. Throws if one cannot be put back now, e.g. because the processor is unavailable.
 */
export async function putBackSchedules(
  deps: SwapDeps,
  tenantId: string,
  lease: TenantLease,
): Promise<readonly ServiceError[]> {
  const refusals: ServiceError[] = []
  for (const job of await unfinishedSetAsides(deps, tenantId)) {
    const refusal = await putBack(deps, job, lease)
    if (refusal !== null) refusals.push(refusal)
  }
  return refusals
}

/**
 * Calls {@link putBackSchedules} after an act that succeeded, e.g. a `resume` that gave up an unpaid upgrade. Ignores its `ServiceError`s,
 * because an error response would hide the success: the caller would send `resume` again, and that would also remove the schedule that was
 * put back. The job of a schedule that is not back stays unfinished; `putBackDue` tries it again and reports its failure.
 */
export async function putBackAfterAct(deps: SwapDeps, tenantId: string, lease: TenantLease): Promise<void> {
  await putBackSchedules(deps, tenantId, lease).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
  })
}

/** Returns the unfinished jobs (of all tenants, or of one) that have taken a schedule off. */
export async function unfinishedSetAsides({ store }: SwapDeps, tenantId?: string): Promise<readonly JobRecord[]> {
  const unfinished = await store.jobs.unfinished('subscription_change', tenantId)
  return unfinished.filter((job) => inputOf(job).setAside !== null)
}

/** Puts one schedule back. Returns the reason if that is impossible, also later; the job has failed then. */
async function putBack(deps: SwapDeps, job: JobRecord, lease: TenantLease): Promise<ServiceError | null> {
  const refusal = await tryPutBack(deps, job, lease).catch((error: unknown) => {
    // The processor would refuse it again, e.g. because a promotion code has expired.
    const codes: readonly string[] = ['processor_rejected', 'processor_broken']
    if (error instanceof ServiceError && codes.includes(error.code)) return error
    throw error
  })
  if (refusal === null) return null
  const { subscription, setAside } = inputOf(job)
  const detail = `The scheduled change was not put back: ${refusal.message}`
  const at = setAside === null ? null : toRfc3339(setAside.at)
  await holdCodes(deps, job.subject, subscription, [])
  const result = { subscription, job_id: job.id, put_back: false, scheduled_at: at, detail }
  await writeAuditRow(deps, job, { id: deps.newId(), at: deps.clock.now(), act: 'put_back', result })
  await deps.store.jobs.end(job.id, 'failed', failureText(refusal, { detail }), lease.token)
  return new ServiceError(refusal.code, `${detail} (tenant ${job.subject}, subscription ${subscription})`, {
    cause: refusal,
  })
}

/** Returns null if the schedule is back, if there is nothing to put back, or if the job still waits. */
async function tryPutBack(deps: SwapDeps, job: JobRecord, lease: TenantLease): Promise<ServiceError | null> {
  const { store, processor, clock } = deps
  const { subscription, setAside, plannedFree, deal } = inputOf(job)
  const { id, subject: tenantId, author, requestId } = job
  const steps = await store.jobs.steps(id)
  if (setAside === null) return null
  const made = isDone(steps)
  const end = async (state: 'done' | 'failed' | 'cancelled') => {
    await store.jobs.end(id, state, state === 'done' ? null : (job.error ?? interrupted), lease.token)
    await holdCodes(deps, tenantId, subscription, [])
    return null
  }
  if (!made && plannedFree !== null) await store.localSubscriptions.unplan(subscription)
  // The process died before its first step, or that step had no effect, so there is nothing to put back.
  if (steps[0]?.state !== 'succeeded') return end('cancelled')
  const state = await askProcessor(lease.signal, () => processor.changeable(subscription, lease.signal))
  // A waiting job is not replaced by the job that puts the schedule back. So a crash in between cannot lose the schedule.
  const until = Math.max(clock.now() + putBackEveryMs, expiryOf(state))
  await store.jobs.wait(id, until, job.error ?? interrupted, lease.token)
  if (state !== null && state.payment !== null) return null
  const released = recordedChange(steps[0].step)
  if (released.op !== 'release') throw new Error(`The job ${id} has taken no schedule off`)
  const facts = {
    now: clock.now(),
    isArchived: archivedIn(await deps.priceBook()),
    update: made ? recordedChange(steps.at(-1)?.step ?? '') : null,
    dealChanged: deal !== (await dealOf(deps, tenantId)),
    released: { id: released.schedule, schedule: await readReleased(deps, released.schedule, lease.signal) },
  }
  const back = state === null ? ({ kind: 'nothing' } as const) : decidePutBack(state, setAside, facts)
  if (back.kind === 'impossible') return new ServiceError('conflict', back.why)
  const caller = { author, by: byOf(job), requestId }
  const about = { put_back: true, of_job: id }
  if (back.kind === 'steps')
    await runChange(deps, {
      ...{ tenantId, act: 'put_back', subscription, about, steps: back.steps, caller, lease },
      bySession: false,
    })
  return end(made ? 'done' : 'failed')
}

/** Returns the time at which an unpaid change expires; 0 if it is unknown. A test clock may reach it at any time. */
const expiryOf = (state: ChangeableSubscription | null) =>
  state === null || state.clockTime !== null ? 0 : (state.payment?.expiresAt ?? 0)

/** Reads a schedule that was taken off; null if the processor has it no more, or not as released. */
export function readReleased(
  { processor }: SwapDeps,
  id: string,
  signal: AbortSignal,
): Promise<ReleasedSchedule | null> {
  return askProcessor(signal, () => processor.releasedSchedule(id, signal))
}
