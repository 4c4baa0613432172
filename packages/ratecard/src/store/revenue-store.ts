// Database operations on revenue: monthly recurring revenue (MRR) of items and customers, debts, and sums by day. Exact amounts are texts
// of money/fraction.ts in minor units, e.g. `25/3`.
import type { ProcessorId } from '../catalog/resource.ts'
import type {
  MirroredCustomer,
  MirroredInvoice,
  MirroredPrice,
  MirroredRefund,
  MirroredSubscription,
} from '../processor/mirrored.ts'
import type { CustomerStanding, Unsummed } from './mirror-store.ts'

/** Revenue of one subscription item, for the sums of the account. The subscription has not ended. */
export interface ItemRevenueRecord {
  readonly subscription: string
  readonly item: string
  readonly price: ProcessorId
  readonly product: ProcessorId | null
  readonly currency: string
  readonly status: string
  /** True if the subscription counts towards the MRR: it is `active` or `past_due`, and its collection is not paused. */
  readonly counts: boolean
  readonly monthly: string
  /** Amount (minor units) billed for the last complete period of a metered item; 0 for a licensed item. */
  readonly usageLastPeriod: number
}

export interface CustomerRevenue {
  readonly currency: string
  readonly monthly: string
}

/** All stored sums of one customer. */
export interface CustomerSums extends CustomerStanding {
  /** Items of the customer's subscriptions, without ended subscriptions. */
  readonly items: readonly ItemRevenueRecord[]
  /**
   * The customer's MRR by currency. It has an entry for each currency in which the customer has MRR now or ever paid for a subscription.
   */
  readonly revenue: readonly CustomerRevenue[]
}

/** All mirrored objects of one customer that its sums are computed from. */
export interface StoredCustomer {
  /** null if the processor deleted the customer, or the mirror has not read it yet. */
  readonly customer: MirroredCustomer | null
  /** All subscriptions, ended ones included. */
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

/** A customer whose MRR in one currency changed since the end of the last stored day. */
export interface StoredRevenueChange {
  readonly currency: string
  readonly before: string
  readonly after: string
  readonly paidBefore: boolean
}

/** Revenue sums of one complete day (UTC, e.g. `2026-01-31`) in one currency. */
export interface RevenueDay {
  readonly day: string
  readonly currency: string
  readonly mrr: string
  readonly usageLastPeriod: number
  /** MRR by product, under the configuration id that the product had then; null for products that are not in the configuration. */
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
  /** Minor units that past-due customers owed at the end of the day. */
  readonly pastDue: number
}

export interface RevenueStore {
  /** Returns the mirrored objects of each of these customers. */
  customers(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, StoredCustomer>>
  /**
   * Stores the sums of customers and of their items, and updates the lists of tenants. A mark later than `marked` stays, as in
   * MirrorStore.saveStandings.
   */
  save(sums: readonly (CustomerSums & Pick<Unsummed, 'marked'>)[]): Promise<void>
  prices(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, MirroredPrice>>
  /** Returns items with ids above `after`, ascending by id. */
  items(after: string | null, limit: number): Promise<readonly RevenueItem[]>
  /** Returns the exact MRR of each of these items; items without sums are omitted. */
  monthlyOf(items: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Returns the number of items with each combination of currency and exact MRR, among the items that count towards the MRR. So the MRR of
   * the account can be summed from a few rows.
   */
  monthlyCounts(): Promise<readonly { readonly currency: string; readonly monthly: string; readonly items: number }[]>
  /**
   * Returns the customer of each refund. If the refund has no customer, it is the customer of the invoice with the same payment. A refund
   * without such an invoice is omitted.
   */
  refundedCustomers(refunds: readonly MirroredRefund[]): Promise<ReadonlyMap<string, ProcessorId>>
  /** Returns customers that owe something or had an invoice written off. */
  debts(): Promise<readonly CustomerDebt[]>
  /** Returns customers whose MRR changed since the last stored day. */
  changes(): Promise<readonly StoredRevenueChange[]>
  /** Returns the last stored day; null before the first one. */
  lastDay(): Promise<string | null>
  /**
   * Stores the sums of a day (no rows for the day before the mirror began). Later changes are compared with the customers' MRR of this
   * moment. Returns false, without any change, if `after` is no longer the last stored day.
   */
  keepDay(day: string, after: string | null, rows: readonly RevenueDay[]): Promise<boolean>
  /** Returns the rows of these days (both included), ascending by day and currency. */
  days(from: string, to: string): Promise<readonly RevenueDay[]>
}
