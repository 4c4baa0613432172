// Credits of a tenant: listed from the mirror, and given by hand.
import { openAct } from '../../acts/act.ts'
import { createHash } from 'node:crypto'
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { presentId } from '../../document/rules/previous-ids.ts'
import { pointerOf } from '../../base/errors/issue.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { didYouMean } from '../../base/errors/suggest.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { formatMinor } from '../../base/money/format.ts'
import { creditBalance, creditState } from '../subscriptions/credit-balance.ts'
import { jobLease, withNamedLease, type TenantLease } from '../../acts/lease.ts'
import { pricesOfMeters } from './credit-terms.ts'
import type { CreditDeps } from './deps.ts'
import { runGrantJob, type CreditInput } from './grant-job.ts'
import { grantAct, grantIdOf, recordedGrant, type PlannedGrant } from './grant-step.ts'
import type { Credit, NewCredit } from '../../api/customers/credits.ts'
import type { KeyedCaller } from '../../api/notation/callers.ts'
import type { StoredCreditGrant } from '../../store/records/mirror.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

export const credits = { tenantCredits, addCredit }

/** Returns the tenant's credits, oldest first, from the mirror. */
async function tenantCredits(deps: CreditDeps, id: string) {
  const { processorCustomerId: customer } = await deps.findTenant(id)
  const age = await deps.mirror.require()
  const grants = customer === null ? [] : await deps.store.credits.grantsOf(processorId(customer))
  const [book, now] = [await deps.priceBook(), deps.clock.now()]
  return { ...age, balance: creditBalance(grants, now), credits: grants.map((one) => shownCredit(book, one, now)) }
}

function shownCredit(book: PriceBook, grant: StoredCreditGrant, now: number): Credit {
  const { id, currency, amount, category, name, prices, source, effectiveAt, expiresAt, createdAt } = grant
  const state = creditState(grant, now)
  const remaining = state === 'expired' || state === 'voided' ? 0 : grant.remaining
  const [paidBy, price] = source?.split('/') ?? []
  return {
    ...{ id, state, currency, amount, remaining, category, effectiveAt, expiresAt, createdAt, reason: name },
    formatted: formatMinor(amount, currency),
    remainingFormatted: formatMinor(remaining, currency),
    priceId: price === undefined ? null : (book.idOf(processorId(price)) ?? null),
    paidBy: price === undefined ? null : (paidBy ?? null),
    meters: prices === null ? null : metersOf(book, prices),
  }
}

function metersOf(book: PriceBook, prices: readonly ProcessorId[]): string[] {
  const meters = prices.flatMap((price) => {
    const id = book.idOf(price)
    return id === undefined ? [] : (book.find(id)?.price.meter ?? [])
  })
  return [...new Set(meters)].sort()
}

/**
 * Gives a credit to a tenant as a journalled job. If the outcome is unknown, the job stays open. The service finds the outcome later, and a
 * retry with the same Idempotency-Key gets the result.
 */
async function addCredit(deps: CreditDeps, tenantId: string, wanted: NewCredit, caller: KeyedCaller): Promise<Credit> {
  await deps.assertAccount('write')
  const tenant = await deps.findTenant(tenantId)
  const plan = await planCredit(deps, tenant, wanted)
  const name = caller.idempotencyKey === null ? null : nameOf(tenant, wanted, caller)
  const id = name === null ? deps.newId() : await freeOrOpenJob(deps, name)
  return withNamedLease(deps, jobLease(id), async (lease) => {
    const held = { token: lease.token, signal: AbortSignal.any([lease.signal, deps.shutdown]) }
    const job = (await deps.store.jobs.find(id)) ?? (await openJob(deps, { id, tenantId, plan, wanted, caller }, held))
    if (job.state !== 'done') await runToEnd(deps, job, held)
    return creditOf(deps, id)
  })
}

async function planCredit(
  deps: CreditDeps,
  tenant: TenantRecord,
  wanted: NewCredit,
): Promise<Omit<PlannedGrant, 'source'>> {
  const { amount, currency, reason, expiresAt = null } = wanted
  if (expiresAt !== null && expiresAt <= deps.clock.now())
    throw refuseCredit(
      ['expires_at'],
      'The credit would have expired already.',
      'Set `expires_at` to a time in the future, or leave it out.',
    )
  const meters = await knownMeters(deps, wanted.meters)
  const customer = await deps.customerOf(tenant)
  return {
    ...{ customer, currency, amount, expiresAt, category: 'promotional', name: reason, priceId: null },
    prices: meters === null ? null : await meteredPrices(deps, meters, customer),
  }
}

