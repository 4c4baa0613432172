// What the mirror keeps of the account: ids, states, dates and amounts of subscriptions, invoices, refunds, credit notes, customers and
// prices. No names, addresses or cards. Times are epoch milliseconds; amounts are minor units.
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { ProcessorEvent } from './processor-event.ts'
import type { WriteOptions } from './write-options.ts'
import type { LiveItem, LiveSubscription, ScheduledMove } from './customer-half.ts'

/** A discount of a subscription or of one of its items, with the facts of its coupon. */
export interface MirroredDiscount {
  readonly id: string
  readonly coupon: ProcessorId
  readonly duration: 'forever' | 'once' | 'repeating'
  /** Percentage as canonical decimal, e.g. `12.5`; null for an amount. */
  readonly percentOff: string | null
  /** Minor units by currency; empty for a percentage. */
  readonly amountOff: Readonly<Record<string, number>>
  /** Product ids that the coupon is limited to; null for all. */
  readonly products: readonly ProcessorId[] | null
  readonly endsAt: number | null
}

export interface MirroredItem extends LiveItem {
  readonly discounts: readonly MirroredDiscount[]
}

export interface MirroredSubscription extends Omit<LiveSubscription, 'items'> {
  readonly items: readonly MirroredItem[]
  readonly discounts: readonly MirroredDiscount[]
  readonly collectionMethod: 'charge_automatically' | 'send_invoice'
  /** Paused collection (`pause_collection`), e.g. `{ behavior: 'void', resumesAt: null }`; null if it collects. */
  readonly paused: { readonly behavior: string; readonly resumesAt: number | null } | null
  readonly cancelAt: number | null
  readonly canceledAt: number | null
  readonly endedAt: number | null
  /** Prices after the current period, by item's present price, from its schedule; empty without one. */
  readonly scheduled: readonly ScheduledMove[]
  readonly testClock: string | null
}

/** A finalized invoice line. */
export interface MirroredInvoiceLine {
  readonly description: string | null
  readonly price: ProcessorId | null
  readonly subscriptionItem: string | null
  readonly quantity: number | null
  /** Before discounts. */
  readonly amount: number
  /** Sum of the discounts of this line. */
  readonly discount: number
  readonly proration: boolean
  readonly periodStart: number
  readonly periodEnd: number
}

export interface MirroredInvoice {
  readonly id: string
  readonly number: string | null
  readonly customer: ProcessorId
  /** null for an invoice made by hand. */
  readonly subscription: string | null
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  /** e.g. `subscription_create`, `subscription_cycle`, `manual`. */
  readonly billingReason: string | null
  readonly currency: string
  readonly createdAt: number
  /** Time of finalization; null for a draft. */
  readonly finalizedAt: number | null
  readonly dueAt: number | null
  readonly paidAt: number | null
  readonly subtotal: number
  /** Sum of all discounts. */
  readonly discount: number
  readonly tax: number
  readonly total: number
  readonly amountDue: number
  readonly amountPaid: number
  readonly amountRemaining: number
  readonly attemptCount: number
  readonly nextAttemptAt: number | null
  /** Page where the customer sees and pays it. */
  readonly url: string | null
  /** Payment intents and charges that paid it; refunds name one of them. */
  readonly payments: readonly string[]
  readonly lines: readonly MirroredInvoiceLine[]
}

export interface MirroredRefund {
  readonly id: string
  /** Payment intent or charge that it refunds. */
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
  readonly customer: ProcessorId
  readonly status: 'issued' | 'void'
  readonly currency: string
  readonly createdAt: number
  readonly subtotal: number
  readonly discount: number
  readonly tax: number
  readonly total: number
}

export interface MirroredCustomer {
  readonly id: ProcessorId
  /** Credit balance in minor units by currency; negative is credit of the customer, as at the processor. */
  readonly balance: Readonly<Record<string, number>>
  readonly deleted: boolean
  readonly testClock: string | null
  /** Discount of subscriptions and invoices that have none of their own; null without one. */
  readonly discount: MirroredDiscount | null
}

/** Amounts of a price in one currency. */
export interface MirroredAmounts {
  /** Canonical decimal in minor units; null with tiers. */
  readonly unitAmount: string | null
  readonly tiers:
    | readonly {
        readonly upTo: number | null
        readonly unitAmount: string | null
        readonly flatAmount: string | null
      }[]
    | null
}

/** A recurring price with all its amounts, which never change once it exists. */
export interface MirroredPrice {
  readonly id: ProcessorId
  readonly product: ProcessorId
  readonly currency: string
  readonly interval: Interval
  readonly intervalCount: number
  readonly usageType: 'licensed' | 'metered'
  readonly tiersMode: 'graduated' | 'volume' | null
  readonly transformQuantity: { readonly divideBy: number; readonly round: 'up' | 'down' } | null
  /** By currency, its own included. */
  readonly amounts: Readonly<Record<string, MirroredAmounts>>
}

/** One kind for each list that the mirror reads. */
export interface Mirrored {
  readonly price: MirroredPrice
  readonly customer: MirroredCustomer
  readonly subscription: MirroredSubscription
  readonly invoice: MirroredInvoice
  readonly credit_note: MirroredCreditNote
  readonly refund: MirroredRefund
}
export type MirroredKind = keyof Mirrored

export const mirroredKinds = [
  'price',
  'customer',
  'subscription',
  'invoice',
  'credit_note',
  'refund',
] as const satisfies readonly MirroredKind[]

/** One page of a list, newest first. */
export interface MirroredPage<K extends MirroredKind> {
  readonly objects: readonly Mirrored[K][]
  /** Ids of objects that the adapter could not read, e.g. because a status is unknown. One of them must not stop the whole list. */
  readonly unreadable: readonly string[]
  /** Cursor of the next page; null after the last. */
  readonly next: string | null
}

/** Endpoint at the processor that delivers events to a mirror. */
export interface EventsEndpoint {
  readonly id: ProcessorId
  readonly url: string
  readonly enabled: boolean
  /** Types of events that it delivers, sorted. */
  readonly types: readonly string[]
}

export interface MadeEndpoint {
  readonly id: ProcessorId
  /** Signing secret, which the processor returns only at creation. Never logged. */
  readonly secret: string
}

/** An event as it was delivered over HTTP. */
export interface DeliveredEvent {
  /** Text of the body as it came: the signature is made over it. */
  readonly body: string
  /** Header with the signature; null if it is missing. */
  readonly signature: string | null
  /** Secrets of the endpoints that may have received it. */
  readonly secrets: readonly string[]
}

/** Part of the processor port that the mirror works with. */
export interface MirrorReads {
  /** Returns one page (100 objects) of everything, ended and test-clock objects included; one-time prices are left out. */
  mirrorPage<K extends MirroredKind>(kind: K, after: string | null, signal: AbortSignal): Promise<MirroredPage<K>>
  /** Returns one object; null if the processor does not have it (any more), e.g. a deleted draft. */
  mirrorObject<K extends MirroredKind>(kind: K, id: string, signal: AbortSignal): Promise<Mirrored[K] | null>
  /** Returns the endpoints of mirrors, also of other services on the same account. No snapshot contains them. */
  eventsEndpoints(signal: AbortSignal): Promise<readonly EventsEndpoint[]>
  createEventsEndpoint(
    endpoint: { readonly url: string; readonly types: readonly string[] },
    options: WriteOptions,
  ): Promise<MadeEndpoint>
  /** Returns the event of a delivery; null unless one of its secrets signed it within the last five minutes. */
  delivery(delivered: DeliveredEvent): ProcessorEvent | null
}
