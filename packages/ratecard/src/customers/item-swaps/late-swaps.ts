// Finds the outcome of late writes to subscriptions. A late write is a request without a response (e.g. because its process crashed), so
// that the processor may still execute it. Every change of a subscription does this before it reads the subscription. Otherwise a late
// write could take effect after the change, e.g. put an item back on a negotiated price that was removed in the meantime.
import { foundAt, isUnanswered, knowsKey, lateForMs, retryWrite } from '../../acts/journal/late-writes.ts'
import { idempotencyKey } from '../../acts/journal/run-steps.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { WriteOptions } from '../../processor/write-options.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'
import { withNamedLease, tenantLease, type TenantLease } from '../../acts/lease.ts'
import { isOfTenant, jobLease } from '../../acts/jobs/deps.ts'
import { customerLease, type SwapDeps } from './deps.ts'
import { changeResult, findChange, recordedChange, sendChange } from './change-step.ts'
import { discountResult, findDiscount, recordedDiscount, sendDiscount } from './discount-step.ts'
import { doneRecord, isInPlace, recordedStep, sendStep } from './swap-step.ts'

/**
 * Tenant and customer whose subscriptions are changed. `tenantId` is null for a customer without a tenant, and `customer` is null for a
 * tenant without a customer.
 */
export interface Payer {
  readonly tenantId: string | null
  readonly customer: string | null
}

const kinds = ['enterprise_apply', 'migration', 'subscription_change', 'subscription_discount'] as const

/**
 * Finds the outcome of the late writes (requests without a response) to a payer's subscriptions. The caller must hold the payer's lease.
 * Throws `tenant_busy` with a `Retry-After` if such a write may still take effect.
 */
export async function settleLateSwaps(deps: SwapDeps, payer: Payer, held: TenantLease): Promise<void> {
  for (const { job, step } of await deps.store.jobs.unanswered(kinds)) {
    if (!isOf(job, step, payer)) continue
    if (isOfTenant(job.kind)) await settleLate(deps, job, step, held)
    // Null: another process runs the job.
    else if ((await deps.store.tryExclusively(jobLease(job.id), (own) => settleLate(deps, job, step, own))) === null)
      await settleOfOther(deps, job, step, held)
  }
}

function isOf({ kind, subject }: JobRecord, { step }: JobStepRecord, { tenantId, customer }: Payer): boolean {
  if (isOfTenant(kind)) return subject === tenantId
  const of = JSON.parse(step) as { readonly tenant_id?: string | null; readonly customer?: string }
  return (tenantId !== null && of.tenant_id === tenantId) || (customer !== null && of.customer === customer)
}

/** Returns the name of the lease that a migration holds while one of its steps changes a subscription. */
export function leaseOfStep(step: Readonly<Record<string, unknown>>): string {
  const { tenant_id: tenant, customer } = step
  return typeof tenant === 'string' ? tenantLease(tenant) : customerLease(String(customer))
}

/**
 * Finds the outcome of a late write (a request without a response) of the caller's own job, before its step is retried. Returns true if the
 * step is done.
 */
export async function settleOwn(
  deps: SwapDeps,
  job: JobRecord,
  record: JobStepRecord,
  held: TenantLease,
): Promise<boolean> {
  if (!isUnanswered(record) || sentOf(job, record) === null) return false
  const step = JSON.parse(record.step) as Readonly<Record<string, unknown>>
  return withNamedLease(deps, leaseOfStep(step), () => settleLate(deps, job, record, held))
}

/**
 * Finds the outcome of a step's late write (a request without a response). Stores the step's state in the job's journal, unless the job has
 * ended. `held` is the lease of the journal. Returns true if the step is done.
 */
async function settleLate(deps: SwapDeps, job: JobRecord, record: JobStepRecord, held: TenantLease): Promise<boolean> {
  const { jobs } = deps.store
  const sent = sentOf(job, record)
  const { index, error } = record
  if (job.state === 'done' || job.state === 'cancelled') {
    await settleOfOther(deps, job, record, held)
    return false
  }
  const sentAnew = () => jobs.settle(job.id, index, { state: 'unknown', result: record.result, error }, held.token)
  const found = foundAt(record, deps.clock.now())
  if (found !== record) await sentAnew()
  const done = sent === null ? null : await resultOf(deps, job, found, { sent, signal: held.signal, sentAnew })
  const settled =
    done === null || sent === null
      ? ({ state: 'pending', result: null, error } as const)
      : ({ state: 'succeeded', result: JSON.stringify(done), error: null } as const)
  await jobs.settle(job.id, index, settled, held.token)
  return settled.state === 'succeeded'
}