/** Returns the current ids of the meters in a request; null for all meters. Throws if the document does not contain a meter. */
async function knownMeters(deps: CreditDeps, wanted: NewCredit['meters']): Promise<readonly string[] | null> {
  if (wanted === undefined) return null
  const { config } = await deps.applied()
  const known = (config.meters ?? []).map(({ id }) => id)
  return wanted.map((id, index) => {
    const present = presentId(config, 'meter', id)
    if (known.includes(present)) return present
    throw refuseCredit(['meters', index], `There is no meter "${id}".`, didYouMean(id, known))
  })
}

async function meteredPrices(deps: CreditDeps, meters: readonly string[], customer: ProcessorId) {
  const { config } = await deps.applied()
  const subscriptions = await deps.store.mirror.subscriptionsOf(customer)
  const subscribed = new Set(subscriptions.flatMap(({ items }) => items.map(({ price }) => price.id)))
  const prices = pricesOfMeters(await deps.priceBook(), config, { meters, metered: [] }, subscribed)
  if (prices.length > 0) return prices
  const detail = `No price bills ${meters.map((id) => `the meter "${id}"`).join(' or ')}.`
  throw refuseCredit(['meters'], detail, 'Leave out `meters`, so that the credit pays for all meters.')
}

function refuseCredit(path: readonly (string | number)[], detail: string, hint: string | undefined): ServiceError {
  const hinted = hint === undefined ? {} : { hint }
  const issue = { code: 'value_invalid', pointer: pointerOf(path), severity: 'error', detail, ...hinted } as const
  return new ServiceError('request_invalid', detail, { ...hinted, issues: [issue] })
}

/** Name of the jobs for a request with an Idempotency-Key. A retry has the same name, so that it finds the job. */
function nameOf({ id, createdAt }: TenantRecord, wanted: NewCredit, { by, idempotencyKey }: KeyedCaller): string {
  const text = JSON.stringify([id, createdAt, by?.keyId ?? null, idempotencyKey, wanted])
  return `credit-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/**
 * Returns the id of the job that an earlier attempt of the request opened, unless that job failed or was cancelled; otherwise an unused id.
 * Attempts are numbered, e.g. `<name>-2` after one failed attempt.
 */
async function freeOrOpenJob({ store }: CreditDeps, name: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const id = `${name}-${String(attempt)}`
    const job = await store.jobs.find(id)
    if (job === null || (job.state !== 'failed' && job.state !== 'cancelled')) return id
  }
}

interface CreditRequest {
  readonly id: string
  readonly tenantId: string
  readonly plan: Omit<PlannedGrant, 'source'>
  readonly wanted: NewCredit
  readonly caller: KeyedCaller
}

function openJob(deps: CreditDeps, { id, tenantId, plan, wanted, caller }: CreditRequest, held: TenantLease) {
  const input = { tenant_id: tenantId, customer: plan.customer, reason: wanted.reason } satisfies CreditInput
  const steps = [{ ...plan, source: id }]
  return openAct(deps, grantAct(deps), { id, kind: 'credit_grant', subject: tenantId, input, steps, caller }, held)
}

/** Runs the job of a credit. If the processor refuses the credit, the job is not retried, because the caller gets that error. */
async function runToEnd(deps: CreditDeps, job: JobRecord, held: TenantLease): Promise<void> {
  const { jobs } = deps.store
  if (job.state !== 'running') await jobs.resume(job.id, held.token)
  try {
    await runGrantJob(deps, job, held)
  } catch (error) {
    const [step] = await jobs.steps(job.id)
    if (step?.state === 'failed' || step?.state === 'pending') await jobs.end(job.id, 'failed', step.error, held.token)
    throw error
  }
}

async function creditOf(deps: CreditDeps, jobId: string): Promise<Credit> {
  const [step] = await deps.store.jobs.steps(jobId)
  const id = step === undefined ? null : grantIdOf(step)
  if (step === undefined || id === null)
    throw new ServiceError('conflict', 'The credit expired before it could be granted.', {
      hint: 'Set a later time in `expires_at`.',
    })
  const stored = await deps.store.mirror.find('credit_grant', id)
  const { customer, amount, currency, category, name, prices, expiresAt, source } = recordedGrant(step.step)
  const createdAt = step.endedAt ?? deps.clock.now()
  const grant = stored ?? {
    ...{ id, customer, amount, currency, category, name, prices, expiresAt, source, createdAt },
    ...{ effectiveAt: createdAt, voidedAt: null },
  }
  return shownCredit(await deps.priceBook(), { ...grant, lapsed: 0, remaining: grant.amount }, deps.clock.now())
}
