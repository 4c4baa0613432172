// A journalled write that creates one credit grant: its record in the journal, and its execution exactly once.
import { runStep, settleLate, type Act } from '../../acts/act.ts'
import { isUnanswered } from '../../acts/journal/late-writes.ts'
import type { TenantLease } from '../../acts/lease.ts'
import { toRfc3339 } from '../../base/clock.ts'
import { processorId } from '../../catalog/resource.ts'
import type { NewCreditGrant } from '../../processor/credit-grants.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { JobStepRecord } from '../../store/records/journal.ts'
import type { CreditDeps } from './deps.ts'

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

/** The act that creates one credit grant. A grant is found by its source (reason), which no other grant of the customer has. */
export const grantAct = ({ processor }: Pick<CreditDeps, 'processor'>): Act<PlannedGrant, string> => ({
  record: grantRecord,
  read: recordedGrant,
  about: () => 'A credit grant',
  send: (grant, options) => processor.createCreditGrant(grant, options),
  find: ({ customer, source }, signal) => processor.findCreditGrant(customer, source, signal),
  result: (grant, id) => ({ ...grantRecord(grant), credit_grant: id }),
})

/**
 * Creates the credit grant of a step that is not done. A request without a response is sent again under its own idempotency key. Before any
 * new request, searches the customer's grants for that of the step. The search is needed because the processor may have forgotten the key,
 * or the store may have been restored from an old backup.
 */
export async function carryOutGrant(deps: CreditDeps, record: JobStepRecord, lease: TenantLease): Promise<void> {
  const { jobId, index, step: sent } = record
  const act = grantAct(deps)
  if (isUnanswered(record) && (await settleLate(deps, act, { record, sent }, lease))) return
  const grant = recordedGrant(sent)
  const settle = (state: 'succeeded' | 'skipped', result: Json): Promise<void> =>
    deps.store.jobs.settle(jobId, index, { state, result: JSON.stringify(result), error: null }, lease.token)
  const found = await askProcessor(lease.signal, () => act.find(grant, lease.signal))
  if (found !== null) return settle('succeeded', act.result(grant, found))
  if (grant.expiresAt !== null && grant.expiresAt <= deps.clock.now())
    return settle('skipped', { ...grantRecord(grant), skipped: 'The credit has expired before it could be granted.' })
  await runStep(deps, act, { jobId, index, step: grant }, lease)
}
