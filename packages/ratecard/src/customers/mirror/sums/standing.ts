// Computes the standing of a customer (its billing status, MRR and debts) from its subscriptions and invoices. Lists of tenants are
// filtered and sorted by it.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { decimalText } from '../../../base/money/decimal.ts'
import { fractionDecimal, fractionText, zeroFraction } from '../../../base/money/fraction.ts'
import type {
  MirroredCustomer,
  MirroredInvoice,
  MirroredPrice,
  MirroredSubscription,
} from '../../../processor/mirrored.ts'
import { mostUrgentStatus } from '../../../store/records/billing-status.ts'
import { countsAsRevenue, revenueOf, sumByCurrency, type ItemRevenue, type RevenueContext } from './mrr.ts'
import { usageOf } from './usage.ts'
import type { CustomerSums, ItemRevenueRecord } from '../../../store/records/revenue.ts'

/** All mirrored objects of one customer that its sums are computed from. */
export interface CustomerFacts {
  readonly customer: MirroredCustomer
  /** All subscriptions, ended ones included. */
  readonly subscriptions: readonly MirroredSubscription[]
  readonly invoices: readonly MirroredInvoice[]
  readonly prices: ReadonlyMap<ProcessorId, MirroredPrice>
}

/** True for a subscription that has ended and cannot continue. */
export function hasEnded({ status }: Pick<MirroredSubscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

export function standingOf({ customer, subscriptions, invoices, prices }: CustomerFacts): CustomerSums {
  const running = subscriptions.filter((subscription) => !hasEnded(subscription))
  const context = { prices, customerDiscount: customer.discount, invoices }
  const revenue = running.flatMap((subscription) => revenueOf(subscription, context))
  const monthly = sumByCurrency(revenue)
  return {
    customer: customer.id,
    billingStatus: running.length === 0 ? null : mostUrgentStatus(running.map(({ status }) => status)),
    monthly: Object.fromEntries([...monthly].map(([currency, sum]) => [currency, decimalText(fractionDecimal(sum))])),
    owed: sumRemaining(invoices.filter((invoice) => isOwed(invoice, subscriptions))),
    writtenOff: sumRemaining(invoices.filter((invoice) => invoice.status === 'uncollectible')),
    items: running.flatMap((subscription) => itemRecords(subscription, invoices, context)),
    revenue: [...new Set([...monthly.keys(), ...paidCurrencies(invoices)])].map((currency) => ({
      currency,
      monthly: fractionText(monthly.get(currency) ?? zeroFraction),
    })),
  }
}

/** Returns the currencies in which the customer has ever paid an invoice of a subscription. */
function paidCurrencies(invoices: readonly MirroredInvoice[]): readonly string[] {
  return invoices
    .filter(({ subscription, status, total }) => subscription !== null && status === 'paid' && total > 0)
    .map(({ currency }) => currency)
}

/**
 * True if the invoice is open and owed. The first invoice of a subscription that never started is not owed, because nothing was delivered.
 */
function isOwed(invoice: MirroredInvoice, subscriptions: readonly MirroredSubscription[]): boolean {
  if (invoice.status !== 'open') return false
  const status = subscriptions.find(({ id }) => id === invoice.subscription)?.status
  return status !== 'incomplete' && status !== 'incomplete_expired'
}

function sumRemaining(invoices: readonly MirroredInvoice[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { currency, amountRemaining } of invoices)
    if (amountRemaining !== 0) sums[currency] = (sums[currency] ?? 0) + amountRemaining
  return sums
}

/** Returns one row for each item of a subscription that has not ended, so that the database can compute sums by price and product. */
function itemRecords(
  subscription: MirroredSubscription,
  invoices: readonly MirroredInvoice[],
  context: RevenueContext,
): ItemRevenueRecord[] {
  const counts = countsAsRevenue(subscription)
  const revenue = new Map<string, ItemRevenue>(revenueOf(subscription, context).map((one) => [one.item, one]))
  const usage = counts ? usageOf(subscription, invoices) : new Map<string, number>()
  return subscription.items.map(({ id, price }) => ({
    subscription: subscription.id,
    item: id,
    price: price.id,
    product: price.product,
    currency: subscription.currency,
    status: subscription.status,
    counts,
    monthly: fractionText(revenue.get(id)?.monthly ?? zeroFraction),
    usageLastPeriod: usage.get(id) ?? 0,
  }))
}
