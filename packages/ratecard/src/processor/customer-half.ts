// The customer's half of the processor port: customers, their subscriptions, checkouts, usage and invoice previews.
// Failures are ProcessorErrors, sorted as in processor.ts. Times are epoch milliseconds; amounts are minor units.
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { WriteOptions } from './write-options.ts'

/** What a subscription item's price says of itself; prices of an item may be archived, or be none of ours. */
export interface LivePrice {
  readonly id: ProcessorId
  /** null where the processor does not say. */
  readonly product: ProcessorId | null
  readonly active: boolean
  readonly currency: string
  readonly interval: Interval
  readonly intervalCount: number
  readonly usageType: 'licensed' | 'metered'
  readonly meter: ProcessorId | null
  readonly billingScheme: 'per_unit' | 'tiered'
  /** Canonical decimal in minor units, of one unit or of one package; null with tiers. */
  readonly unitAmount: string | null
  /** The packages that a quantity is billed in; null where each unit is billed. */
  readonly transformQuantity: { readonly divideBy: number; readonly round: 'up' | 'down' } | null
}

export interface LiveItem {
  readonly id: string
  readonly price: LivePrice
  /** null for metered items. */
  readonly quantity: number | null
  readonly currentPeriodStart: number
  readonly currentPeriodEnd: number
}

export type SubscriptionStatus =
  'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused'

export interface LiveSubscription {
  readonly id: string
  readonly customer: ProcessorId
  readonly status: SubscriptionStatus
  readonly currency: string
  readonly items: readonly LiveItem[]
  /** The schedule that owns it, or null. */
  readonly schedule: string | null
  readonly cancelAtPeriodEnd: boolean
  /** Of its latest trial, also when that has ended; null for a subscription that never had one. */
  readonly trialStart: number | null
  readonly trialEnd: number | null
  readonly createdAt: number
  /** Config id of the price that a checkout sold it with: see `soldPriceKey`. null for one that was made elsewhere. */
  readonly soldPriceId: string | null
  /** Sold beside another one to the same product or group, on purpose: see `duplicateKey`. */
  readonly allowsDuplicate: boolean
  /** Ids of the free subscriptions, kept here alone, that it took the place of: see `endsKey`. */
  readonly ends: readonly string[]
}

/** Metadata key of the config id that was sold, as it was called then. */
export const soldPriceKey = 'ratecard_price_id'

/** Metadata key of what was sold with `allow_duplicate`; its value is `allowed`. */
export const duplicateKey = 'ratecard_duplicate'

/** Metadata key of what was sold to a tenant with free subscriptions: their ids, with a space between two. */
export const endsKey = 'ratecard_ends'

/** Moves one item to a price. Quantity is always passed on: without it the processor resets it to 1. */
export interface ItemSwap {
  readonly item: string
  readonly price: ProcessorId
  /** null for metered items, which have none. */
  readonly quantity: number | null
}

/** A change that takes effect when the running period ends. Items that are not named keep price and quantity. */
export interface ScheduledSwaps {
  readonly subscription: string
  readonly swaps: readonly { readonly from: ProcessorId; readonly to: ProcessorId }[]
}

export interface NewCustomer {
  /** Marks the customer as the tenant's, in its metadata. */
  readonly tenantId: string
  readonly name: string
  readonly email: string | null
}

