// Makes the credit grants for paid invoices and purchases at the processor. The mirror adds each payment to a queue in the same transaction
// that stores the payment, so that no payment is lost in a crash. Every replica reads the queue, but only the replica that holds the lease
// makes the grants.
import { openAct } from '../../acts/act.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { unfinishedJobStates, type JobRecord } from '../../store/records/journal.ts'
import { scopeOf, type PriceBook } from '../item-swaps/price-book.ts'
import { currentConfig } from '../subscriptions/price-names.ts'
import { jobLease, type TenantLease } from '../../acts/lease.ts'
import { pricesOfMeters, type CreditHistory } from './credit-terms.ts'
import {
  carriedBack,
  creditsOf,
  paymentOfInvoice,
  paymentOfPurchase,
  type CreditTerms,
  type Payment,
} from './decide-credits.ts'
import type { CreditDeps } from './deps.ts'
import { runGrantJob, type CreditInput } from './grant-job.ts'
import { grantAct, type PlannedGrant } from './grant-step.ts'
import type { PaidObject } from '../../store/records/mirror.ts'

const lease = 'credits'
const batch = 100
const minDelayMs = 500
/** Delay (ms) before the next attempt to grant the credits of a payment after a failure in this service, e.g. of the store. */
const retryMs = 60_000

type Report = (error: unknown) => void

/** What a decision about credits rests on. */
export type OwedDeps = Pick<CreditDeps, 'store' | 'priceBook' | 'applied'>

/**
 * Grants all owed credits: for new payments, for interrupted jobs, and for jobs whose next attempt is due. A credit that cannot be granted
 * now is passed to `report` and retried later.
 */
export async function grantOwedCredits(deps: CreditDeps, history: CreditHistory, report: Report): Promise<void> {
  if ((await deps.store.credits.nextPaidAt()) === null && (await jobsDue(deps)).length === 0) return
  await underLease(deps, lease, async ({ signal }) => {
    for (const job of await jobsDue(deps)) await continueJob(deps, job.id, report)
    for (;;) {
      const paid = await deps.store.credits.paid(deps.clock.now(), batch)
      const settled: PaidObject[] = []
      for (const one of paid) {
        if (signal.aborted) break
        if (await grantCreditsOf(deps, history, one, report)) settled.push(one)
      }
      await deps.store.credits.settlePaid(settled)
      if (paid.length < batch || signal.aborted) return
    }
  })
}

/**
 * Returns the time (epoch milliseconds) at which the next credit is due; null if none is due. The time is at least `minDelayMs` from now,
 * so that a replica does not poll continuously while another replica grants the credits.
 */
export async function nextCreditAt(deps: CreditDeps): Promise<number | null> {
  const waiting = (await deps.store.jobs.unfinished('credit_grant')).flatMap(({ resumesAt }) => resumesAt ?? [])
  const paid = await deps.store.credits.nextPaidAt()
  const next = Math.min(...waiting, paid ?? Infinity)
  return next === Infinity ? null : Math.max(next, deps.clock.now() + minDelayMs)
}

/** Runs `work` under a lease. Returns null, without running it, if another process holds the lease. */
const underLease = (deps: CreditDeps, name: string, work: (held: TenantLease) => Promise<void>) =>
  deps.store.tryExclusively(name, async ({ token, signal }) => {
    await work({ token, signal: AbortSignal.any([signal, deps.shutdown]) })
    return true
  })

/** Returns the unfinished jobs that are due: waiting jobs whose date has come, and jobs whose process may have died. */
async function jobsDue({ store, clock }: CreditDeps): Promise<readonly JobRecord[]> {
  const unfinished = await store.jobs.unfinished('credit_grant')
  return unfinished.filter(({ resumesAt }) => resumesAt === null || resumesAt <= clock.now())
}

/** Continues a job, unless another process runs it or it was cancelled meanwhile. */
async function continueJob(deps: CreditDeps, id: string, report: Report): Promise<void> {
  try {
    await underLease(deps, jobLease(id), async (held) => {
      const job = await deps.store.jobs.find(id)
      if (job === null || !unfinishedJobStates.some((state) => state === job.state)) return
      await deps.assertAccount('write')
      await deps.store.jobs.resume(id, held.token)
      await runGrantJob(deps, job, held)
    })
  } catch (error) {
    report(error)
  }
}

/** Grants the credits of a payment by opening and running a job. Returns false if this must be retried later. */
async function grantCreditsOf(
  deps: CreditDeps,
  history: CreditHistory,
  paid: PaidObject,
  report: Report,
): Promise<boolean> {
  try {
    const id = jobIdOf(paid.id)
    if ((await deps.store.jobs.find(id)) === null) {
      const payment = await paymentOf(deps, paid)
      const credits = payment === null ? [] : await decideOwed(deps, history, payment, deps.clock.now())
      if (payment !== null && credits.length > 0) await openJob(deps, id, payment, credits, report)
    }
    return true
  } catch (error) {
    report(error)
    await deps.store.credits.postponePaid(paid, deps.clock.now() + retryMs)
    return false
  }
}

/** Id of the job of a payment. Every event of the payment leads to the same id, so that the credits are granted once. */
const jobIdOf = (paid: string) => `credit-${paid}`

