// The data that the mirror keeps of the account: ids, states, dates and amounts of subscriptions, invoices, refunds, credit notes,
// customers, prices, paid checkouts and credit grants. It contains no names, addresses or cards. Times are epoch milliseconds; amounts are minor units (e.g. cents).
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { ProcessorEvent } from './processor-event.ts'
import type { WriteOptions } from './write-options.ts'
import type { LiveItem, LiveSubscription, ScheduledMove } from './customer-half.ts'

/** A discount of a subscription or of one of its items, with the terms of its coupon. */
export interface MirroredDiscount {
  readonly id: string
  readonly coupon: ProcessorId
  /** Duration of the coupon. null if the processor deleted the coupon before its terms were read; its discounts still apply. */
  readonly duration: 'forever' | 'once' | 'repeating' | null
  /** Percentage as canonical decimal, e.g. `12.5`; null if the coupon takes off an amount. */
  readonly percentOff: string | null
  /** Amount taken off, in minor units by currency; empty if the coupon takes off a percentage. */
  readonly amountOff: Readonly<Record<string, number>>
  /** Ids of the products that the coupon is limited to; null if it applies to all. */
  readonly products: readonly ProcessorId[] | null
  readonly endsAt: number | null
}

export interface MirroredItem extends LiveItem {
  readonly discounts: readonly MirroredDiscount[]
  /**
   * Sum of the inclusive tax rates of the item, as canonical decimal in per cent, e.g. `19`. The amount of the price includes this tax. If
   * the item has no tax rates, those of the subscription count. `0` without inclusive tax rates.
   */
  readonly inclusiveTaxPercent: string
  /** What the item was before changes within a period that is not over, oldest first; absent without such changes. Not from the processor. */
  readonly turns?: readonly ItemTurn[]
}

/** State of an item until a change within its period. Times are epoch milliseconds. */
export interface ItemTurn {
  /** Time at which the change was seen, within the period. */
  readonly at: number
  /** Billing period of the item before the change. If the item has another start now, the change began a new period. */
  readonly start: number
  readonly end: number
  /** null for an item that the subscription did not have. */
  readonly price: ProcessorId | null
  readonly product: ProcessorId | null
  /** null for a metered item. */
  readonly quantity: number | null
}

export interface MirroredSubscription extends Omit<LiveSubscription, 'items'> {
  readonly items: readonly MirroredItem[]
  readonly discounts: readonly MirroredDiscount[]
  /** True if the processor computes the taxes of each invoice itself. */
  readonly automaticTax: boolean
  readonly canceledAt: number | null
  readonly endedAt: number | null
  /** Moves of items to other prices that the subscription's schedule makes at the end of the current period. Empty without a schedule. */
  readonly scheduled: readonly ScheduledMove[]
}

/** A line of an invoice. */
export interface MirroredInvoiceLine {
  readonly description: string | null
  readonly price: ProcessorId | null
  readonly subscriptionItem: string | null
  readonly quantity: number | null
  /** Amount of the line before discounts. */
  readonly amount: number
  /** Sum of the discounts of this line. */
  readonly discount: number
  /** Sum of the taxes that the amount of this line contains. */
  readonly inclusiveTax: number
  readonly proration: boolean
  readonly periodStart: number
  readonly periodEnd: number
}

export interface MirroredInvoice {
  readonly id: string
  readonly number: string | null
  /** Customer of the invoice; null for an invoice without one, e.g. an invoice for an account of Stripe's Accounts API. */
  readonly customer: ProcessorId | null
  /** Processor id of the subscription; null for an invoice created by hand. */
  readonly subscription: string | null
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  /** Stripe's reason of the invoice, e.g. `subscription_create`, `subscription_cycle`, `manual`. */
  readonly billingReason: string | null
  readonly currency: string
  readonly createdAt: number
  /** Time of finalization; null for an invoice that is still a draft. */
  readonly finalizedAt: number | null
  readonly dueAt: number | null
  readonly paidAt: number | null
  readonly subtotal: number
  /** Sum of all discounts of the invoice. */
  readonly discount: number
  /** All taxes: those added to the amounts of the lines, and those that the amounts contain. */
  readonly tax: number
  /** Total after credit grants and before the customer's balance. */
  readonly total: number
  /** Due after balance and credit notes. */
  readonly amountDue: number
  /** Credited by credit notes before the payment. Absent in copies that an earlier version made. */
  readonly creditNotes?: number
  readonly amountPaid: number
  readonly amountRemaining: number
  readonly attemptCount: number
  readonly nextAttemptAt: number | null
  /** URL of the page where the customer sees and pays the invoice; null if it has none. */
  readonly url: string | null
  /** Ids of the payment intents and charges that paid the invoice. A refund refers to one of them. */
  readonly payments: readonly string[]
  readonly lines: readonly MirroredInvoiceLine[]
}