/**
 * Finds the outcome of a step's late write (a request without a response) if its job has ended or runs in another process. Does not write
 * to the job's journal. So each later change may send the write once more, but the processor only replays its result. A running job cannot
 * send the step at the same time, because that needs the payer's lease, which the caller holds.
 */
async function settleOfOther(
  deps: SwapDeps,
  job: JobRecord,
  record: JobStepRecord,
  { signal }: TenantLease,
): Promise<void> {
  const sent = sentOf(job, record)
  if (sent !== null && record.state === 'unknown')
    await resultOf(deps, job, record, { sent, signal, sentAnew: () => Promise.resolve() })
}

/**
 * Returns the content of the write; null if the write was not sent. A migration plans each step again just before sending it, so the
 * content of its writes is in `result` and not in `step`.
 */
function sentOf({ kind }: JobRecord, { step, result }: JobStepRecord): string | null {
  return isOfTenant(kind) ? step : kind === 'migration' ? result : null
}

interface SentWrite {
  readonly sent: string
  readonly signal: AbortSignal
  /** Stores in the journal that the write was sent again without a response. */
  readonly sentAnew: () => Promise<void>
}

/** A journalled write to a subscription, of any kind. `send` and `find` both return the result as the journal stores it. */
interface RecordedWrite {
  readonly subscription: string
  readonly send: (options: WriteOptions) => Promise<Readonly<Record<string, unknown>>>
  /** Reads the subscription; null if the write changed nothing. */
  readonly find: (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>> | null>
}

function writeOf({ processor }: SwapDeps, { kind }: JobRecord, sent: string): RecordedWrite {
  // A migration whose moves are taken back releases schedules.
  if (kind === 'subscription_change' || 'op' in (JSON.parse(sent) as object)) {
    const step = recordedChange(sent)
    return {
      subscription: step.subscription,
      send: async (options) => changeResult(step, await sendChange(processor, step, options)),
      find: async (signal) => {
        const done = await findChange(processor, step, signal)
        return done === null ? null : changeResult(step, done)
      },
    }
  }
  if (kind === 'subscription_discount') {
    const step = recordedDiscount(sent)
    return {
      subscription: step.subscription,
      send: async (options) => discountResult(step, await sendDiscount(processor, step, options)),
      find: async (signal) => {
        const done = await findDiscount(processor, step, signal)
        return done === null ? null : discountResult(step, done)
      },
    }
  }
  const step = recordedStep(sent)
  return {
    subscription: step.subscription,
    send: async (options) => doneRecord(step, await sendStep(processor, step, options)),
    find: async (signal) =>
      (await isInPlace(processor, step, signal)) ? doneRecord(step, { effectiveAt: null }) : null,
  }
}

/** Returns the result of the step in the form of the journal. Returns null if the write changed nothing and can no longer take effect. */
async function resultOf(
  deps: SwapDeps,
  job: JobRecord,
  record: JobStepRecord,
  { sent, signal, sentAnew }: SentWrite,
): Promise<Readonly<Record<string, unknown>> | null> {
  const write = writeOf(deps, job, sent)
  const now = deps.clock.now()
  const forMs = lateForMs(record, now)
  if (forMs > 0) {
    const options = { idempotencyKey: idempotencyKey('job', job.id, record.index, record.attempts), signal }
    const what = `A change of the subscription ${write.subscription} (step ${String(record.index + 1)} of job ${job.id})`
    const late = {
      ...{ what, forMs, sendable: knowsKey(record, now), sentAnew },
      code: 'tenant_busy',
      extra: { job_id: job.id },
    } as const
    const answer = await askProcessor(signal, () => retryWrite(() => write.send(options), late))
    if (answer !== null) return answer
  }
  return askProcessor(signal, () => write.find(signal))
}
