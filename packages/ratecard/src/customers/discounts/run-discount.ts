// Executes a change of discounts as a journalled job of one step. If the process dies after the write, the tenant's next change of
// discounts finishes the job: it writes the audit row and ends the job.
import { failureText, attemptStep, idempotencyKey, stateAfter, stopIfDraining } from '../../acts/journal/run-steps.ts'
import {
  carryOutDiscount,
  discountRecord,
  discountResult,
  recordedDiscount,
  recordedDiscountResult,
  type DiscountDone,
} from '../item-swaps/discount-step.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { askProcessor } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { DiscountUpdate } from '../../processor/subscription-discounts.ts'
import { byOf, keyOf } from '../../store/records/actor.ts'
import { auditRow } from '../tenants/audit.ts'
import type { TenantLease } from '../../acts/lease.ts'
import type { DiscountDeps } from './deps.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'

export interface DiscountRun {
  readonly jobId: string
  readonly tenantId: string
  /** The request as the job and the audit trail show it. */
  readonly input: JobInput
  readonly update: DiscountUpdate
  readonly caller: Caller
}

type JobInput = Readonly<Record<string, unknown>> & { readonly action: 'discount_added' | 'discount_removed' }

export async function runDiscount(deps: DiscountDeps, run: DiscountRun, held: TenantLease): Promise<DiscountDone> {
  const { jobId, tenantId, input, update, caller } = run
  const { jobs } = deps.store
  const job = await jobs.open(
    {
      id: jobId,
      kind: 'subscription_discount',
      subject: tenantId,
      input: JSON.stringify(input),
      author: caller.author,
      ...keyOf(caller.by),
      message: caller.message ?? null,
      requestId: caller.requestId,
      createdAt: deps.clock.now(),
      steps: [JSON.stringify(discountRecord(update))],
    },
    held.token,
  )
  stopIfDraining(deps)
  const done = await attemptStep({
    begin: () => jobs.begin(jobId, 0, held.token),
    send: ({ attempts }) => {
      const options = { idempotencyKey: idempotencyKey('job', jobId, 0, attempts), signal: held.signal }
      return askProcessor(held.signal, () => carryOutDiscount(deps.processor, update, options))
    },
    succeeded: async (result) => {
      const text = JSON.stringify(discountResult(update, result))
      await jobs.settle(jobId, 0, { state: 'succeeded', result: text, error: null }, held.token)
      return result
    },
    failed: (error) => failed(deps, jobId, error, held),
  })
  await conclude(deps, job, discountResult(update, done), held)
  return done
}

/**
 * Stores the failure of a change, and throws it again. If the outcome is unknown, the job stays open until the tenant's next change of
 * discounts finds the outcome.
 */
async function failed(deps: DiscountDeps, jobId: string, error: unknown, { token }: TenantLease): Promise<never> {
  const { cause } = error instanceof ServiceError ? error : { cause: undefined }
  if (!(cause instanceof ProcessorError)) throw error
  const state = stateAfter(cause)
  await deps.store.jobs.settle(jobId, 0, { state, result: null, error: failureText(error) }, token)
  if (state !== 'unknown') await deps.store.jobs.end(jobId, 'failed', failureText(error), token)
  throw error
}

/** Writes the audit row and ends the job. The row has the job's id, so that a repeated call does not write it twice. */
async function conclude(
  deps: DiscountDeps,
  job: JobRecord,
  result: Readonly<Record<string, unknown>>,
  held: TenantLease,
): Promise<void> {
  const { action, tenant_id: _tenant, ...input } = JSON.parse(job.input) as JobInput
  const { author, requestId } = job
  const row = auditRow(
    { newId: () => `audit-${job.id}`, now: deps.clock.now() },
    { tenantId: job.subject, action, before: null, after: null, result: { job_id: job.id, ...input, ...result } },
    { author, by: byOf(job), requestId },
  )
  await deps.store.tenants.note(row)
  await deps.store.jobs.end(job.id, 'done', null, held.token)
}

/** Ends the interrupted changes of the tenant. Changes that were made at the processor are completed; the others are cancelled. */
export async function finishEarlier(deps: DiscountDeps, tenantId: string, held: TenantLease): Promise<void> {
  const { jobs } = deps.store
  for (const job of await jobs.unfinished('subscription_discount', tenantId)) {
    const [step] = await jobs.steps(job.id)
    if (step?.state === 'succeeded')
      await conclude(deps, job, JSON.parse(step.result ?? '{}') as Readonly<Record<string, unknown>>, held)
    else
      await jobs.end(
        job.id,
        'cancelled',
        JSON.stringify({ detail: 'The change was interrupted before the processor carried it out.' }),
        held.token,
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