export interface MirroredRefund {
  readonly id: string
  /** Ids of the payment intent and the charge that were refunded. */
  readonly payments: readonly string[]
  readonly customer: ProcessorId | null
  readonly currency: string
  readonly amount: number
  readonly status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled'
  readonly createdAt: number
}

export interface MirroredCreditNote {
  readonly id: string
  readonly number: string | null
  readonly invoice: string
  readonly customer: ProcessorId | null
  readonly status: 'issued' | 'void'
  readonly currency: string
  readonly createdAt: number
  readonly subtotal: number
  readonly discount: number
  /** All taxes, as {@link MirroredInvoice}. */
  readonly tax: number
  /** Those of them that the amounts contain. Absent in copies that an earlier version made. */
  readonly taxIncluded?: number
  readonly total: number
}

export interface MirroredCustomer {
  readonly id: ProcessorId
  /** Balance of the customer in minor units, by currency. As at the processor, a negative balance is credit that the customer has. */
  readonly balance: Readonly<Record<string, number>>
  readonly deleted: boolean
  /** Id of the tenant that the metadata of the customer names; null if it names none. */
  readonly tenant: string | null
  readonly testClock: string | null
  /** The customer's discount. It applies to subscriptions and invoices without a discount of their own. null if the customer has none. */
  readonly discount: MirroredDiscount | null
}

/** Amounts of a price in one of its currencies. */
export interface MirroredAmounts {
  /** Canonical decimal in minor units; null for a tiered price. */
  readonly unitAmount: string | null
  readonly tiers:
    | readonly {
        readonly upTo: number | null
        readonly unitAmount: string | null
        readonly flatAmount: string | null
      }[]
    | null
}

/** A recurring price with its amounts in all its currencies. */
export interface MirroredPrice {
  readonly id: ProcessorId
  readonly product: ProcessorId
  readonly currency: string
  readonly interval: Interval
  readonly intervalCount: number
  readonly usageType: 'licensed' | 'metered'
  readonly tiersMode: 'graduated' | 'volume' | null
  readonly transformQuantity: { readonly divideBy: number; readonly round: 'up' | 'down' } | null
  /** Amounts by currency, including the price's main currency. */
  readonly amounts: Readonly<Record<string, MirroredAmounts>>
}

/** A checkout session in payment mode that was paid: a purchase of one-time prices. */
export interface MirroredPurchase {
  readonly id: string
  readonly customer: ProcessorId | null
  readonly currency: string
  readonly createdAt: number
  /** Time of the payment; the time of creation where nothing was to be paid. */
  readonly paidAt: number
  /** Invoice of the purchase, if the checkout session was configured to create one; null otherwise. */
  readonly invoice: string | null
  /** Payment intent of the purchase, to which refunds refer; null where nothing was to be paid. */
  readonly payment: string | null
  /** Sum of the lines before discounts, with the taxes that their amounts contain. */
  readonly subtotal: number
  readonly discount: number
  /** Taxes added to the amounts of the lines. */
  readonly tax: number
  /** Taxes that the amounts of the lines contain. */
  readonly taxIncluded: number
  readonly total: number
  readonly lines: readonly {
    readonly price: ProcessorId | null
    readonly quantity: number | null
    /** Amount of the line before discounts and taxes. */
    readonly amount: number
  }[]
}

/** Prepaid or promotional credit of a customer, which pays for metered usage. */
export interface MirroredCreditGrant {
  readonly id: string
  /** null for a grant of an account of Stripe's Accounts API. */
  readonly customer: ProcessorId | null
  readonly currency: string
  /** Granted amount. */
  readonly amount: number
  readonly category: 'paid' | 'promotional' | null
  readonly name: string | null
  /** Metered prices that the credit pays for; null for all. */
  readonly prices: readonly ProcessorId[] | null
  readonly effectiveAt: number | null
  readonly expiresAt: number | null
  readonly voidedAt: number | null
  readonly createdAt: number
  /**
   * Value of the metadata key `ratecard_credit`, which identifies the reason of the grant. null for a grant that was not created by
   * Ratecard.
   */
  readonly source: string | null
}

