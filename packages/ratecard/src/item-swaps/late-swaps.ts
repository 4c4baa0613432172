// Resolves late writes to subscriptions. A late write is a request whose response never arrived (its process crashed or timed out), so that
// the processor may still carry it out. Every change of a subscription resolves them before it reads the subscription. Otherwise a late
// write could take effect after the change, e.g. put an item back on a negotiated price that was removed meanwhile.
import { ServiceError } from '../errors/service-error.ts'
import { foundAt, isUnanswered, knowsKey, lateForMs, retryWrite } from '../journal/late-writes.ts'
import { idempotencyKey } from '../journal/run-steps.ts'
import { askProcessor } from '../processor/failures.ts'
import type { JobRecord, JobStepRecord } from '../store/records/journal.ts'
import { withNamedLease, tenantLease, type TenantLease } from '../tenants/lease.ts'
import { customerLease, jobLease, type SwapDeps } from './deps.ts'
import { doneRecord, isInPlace, recordedStep, sendStep, type StepDone } from './swap-step.ts'

/** Tenant and customer whose subscriptions are changed. `tenantId` or `customer` is null if there is none. */
export interface Payer {
  readonly tenantId: string | null
  readonly customer: string | null
}

const kinds = ['enterprise_apply', 'migration'] as const

/**
 * Resolves the late writes to a payer's subscriptions; the caller holds the payer's lease. Throws `tenant_busy` with a `Retry-After` while
 * a write may still take effect.
 */
export async function settleLateSwaps(deps: SwapDeps, payer: Payer, held: TenantLease): Promise<void> {
  for (const { job, step } of await deps.store.jobs.unanswered(kinds)) {
    if (!isOf(job, step, payer)) continue
    if (job.kind === 'enterprise_apply') await settleLate(deps, job, step, held)
    else if (await runs(deps, job, (own) => settleLate(deps, job, step, own)))
      await settleOfOther(deps, job, step, held)
  }
}

function isOf({ kind, subject }: JobRecord, { step }: JobStepRecord, { tenantId, customer }: Payer): boolean {
  if (kind === 'enterprise_apply') return subject === tenantId
  const of = JSON.parse(step) as { readonly tenant_id?: string | null; readonly customer?: string }
  return (tenantId !== null && of.tenant_id === tenantId) || (customer !== null && of.customer === customer)
}

/** Returns true if another process is running the job. Otherwise runs `otherwise` under the job's lease and returns false. */
async function runs(
  deps: SwapDeps,
  { id }: JobRecord,
  otherwise: (held: TenantLease) => Promise<unknown>,
): Promise<boolean> {
  const entered = { yes: false }
  try {
    await deps.store.exclusively(jobLease(id), async (held) => {
      entered.yes = true
      await otherwise(held)
    })
    return false
  } catch (error) {
    if (entered.yes || !(error instanceof ServiceError) || error.code !== 'push_in_progress') throw error
    return true
  }
}

/** Returns the name of the lease that a migration holds while one of its steps changes a subscription. */
export function leaseOfStep(step: Readonly<Record<string, unknown>>): string {
  const { tenant_id: tenant, customer } = step
  return typeof tenant === 'string' ? tenantLease(tenant) : customerLease(String(customer))
}

/** Resolves a late write of the caller's own job before the step is retried. Returns true if the step is done. */
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
 * Resolves the late write of a step and writes the state of the step to the job's journal, unless the job has ended. `held` is the lease of
 * the journal. Returns true if the step is done.
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
      : ({ state: 'succeeded', result: JSON.stringify(doneRecord(recordedStep(sent), done)), error: null } as const)
  await jobs.settle(job.id, index, settled, held.token)
  return settled.state === 'succeeded'
}

/**
 * Resolves the late write of a step whose job has ended or runs in another process, without writing to the job's journal. The write may be
 * retried before every further change, because the processor only replays its result. A running job cannot send the step at the same time,
 * because that needs the payer's lease, which the caller holds.
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
 * Returns the content of the write; null if it was not sent. A step of a migration is planned again before it is sent, so its content is in
 * `result` and not in `step`.
 */
function sentOf({ kind }: JobRecord, { step, result }: JobStepRecord): string | null {
  return kind === 'enterprise_apply' ? step : kind === 'migration' ? result : null
}

interface SentWrite {
  readonly sent: string
  readonly signal: AbortSignal
  /** Writes to the journal that the write was sent once more without a response. */
  readonly sentAnew: () => Promise<void>
}

/** Returns the result of the step; null if its write changed nothing and can no longer take effect. */
async function resultOf(
  deps: SwapDeps,
  job: JobRecord,
  record: JobStepRecord,
  { sent, signal, sentAnew }: SentWrite,
): Promise<StepDone | null> {
  const step = recordedStep(sent)
  const now = deps.clock.now()
  const forMs = lateForMs(record, now)
  if (forMs > 0) {
    const options = { idempotencyKey: idempotencyKey('job', job.id, record.index, record.attempts), signal }
    const what = `A change of the subscription ${step.subscription} (step ${String(record.index + 1)} of job ${job.id})`
    const late = {
      ...{ what, forMs, sendable: knowsKey(record, now), sentAnew },
      code: 'tenant_busy',
      extra: { job_id: job.id },
    } as const
    const answer = await askProcessor(signal, () => retryWrite(() => sendStep(deps.processor, step, options), late))
    if (answer !== null) return answer
  }
  return askProcessor(signal, async () =>
    (await isInPlace(deps.processor, step, signal)) ? { effectiveAt: null } : null,
  )
}
