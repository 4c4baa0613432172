// Finds the outcome of late writes to subscriptions. A late write is a request without a response (e.g. because its process crashed), so
// that the processor may still execute it. Every change of a subscription does this before it reads the subscription. Otherwise a late
// write could take effect after the change, e.g. put an item back on a negotiated price that was removed in the meantime.
import { outcomeOf, settleLate, type Act } from '../../acts/act.ts'
import { isUnanswered } from '../../acts/journal/late-writes.ts'
import { isOfTenant, sentOf, subscriptionKinds, type SubscriptionKind } from '../../acts/kinds.ts'
import { jobLease, tenantLease, withNamedLease, type TenantLease } from '../../acts/lease.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'
import { changeAct } from './change-step.ts'
import { customerLease, type SwapDeps } from './deps.ts'
import { discountAct } from './discount-step.ts'
import { swapAct } from './swap-step.ts'

/**
 * Tenant and customer whose subscriptions are changed. `tenantId` is null for a customer without a tenant, and `customer` is null for a
 * tenant without a customer.
 */
export interface Payer {
  readonly tenantId: string | null
  readonly customer: string | null
}

/**
 * Finds the outcome of the late writes (requests without a response) to a payer's subscriptions. The caller must hold the payer's lease.
 * Throws `tenant_busy` with a `Retry-After` if such a write may still take effect.
 */
export async function settleLateSwaps(deps: SwapDeps, payer: Payer, lease: TenantLease): Promise<void> {
  for (const { job, step } of await deps.store.jobs.unanswered(subscriptionKinds)) {
    if (!isOf(job, step, payer)) continue
    if (isOfTenant(job.kind)) await settle(deps, job, step, lease)
    // Null: another process runs the job.
    else if ((await deps.store.tryExclusively(jobLease(job.id), (own) => settle(deps, job, step, own))) === null)
      await settleOfOther(deps, job, step, lease)
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
  lease: TenantLease,
): Promise<boolean> {
  if (!isUnanswered(record) || sentOf(job.kind, record) === null) return false
  const step = JSON.parse(record.step) as Readonly<Record<string, unknown>>
  return withNamedLease(deps, leaseOfStep(step), () => settle(deps, job, record, lease))
}

/**
 * Finds the outcome of a step's late write (a request without a response). Stores the step's state in the job's journal, unless the job has
 * ended. `held` is the lease of the journal. Returns true if the step is done.
 */
async function settle(deps: SwapDeps, job: JobRecord, record: JobStepRecord, lease: TenantLease): Promise<boolean> {
  if (job.state === 'done' || job.state === 'cancelled') {
    await settleOfOther(deps, job, record, lease)
    return false
  }
  const sent = sentOf(job.kind, record)
  if (sent !== null) return settleLate(deps, actOf(deps, job, sent), { record, sent }, lease)
  const { index, error } = record
  await deps.store.jobs.settle(job.id, index, { state: 'pending', result: null, error }, lease.token)
  return false
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
  const sent = sentOf(job.kind, record)
  if (sent === null || record.state !== 'unknown') return
  await outcomeOf(deps, actOf(deps, job, sent), { record, sent, sentAnew: () => Promise.resolve() }, signal)
}

const acts: Readonly<Record<SubscriptionKind, (processor: SwapDeps['processor']) => Act<unknown, unknown>>> = {
  enterprise_apply: swapAct,
  migration: swapAct,
  subscription_change: changeAct,
  subscription_discount: discountAct,
}

/** Only for a step with something sent, which a kind that writes to no subscription never has. */
function actOf({ processor }: SwapDeps, { kind }: JobRecord, sent: string): Act<unknown, unknown> {
  // A migration whose moves are taken back releases schedules.
  const isRelease = kind === 'migration' && 'op' in (JSON.parse(sent) as object)
  return (isRelease ? changeAct : acts[kind as SubscriptionKind])(processor)
}