/** A change of the balance of a credit grant, e.g. by an invoice that it paid for. */
export interface MirroredCreditTransaction {
  readonly id: string
  readonly grant: string
  readonly reason:
    | 'granted'
    | 'applied'
    | 'expired'
    | 'voided'
    /** An invoice that the credit had paid for was voided, so the amount was returned to the credit. */
    | 'returned'
  /** Change of the balance: positive for `granted` and `returned`, negative otherwise. */
  readonly amount: number
  readonly currency: string
  readonly invoice: string | null
  readonly createdAt: number
}

/** Type of the mirrored object for each kind. For each kind, the mirror reads one list at the processor. */
export interface Mirrored {
  readonly price: MirroredPrice
  readonly customer: MirroredCustomer
  readonly subscription: MirroredSubscription
  readonly invoice: MirroredInvoice
  readonly credit_note: MirroredCreditNote
  readonly refund: MirroredRefund
  readonly purchase: MirroredPurchase
  readonly credit_grant: MirroredCreditGrant
  readonly credit_transaction: MirroredCreditTransaction
}
export type MirroredKind = keyof Mirrored

/**
 * All kinds, in the order in which the first fill lists them. Invoices come early, because the number of payments determines how many reads
 * the processor allows.
 */
export const mirroredKinds = [
  'price',
  'invoice',
  'customer',
  'subscription',
  'credit_note',
  'refund',
  'purchase',
  'credit_grant',
  'credit_transaction',
] as const satisfies readonly MirroredKind[]

/** One page of a list of the processor, newest objects first. */
export interface MirroredPage<K extends MirroredKind> {
  readonly objects: readonly Mirrored[K][]
  /**
   * Ids of objects that the adapter could not convert, e.g. because of an unknown status. The other objects of the list are returned
   * nevertheless.
   */
  readonly unreadable: readonly string[]
  /** Cursor of the next page; null after the last. */
  readonly next: string | null
}

/** Endpoint at the processor that delivers events to a mirror. */
export interface EventsEndpoint {
  readonly id: ProcessorId
  readonly url: string
  readonly enabled: boolean
  /** Types of the events that the endpoint delivers, sorted. */
  readonly types: readonly string[]
}

export interface MadeEndpoint {
  readonly id: ProcessorId
  /** Signing secret of the endpoint, which the processor returns only at creation. Never logged. */
  readonly secret: string
}

/** A webhook event as the processor delivered it over HTTP. */
export interface DeliveredEvent {
  /** Body of the delivery, byte for byte as received, because the signature is computed over it. */
  readonly body: string
  /** Value of the signature header; null if the header is missing. */
  readonly signature: string | null
  /** Signing secrets of all endpoints that may have received the delivery. */
  readonly secrets: readonly string[]
}

export interface CountedUsageQuery {
  readonly meter: ProcessorId
  readonly customer: ProcessorId
  /** Epoch milliseconds. */
  readonly from: number
  /** Epoch milliseconds, which are not part of the time. */
  readonly to: number
}

/** Part of the processor port that the mirror and the nightly comparisons use. */
export interface MirrorReads {
  /**
   * Returns one page (100 objects) of all objects of a kind, including ended objects and objects on test clocks. Leaves out one-time
   * prices, and checkout sessions that are no paid purchases.
   */
  mirrorPage<K extends MirroredKind>(kind: K, after: string | null, signal: AbortSignal): Promise<MirroredPage<K>>
  /** Returns one object. Returns null if it does not exist at the processor or was deleted, e.g. a deleted draft. */
  mirrorObject<K extends MirroredKind>(kind: K, id: string, signal: AbortSignal): Promise<Mirrored[K] | null>
  /**
   * Returns the usage of a customer that the processor has counted within a time, aggregated with the meter's formula. Events of the last
   * minutes may be missing. `from` and `to` are whole minutes.
   */
  countedUsage(question: CountedUsageQuery, signal: AbortSignal): Promise<number>
  /**
   * Returns the webhook endpoints of mirrors, including those of other services on the same account. Snapshots leave these endpoints out.
   */
  eventsEndpoints(signal: AbortSignal): Promise<readonly EventsEndpoint[]>
  createEventsEndpoint(
    endpoint: { readonly url: string; readonly types: readonly string[] },
    options: WriteOptions,
  ): Promise<MadeEndpoint>
  /** Returns the event in a delivery. Returns null unless one of `secrets` signed the delivery within the last five minutes. */
  delivery(delivered: DeliveredEvent): ProcessorEvent | null
}
