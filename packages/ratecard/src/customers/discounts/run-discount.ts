// Executes a change of discounts as a journalled job of one step. If the process dies after the write, the tenant's next change of
// discounts finishes the job: it writes the audit row and ends the job.
import { openAct, processorErrorOf, runStep } from '../../acts/act.ts'
import { failureText, stopIfDraining } from '../../acts/journal/run-steps.ts'
import type { TenantLease } from '../../acts/lease.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { DiscountUpdate } from '../../processor/subscription-discounts.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'
import {
  discountAct,
  recordedDiscount,
  recordedDiscountResult,
  type DiscountDone,
} from '../item-swaps/discount-step.ts'
import { actRow } from '../tenants/audit.ts'
import type { DiscountDeps } from './deps.ts'

export interface DiscountRun {
  readonly jobId: string
  readonly tenantId: string
  /** The request as the job and the audit trail show it. */
  readonly input: JobInput
  readonly update: DiscountUpdate
  readonly caller: Caller
}

type JobInput = Readonly<Record<string, unknown>> & { readonly action: 'discount_added' | 'discount_removed' }

export async function runDiscount(deps: DiscountDeps, run: DiscountRun, lease: TenantLease): Promise<DiscountDone> {
  const { jobId, tenantId, input, update, caller } = run
  const { jobs } = deps.store
  const act = discountAct(deps.processor)
  const opened = {
    id: jobId,
    kind: 'subscription_discount',
    subject: tenantId,
    input,
    steps: [update],
    caller,
  } as const
  const job = await openAct(deps, act, opened, lease)
  stopIfDraining(deps)
  const done = await runStep(deps, act, { jobId, index: 0, step: update }, lease).catch(async (error: unknown) => {
    // If the outcome is unknown, the job stays open until the tenant's next change of discounts finds the outcome.
    if (processorErrorOf(error)?.outcomeUnknown === false)
      await jobs.end(jobId, 'failed', failureText(error), lease.token)
    throw error
  })
  await concludeDiscount(deps, job, act.result(update, done), lease)
  return done
}

/** Writes the audit row and ends the job. The row has the job's id, so that a repeated call does not write it twice. */
async function concludeDiscount(
  deps: DiscountDeps,
  job: JobRecord,
  result: Readonly<Record<string, unknown>>,
  lease: TenantLease,
): Promise<void> {
  const { action, tenant_id: _tenant, ...input } = JSON.parse(job.input) as JobInput
  const entry = { tenantId: job.subject, action, result: { job_id: job.id, ...input, ...result } }
  await deps.store.tenants.note(actRow(job, { id: `audit-${job.id}`, at: deps.clock.now() }, entry))
  await deps.store.jobs.end(job.id, 'done', null, lease.token)
}

/** Ends the interrupted changes of the tenant. Changes that were made at the processor are completed; the others are cancelled. */
export async function finishEarlier(deps: DiscountDeps, tenantId: string, lease: TenantLease): Promise<void> {
  const { jobs } = deps.store
  for (const job of await jobs.unfinished('subscription_discount', tenantId)) {
    const [step] = await jobs.steps(job.id)
    if (step?.state === 'succeeded')
      await concludeDiscount(deps, job, JSON.parse(step.result ?? '{}') as Readonly<Record<string, unknown>>, lease)
    else
      await jobs.end(
        job.id,
        'cancelled',
        JSON.stringify({ detail: 'The change was interrupted before the processor carried it out.' }),
        lease.token,
      )
  }
}

export interface EarlierJob {
  /** Result of the job; undefined if no attempt was carried out. */
  readonly result?: DiscountDone & { readonly subscription: string }
  /** Id for the next attempt. */
  readonly freeId: string
}

/**
 * Returns the result of an earlier attempt of the request, or an unused job id if there is none. Attempts are numbered, e.g. `<name>-2`
 * after one failed attempt.
 */
export async function resultOfEarlier({ store: { jobs } }: DiscountDeps, name: string): Promise<EarlierJob> {
  for (let attempt = 1; ; attempt++) {
    const freeId = `${name}-${String(attempt)}`
    if ((await jobs.find(freeId)) === null) return { freeId }
    const [step] = await jobs.steps(freeId)
    if (step?.state === 'succeeded') return { freeId, result: resultIn(step) }
  }
}

function resultIn({ step, result }: JobStepRecord): NonNullable<EarlierJob['result']> {
  return { subscription: recordedDiscount(step).subscription, ...recordedDiscountResult(result ?? '{"discount":null}') }
}
