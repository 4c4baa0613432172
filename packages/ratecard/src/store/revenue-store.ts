// Database operations on revenue: monthly recurring revenue (MRR) of items and customers, debts, and totals by day. Exact amounts are texts
// as in base/money/fraction.ts, in minor units, e.g. `25/3`.
import type { ProcessorId } from '../catalog/resource.ts'
import type {
  MirroredCustomer,
  MirroredInvoice,
  MirroredPrice,
  MirroredRefund,
  MirroredSubscription,
} from '../processor/mirrored.ts'
import type { CustomerStanding, Unsummed } from './mirror-store.ts'

/** Revenue of an item of a subscription that has not ended, to compute the sums of the account. */
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
  /** The customer's MRR by currency. Contains each currency in which the customer has MRR now, or has ever paid for a subscription. */
  readonly revenue: readonly CustomerRevenue[]
}

/** All mirrored objects of one customer that its sums are computed from. */
export interface StoredCustomer {
  /** The mirrored customer; null if the processor deleted the customer, or if the mirror has not read it yet. */
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
  /**
   * MRR by product. Products are named by the configuration id that they had then; null stands for products that are not in the
   * configuration.
   */
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
   * Stores the sums of customers and of their items, and updates the lists of tenants. If a customer has a later mark than `marked`, that
   * mark stays; see MirrorStore.saveStandings.
   */
  save(sums: readonly (CustomerSums & Pick<Unsummed, 'marked'>)[]): Promise<void>
  prices(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, MirroredPrice>>
  /** Returns items with ids above `after`, ascending by id. */
  items(after: string | null, limit: number): Promise<readonly RevenueItem[]>
  /** Returns the exact MRR of each given item. Items without stored sums are omitted. */
  monthlyOf(items: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Returns the number of items for each combination of currency and exact MRR. Only items that count towards the MRR are included. So the
   * MRR of the account can be computed from a few rows.
   */
  monthlyCounts(): Promise<readonly { readonly currency: string; readonly monthly: string; readonly items: number }[]>
  /**
   * Returns the customer of each refund. For a refund without a customer, it is the customer of the invoice or purchase with the same
   * payment. If there is none, the refund is omitted.
   */
  refundedCustomers(refunds: readonly MirroredRefund[]): Promise<ReadonlyMap<string, ProcessorId>>
  /** Returns customers that owe something or had an invoice written off. */
  debts(): Promise<readonly CustomerDebt[]>
  /** Returns customers whose MRR changed since the last stored day. */
  changes(): Promise<readonly StoredRevenueChange[]>
  /** Returns the last stored day; null before the first one. */
  lastDay(): Promise<string | null>
  /**
   * Stores the totals of a day; `rows` is empty for the day before the mirror began. From now on, changes of the MRR are computed from the
   * present MRR of the customers. If `after` is no longer the last stored day, changes nothing and returns false.
   */
  keepDay(day: string, after: string | null, rows: readonly RevenueDay[]): Promise<boolean>
  /** Returns the rows of these days (both included), ascending by day and currency. */
  days(from: string, to: string): Promise<readonly RevenueDay[]>
}