async function paymentOf({ store }: CreditDeps, { kind, id }: PaidObject): Promise<Payment | null> {
  if (kind === 'invoice') {
    const invoice = await store.mirror.find('invoice', id)
    return invoice === null ? null : paymentOfInvoice(invoice)
  }
  const purchase = await store.mirror.find('purchase', id)
  return purchase === null ? null : paymentOfPurchase(purchase)
}

/** Decides the credits of a payment, without those that have expired by `now`. */
export async function decideOwed(deps: OwedDeps, history: CreditHistory, payment: Payment, now: number) {
  const book = await deps.priceBook()
  const terms = new Map<ProcessorId, CreditTerms>()
  for (const { price } of payment.lines) {
    const found = await history.termsOf(book, price, payment.soldAt)
    if (found === null) continue
    const { meters, metered, ...rest } = found
    const prices =
      meters === null || metered === null
        ? null
        : pricesOfMeters(book, await currentConfig(deps.applied), { meters, metered }, await pricesOf(deps, payment))
    terms.set(price, { ...rest, prices })
  }
  const own = takenBackIn(book, payment.takenBack)
  const carried = terms.size === 0 ? () => 0 : await carriedIn(deps, { history, book }, payment)
  return creditsOf(payment, terms, now, (price) => own(price) + carried(price))
}

/** Returns a function that tells what earlier invoices of the subscription took back beyond what they asked. See {@link carriedBack}. */
async function carriedIn(
  deps: OwedDeps,
  { history, book }: { readonly history: CreditHistory; readonly book: PriceBook },
  { id, customer, subscription, soldAt }: Payment,
): Promise<(price: ProcessorId) => number> {
  if (subscription === null) return () => 0
  const earlier: Payment[] = []
  for (let offset = 0; ; offset += batch) {
    const { items } = await deps.store.mirror.billedTo(customer, { limit: batch, offset })
    for (const { kind, object } of items) {
      const payment = kind === 'invoice' && object.subscription === subscription ? paymentOfInvoice(object) : null
      if (payment !== null && payment.id !== id && payment.soldAt <= soldAt) earlier.push(payment)
    }
    if (items.length < batch) break
  }
  const takesBack = ({ takenBack }: Payment) => takenBack.some(({ amount }) => amount > 0)
  if (!earlier.some(takesBack)) return () => 0
  // Within one second, what is taken back was asked before.
  earlier.sort((a, b) => a.soldAt - b.soldAt || Number(takesBack(a)) - Number(takesBack(b)))
  const granting = new Set<ProcessorId>()
  for (const payment of earlier)
    for (const { price } of [...payment.lines, ...payment.takenBack])
      if ((await history.termsOf(book, price, payment.soldAt)) !== null) granting.add(price)
  return (price) =>
    carriedBack(
      earlier.map(({ lines, takenBack }) => ({
        asked: takenBackIn(book, lines)(price),
        takenBack: takenBackIn(
          book,
          takenBack.filter((one) => granting.has(one.price)),
        )(price),
      })),
    )
}

/**
 * Returns a function that adds up amounts of the product or group of a price, e.g. what a payment takes back. The product of a price that
 * was removed from the configuration is unknown, so what is taken back of it counts against all lines: too little credit can be given by
 * hand, too much cannot be taken back.
 */
function takenBackIn(book: PriceBook, takenBack: Payment['takenBack']): (price: ProcessorId) => number {
  const scopeOfPrice = (price: ProcessorId) => {
    const booked = book.find(book.idOf(price) ?? '')
    return booked === undefined ? null : scopeOf(booked.product)
  }
  const scopes = takenBack.map(({ price, amount }) => ({ scope: scopeOfPrice(price), amount }))
  return (price) => {
    const own = scopeOfPrice(price)
    const counted = scopes.filter(({ scope }) => scope === null || own === null || scope === own)
    return counted.reduce((sum, { amount }) => sum + amount, 0)
  }
}

async function pricesOf({ store }: OwedDeps, { customer }: Pick<Payment, 'customer'>) {
  const subscriptions = await store.mirror.subscriptionsOf(customer)
  return new Set(subscriptions.flatMap(({ items }) => items.map(({ price }) => price.id)))
}

/** Opens the job of a payment and runs it. A failure leaves the job waiting for its next attempt. */
async function openJob(
  deps: CreditDeps,
  id: string,
  { id: paidBy, customer }: Payment,
  steps: readonly PlannedGrant[],
  report: Report,
): Promise<void> {
  await deps.assertAccount('write')
  const tenant = await deps.store.tenants.findByCustomer(customer)
  const input = { tenant_id: tenant?.id ?? null, customer, paid_by: paidBy } satisfies CreditInput
  const caller = { author: null, by: null, requestId: null }
  const opened = await underLease(deps, jobLease(id), async (held) => {
    const subject = tenant?.id ?? customer
    const job = await openAct(deps, grantAct(deps), { id, kind: 'credit_grant', subject, input, steps, caller }, held)
    await runGrantJob(deps, job, held).catch(report)
  })
  if (opened === null)
    throw new ServiceError('tenant_busy', `Another process is granting the credits of ${paidBy} now.`)
}
