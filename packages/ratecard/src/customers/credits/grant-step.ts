// A journalled write that creates one credit grant: its record in the journal, and its execution exactly once.
import { toRfc3339 } from '../../base/clock.ts'
import { processorId } from '../../catalog/resource.ts'
import { foundAt, isUnanswered, knowsKey, lateForMs, retryWrite } from '../../acts/journal/late-writes.ts'
import { attemptStep, failureText, idempotencyKey, stateAfter } from '../../acts/journal/run-steps.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { NewCreditGrant } from '../../processor/credit-grants.ts'
import { askProcessor } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { TenantLease } from '../../acts/lease.ts'
import type { CreditDeps } from './deps.ts'
import type { JobStepRecord } from '../../store/records/journal.ts'

type Json = Readonly<Record<string, unknown>>

/** A credit grant as it is stored in the journal and shown to users in the job. */
interface GrantRecord {
  readonly customer: string
  /** Configuration id of the price that grants the credit; null for a credit given by hand. */
  readonly price_id: string | null
  readonly currency: string
  readonly amount: number
  readonly category: NewCreditGrant['category']
  readonly name: string
  readonly prices: readonly string[] | null
  readonly expires_at: string | null
  readonly source: string
}

export type PlannedGrant = NewCreditGrant & { readonly priceId: string | null }

export function grantRecord(grant: PlannedGrant): Json {
  const { customer, priceId, currency, amount, category, name, prices, expiresAt, source } = grant
  const record: GrantRecord = {
    ...{ customer, price_id: priceId, currency, amount, category, name, prices, source },
    expires_at: expiresAt === null ? null : toRfc3339(expiresAt),
  }
  return { ...record }
}

/** Parses a step from its journal record. */
export function recordedGrant(text: string): PlannedGrant {
  const { customer, price_id: priceId, prices, expires_at: end, ...rest } = JSON.parse(text) as GrantRecord
  return {
    ...rest,
    priceId,
    customer: processorId(customer),
    prices: prices === null ? null : prices.map(processorId),
    expiresAt: end === null ? null : Date.parse(end),
  }
}

/** Returns the processor id of the credit grant that a step created; null if the step is not done or was skipped. */
export function grantIdOf({ state, result }: JobStepRecord): string | null {
  return state === 'succeeded' ? (JSON.parse(result ?? '{}') as { readonly credit_grant: string }).credit_grant : null
}

/**
 * Creates the credit grant of a step that is not done. A request without a response is sent again under its own idempotency key. Before any
 * new request, searches the customer's grants for one with the source (reason) of the step. The search is needed because the processor may
 * have forgotten the key, or the store may have been restored from an old backup.
 */
export async function carryOutGrant(deps: CreditDeps, record: JobStepRecord, held: TenantLease): Promise<void> {
  const grant = recordedGrant(record.step)
  const settle = settleIn(deps, record, held)
  const found = (await resultOfLate(deps, record, held)) ?? (await findGrant(deps, grant, held))
  if (found !== null) return settle('succeeded', { ...grantRecord(grant), credit_grant: found })
  if (grant.expiresAt !== null && grant.expiresAt <= deps.clock.now()) {
    await settle('skipped', { ...grantRecord(grant), skipped: 'The credit has expired before it could be granted.' })
    return
  }
  await attemptStep({
    begin: () => deps.store.jobs.begin(record.jobId, record.index, held.token),
    send: ({ attempts }) => send(deps, grant, { ...record, attempts }, held),
    succeeded: (id) => settle('succeeded', { ...grantRecord(grant), credit_grant: id }),
    failed: async (error) => {
      const { cause } = error instanceof ServiceError ? error : { cause: undefined }
      if (!(cause instanceof ProcessorError)) throw error
      const outcome = { state: stateAfter(cause), result: null, error: failureText(error) }
      await deps.store.jobs.settle(record.jobId, record.index, outcome, held.token)
      throw error
    },
  })
}

function settleIn({ store }: CreditDeps, { jobId, index }: JobStepRecord, { token }: TenantLease) {
  return (state: 'succeeded' | 'skipped', result: Json): Promise<void> =>
    store.jobs.settle(jobId, index, { state, result: JSON.stringify(result), error: null }, token)
}

function send({ processor }: CreditDeps, grant: NewCreditGrant, record: JobStepRecord, { signal }: TenantLease) {
  const options = { idempotencyKey: idempotencyKey('job', record.jobId, record.index, record.attempts), signal }
  return askProcessor(signal, () => processor.createCreditGrant(grant, options))
}

function findGrant({ processor }: CreditDeps, { customer, source }: NewCreditGrant, { signal }: TenantLease) {
  return askProcessor(signal, () => processor.findCreditGrant(customer, source, signal))
}

/**
 * Finds the outcome of a request without a response. Returns the grant that the request created; null if it created none and can no longer
 * create one.
 */
async function resultOfLate(deps: CreditDeps, record: JobStepRecord, held: TenantLease): Promise<string | null> {
  if (!isUnanswered(record)) return null
  const { jobs } = deps.store
  const { jobId, index, error } = record
  const sentAnew = () => jobs.settle(jobId, index, { state: 'unknown', result: null, error }, held.token)
  const now = deps.clock.now()
  const found = foundAt(record, now)
  if (found !== record) await sentAnew()
  const forMs = lateForMs(found, now)
  if (forMs === 0) return null
  const what = `A credit grant (step ${String(index + 1)} of job ${jobId})`
  const grant = recordedGrant(record.step)
  const options = { idempotencyKey: idempotencyKey('job', jobId, index, record.attempts), signal: held.signal }
  return askProcessor(held.signal, () =>
    retryWrite(() => deps.processor.createCreditGrant(grant, options), {
      ...{ what, forMs, sendable: knowsKey(found, now), sentAnew },
      code: 'tenant_busy',
      extra: { job_id: jobId },
    }),
  )
}
