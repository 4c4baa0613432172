// Records of revenue: what items and customers pay a month, and the sums of days.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { MirroredCustomer, MirroredSubscription, MirroredInvoice } from '../../processor/mirrored.ts'
import type { CustomerStanding } from './billing-status.ts'

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