export interface CheckoutRequest {
  readonly mode: 'subscription' | 'payment'
  readonly customer: ProcessorId
  readonly price: ProcessorId
  /** null for metered prices. */
  readonly quantity: number | null
  readonly successUrl: string
  readonly cancelUrl: string
  readonly trialPeriodDays: number | null
  /** null: the processor chooses among the price’s currencies. */
  readonly currency: string | null
  readonly allowPromotionCodes: boolean
  /** Processor id of one promotion code that is applied. */
  readonly promotionCode: ProcessorId | null
  /** On the session and, in subscription mode, on the subscription. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Checkout pages of one tenant that can still be paid. */
export interface OpenCheckouts {
  readonly customer: ProcessorId
  readonly tenantId: string
  /** Whether a page that sells the price of this config id is meant; every page when absent. */
  readonly sells?: (priceId: string) => boolean
  /** The session that stays open. */
  readonly except?: string
}

export interface UsageEvent {
  readonly eventName: string
  /** The meter's own payload keys. */
  readonly payload: Readonly<Record<string, string>>
  /** Epoch milliseconds; null is now. */
  readonly timestamp: number | null
  /** The processor counts an identifier once. */
  readonly identifier: string
}

/** Usage that was taken and is not counted, as the processor found out later. */
export interface UsageError {
  /** Epoch milliseconds. */
  readonly at: number
  /** null when there is no meter of that event name. */
  readonly meter: ProcessorId | null
  /** The processor's own, for example `meter_event_customer_not_found`. */
  readonly code: string
  readonly count: number
  readonly message: string
  /** Of some of the events. */
  readonly identifiers: readonly string[]
}

export interface InvoicePreviewLine {
  readonly description: string | null
  readonly price: ProcessorId | null
  readonly quantity: number | null
  readonly amount: number
  readonly periodStart: number
  readonly periodEnd: number
}

export interface InvoicePreview {
  readonly subscription: string
  readonly currency: string
  readonly subtotal: number
  readonly total: number
  readonly amountDue: number
  /** When it will be made; null when the processor does not say. */
  readonly dueAt: number | null
  readonly lines: readonly InvoicePreviewLine[]
}

/** A feature that a customer may use. */
export interface ActiveEntitlement {
  readonly feature: ProcessorId
  /** As the processor has it now. */
  readonly name: string
}

export interface CustomerProcessor {
  /** Every feature that the customer is entitled to by what it is subscribed to. */
  entitlements(customer: ProcessorId, signal: AbortSignal): Promise<readonly ActiveEntitlement[]>
  /** Every subscription of a customer that has not ended for good (canceled, incomplete_expired). Oldest first. */
  subscriptions(customer: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /** The same with those that have ended, for example to see whether a trial was used. */
  everySubscription(customer: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /** Every subscription that has not ended and has an item on this price, archived prices included. */
  subscriptionsOfPrice(price: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /**
   * Those of the whole account that have not ended, newest first, from this many list pages at most. `complete`: they are all
   * there are. One page tells everything about a small account, where a list for each price would be many.
   */
  someSubscriptions(
    pages: number,
    signal: AbortSignal,
  ): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }>
  /** null when the processor does not know it. Ended ones are found. */
  subscription(id: string, signal: AbortSignal): Promise<LiveSubscription | null>
  /**
   * One update of one subscription, `proration_behavior: none`: all swaps or none of them. On an unknown outcome read the
   * subscription before doing anything else.
   */
  swapItems(subscription: string, swaps: readonly ItemSwap[], options: WriteOptions): Promise<LiveSubscription>
  /**
   * Moves items at the end of the running period through a subscription schedule: the present one when there is one (its
   * later phases are changed too), else one made from the subscription and released afterwards. Never bills now.
   * Two processor writes at most (make, then change); a repeat finds what an earlier attempt made.
   */
  scheduleSwaps(request: ScheduledSwaps, options: WriteOptions): Promise<{ readonly effectiveAt: number }>
  /** Prices that each item will be on after the running period, by present price; empty without a schedule. */
  scheduledPrices(subscription: LiveSubscription, signal: AbortSignal): Promise<ReadonlyMap<ProcessorId, ProcessorId>>
  createCustomer(customer: NewCustomer, options: WriteOptions): Promise<ProcessorId>
  /** Sets name and address; what is absent stays, null empties. */
  updateCustomer(
    customer: ProcessorId,
    change: { readonly name?: string; readonly email?: string | null },
    options: WriteOptions,
  ): Promise<void>
  /** The customer that carries the tenant's mark and is no older than `since`; for a creation of unknown outcome. */
  findCustomer(tenantId: string, since: number, signal: AbortSignal): Promise<ProcessorId | null>
  createCheckout(
    request: CheckoutRequest,
    options: WriteOptions,
  ): Promise<{ readonly url: string; readonly sessionId: string }>
  /**
   * Ends the checkout pages of the customer that carry the tenant's mark and can still be paid. What was paid meanwhile is
   * paid: look at the subscriptions afterwards. Returns how many were ended.
   */
  expireCheckouts(request: OpenCheckouts, signal: AbortSignal): Promise<number>
  createPortal(
    request: { readonly customer: ProcessorId; readonly returnUrl: string },
    options: WriteOptions,
  ): Promise<{ readonly url: string }>
  /** False: an event with this identifier was recorded before, and that one counts. */
  recordUsage(event: UsageEvent, options: WriteOptions): Promise<boolean>
  /** Usage of the last thirty days that was taken and then dropped, newest first. */
  usageErrors(signal: AbortSignal): Promise<readonly UsageError[]>
  /** What the next invoice of a subscription will be; null when there will be none. */
  upcomingInvoice(subscription: string, signal: AbortSignal): Promise<InvoicePreview | null>
}
