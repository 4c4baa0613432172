// Writes to subscriptions that a process sent and left unanswered when it died or gave up. Whoever reads a subscription in order to
// change it settles them first; otherwise one of them could be carried out after the change, e.g. put an item back on a negotiated
// price that was removed meanwhile.
import { ServiceError } from '../errors/service-error.ts'
import { foundAt, isUnanswered, knowsKey, lateForMs, sendAgain } from '../journal/late-writes.ts'
import { idempotencyKey } from '../journal/run-steps.ts'
import { askProcessor } from '../processor/failures.ts'
import type { JobRecord, JobStepRecord } from '../store/records/journal.ts'
import { alone, tenantLease } from '../tenants/lease.ts'
import type { TenantLease } from '../tenants/lease.ts'
import { customerLease, jobLease } from './deps.ts'
import type { SwapDeps } from './deps.ts'
import { doneRecord, isInPlace, recordedStep, sendStep } from './swap-step.ts'
import type { StepDone } from './swap-step.ts'

/** Whose subscriptions; null where there is none or none is known. */
export interface Payer {
  readonly tenantId: string | null
  readonly customer: string | null
}

const kinds = ['enterprise_apply', 'migration'] as const

/**
 * Under the payer's lease. Throws `tenant_busy` with a
 * `Retry-After` while a write may still be carried out.
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

/** True if the job runs in another process or here; else `otherwise` is done under its lease. */
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

/** The lease under which a migration's step changes its subscription. */
export function leaseOfStep(step: Readonly<Record<string, unknown>>): string {
  const { tenant_id: tenant, customer } = step
  return typeof tenant === 'string' ? tenantLease(tenant) : customerLease(String(customer))
}

/** The same for a step of the caller's own job, which is about to be begun again. True if it is done. */
export async function settleOwn(
  deps: SwapDeps,
  job: JobRecord,
  record: JobStepRecord,
  held: TenantLease,
): Promise<boolean> {
  if (!isUnanswered(record) || sentOf(job, record) === null) return false
  const step = JSON.parse(record.step) as Readonly<Record<string, unknown>>
  return alone(deps, leaseOfStep(step), () => settleLate(deps, job, record, held))
}

/** `held`: of the lease that the job's journal is written under. True if the step is done. */
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
 * Of a job that ended or runs elsewhere, whose journal is not written here. That the step is sent again for every further change is
 * harmless: the processor replays its result. A begun step of a running job waits for the payer's lease, which the caller holds.
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

/** What was sent. A step of a migration is planned anew before it is sent, so that it may not have come to that: null. */
function sentOf({ kind }: JobRecord, { step, result }: JobStepRecord): string | null {
  return kind === 'enterprise_apply' ? step : kind === 'migration' ? result : null
}

interface SentWrite {
  readonly sent: string
  readonly signal: AbortSignal
  /** Journals that it was sent once more without an answer. */
  readonly sentAnew: () => Promise<void>
}

/** null: the step is over and changed nothing. */
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
    const answer = await askProcessor(signal, () => sendAgain(() => sendStep(deps.processor, step, options), late))
    if (answer !== null) return answer
  }
  return askProcessor(signal, async () =>
    (await isInPlace(deps.processor, step, signal)) ? { effectiveAt: null } : null,
  )
}
