// Database operations on sums of the mirror: monthly recurring revenue (MRR) of items and customers, debts, and the days that are kept.
// Exact amounts are texts of money/fraction.ts in minor units, e.g. `25/3`.
import type { ProcessorId } from '../catalog/resource.ts'
import type {
  MirroredCustomer,
  MirroredInvoice,
  MirroredPrice,
  MirroredRefund,
  MirroredSubscription,
} from '../processor/mirrored.ts'
import type { CustomerStanding, Unsummed } from './mirror-store.ts'

/** Part of one item of a subscription that has not ended in the sums of the account. */
export interface ItemRevenueRecord {
  readonly subscription: string
  readonly item: string
  readonly price: ProcessorId
  readonly product: ProcessorId | null
  readonly currency: string
  /** Status of the subscription. */
  readonly status: string
  /** True if the subscription is part of the MRR: `active` or `past_due`, and collecting. */
  readonly counts: boolean
  readonly monthly: string
  /** Minor units that a metered item was billed for its last finished period; 0 for a licensed one. */
  readonly usageLastPeriod: number
}

export interface CustomerRevenue {
  readonly currency: string
  readonly monthly: string
}

/** All sums of one customer. */
export interface CustomerSums extends CustomerStanding {
  /** Items of its subscriptions that have not ended. */
  readonly items: readonly ItemRevenueRecord[]
  /** Its MRR in each currency in which it has MRR or ever paid an invoice of a subscription. */
  readonly revenue: readonly CustomerRevenue[]
}

/** Everything that the mirror holds of one customer, as its sums need it. */
export interface StoredCustomer {
  /** null if the processor deleted the customer, or the mirror has not read it yet. */
  readonly customer: MirroredCustomer | null
  /** Ended ones included. */
  readonly subscriptions: readonly MirroredSubscription[]
  readonly invoices: readonly MirroredInvoice[]
}

export interface RevenueItem extends ItemRevenueRecord {
  readonly tenantId: string | null
  readonly customer: ProcessorId
}

/** Debts of one customer, in minor units by currency. */
export interface CustomerDebt {
  readonly customer: ProcessorId
  readonly tenantId: string | null
  readonly billingStatus: string | null
  readonly owed: Readonly<Record<string, number>>
  readonly writtenOff: Readonly<Record<string, number>>
}

/** MRR of a customer that differs from what it was at the end of the last kept day. */
export interface StoredRevenueChange {
  readonly currency: string
  readonly before: string
  readonly after: string
  readonly paidBefore: boolean
}

/** Sums of one ended day (UTC, e.g. `2026-01-31`) in one currency. */
export interface RevenueDay {
  readonly day: string
  readonly currency: string
  readonly mrr: string
  readonly usageLastPeriod: number
  /** By configuration id at that time; null for products that are not in the configuration. */
  readonly byProduct: readonly {
    readonly productId: string | null
    readonly mrr: string
    readonly usageLastPeriod: number
  }[]
  readonly new: string
  readonly expansion: string
  readonly contraction: string
  readonly churn: string
  readonly reactivation: string
  /** Minor units that customers past due owed at its end. */
  readonly pastDue: number
}

export interface RevenueStore {
  /** Returns what the mirror holds of these customers. */
  customers(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, StoredCustomer>>
  /** Stores sums of customers as MirrorStore.saveStandings does, with those of their items. */
  save(sums: readonly (CustomerSums & Pick<Unsummed, 'marked'>)[]): Promise<void>
  prices(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, MirroredPrice>>
  /** Returns items with ids above `after`, ascending by id. */
  items(after: string | null, limit: number): Promise<readonly RevenueItem[]>
  /** Returns the exact MRR of each of these items; items without sums are omitted. */
  monthlyOf(items: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the number of items by currency and exact MRR, so that the MRR of the account is a short sum. */
  monthlyCounts(): Promise<readonly { readonly currency: string; readonly monthly: string; readonly items: number }[]>
  /**
   * Returns the customer of each of these refunds. A refund without a customer of its own belongs to the invoice with the same payment;
   * one without an invoice either is omitted.
   */
  refundedCustomers(refunds: readonly MirroredRefund[]): Promise<ReadonlyMap<string, ProcessorId>>
  /** Returns customers that owe something or had something written off. */
  debts(): Promise<readonly CustomerDebt[]>
  /** Returns customers whose MRR changed since the last kept day. */
  changes(): Promise<readonly StoredRevenueChange[]>
  /** Last day that was kept; null before the first one. */
  lastDay(): Promise<string | null>
  /**
   * Keeps a day with its rows (none for the day before the mirror began) and makes the present MRR the one that later changes are compared
   * with. False, without any change, if `after` is no longer the last kept day.
   */
  keepDay(day: string, after: string | null, rows: readonly RevenueDay[]): Promise<boolean>
  /** Returns the rows of these days (both included), ascending by day and currency. */
  days(from: string, to: string): Promise<readonly RevenueDay[]>
}
