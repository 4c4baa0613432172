// Customer part of the processor port: customers, their subscriptions, checkouts, usage and invoice previews. Every failure is a
// ProcessorError; its kinds are listed in processor-error.ts. Times are epoch milliseconds; amounts are minor units (e.g. cents).
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { WriteOptions } from './write-options.ts'

/** Price of a subscription item. It may be archived, or not managed by Ratecard. */
export interface LivePrice {
  readonly id: ProcessorId
  /** Processor id of the product; null if the processor's response has none. */
  readonly product: ProcessorId | null
  readonly active: boolean
  readonly currency: string
  readonly interval: Interval
  readonly intervalCount: number
  readonly usageType: 'licensed' | 'metered'
  readonly meter: ProcessorId | null
  readonly billingScheme: 'per_unit' | 'tiered'
  /** Canonical decimal in minor units, for one unit or, with `transformQuantity`, for one package; null for a tiered price. */
  readonly unitAmount: string | null
  /** Size of the packages in which a quantity is billed; null if each unit is billed. */
  readonly transformQuantity: { readonly divideBy: number; readonly round: 'up' | 'down' } | null
}

export interface LiveItem {
  readonly id: string
  readonly price: LivePrice
  /** Quantity of the item; null for metered items, which have none. */
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
  /** Id of the schedule that controls the subscription, or null. */
  readonly schedule: string | null
  readonly cancelAtPeriodEnd: boolean
  /** Start of the subscription's latest trial, even if that trial has ended; null if it never had a trial. */
  readonly trialStart: number | null
  readonly trialEnd: number | null
  readonly createdAt: number
  /**
   * Configuration id of the price that a checkout sold with this subscription (metadata key `soldPriceKey`). null if no checkout of
   * Ratecard sold it.
   */
  readonly soldPriceId: string | null
  /**
   * True if a checkout with `allow_duplicate` sold this subscription beside another one to the same product or group (metadata key
   * `duplicateKey`).
   */
  readonly allowsDuplicate: boolean
  /** Ids of the free subscriptions that this subscription replaced (metadata key `endsKey`). Free subscriptions exist only in the store. */
  readonly ends: readonly string[]
}

/** Metadata key whose value is the configuration id of the sold price at the time of the sale. */
export const soldPriceKey = 'ratecard_price_id'

/** Metadata key of subscriptions sold with `allow_duplicate`; its value is `allowed`. */
export const duplicateKey = 'ratecard_duplicate'

/** Metadata key whose value lists the free subscriptions that a sale replaces: their ids, separated by spaces. */
export const endsKey = 'ratecard_ends'

/** Moves one item of a subscription to a price. The quantity is always sent, because without it the processor resets the quantity to 1. */
export interface ItemSwap {
  readonly item: string
  readonly price: ProcessorId
  /** Quantity after the move; null for metered items, which have none. */
  readonly quantity: number | null
}

/** Moves items of a subscription to other prices at the end of the current period. All other items keep price and quantity. */
export interface ScheduledSwaps {
  readonly subscription: string
  readonly swaps: readonly { readonly from: ProcessorId; readonly to: ProcessorId }[]
}

/** The price that an item moves to at the end of its period. */
export interface ScheduledMove {
  readonly from: ProcessorId
  readonly to: ProcessorId
  readonly at: number
}

export interface NewCustomer {
  /** Id of the tenant, which is written to the customer's metadata. `findCustomer` finds the customer by it. */
  readonly tenantId: string
  readonly name: string
  readonly email: string | null
}

export interface CheckoutRequest {
  readonly mode: 'subscription' | 'payment'
  readonly customer: ProcessorId
  readonly price: ProcessorId
  /** Quantity of the price; null for a metered price. */
  readonly quantity: number | null
  readonly successUrl: string
  readonly cancelUrl: string
  readonly trialPeriodDays: number | null
  /** `if_required`: no card is collected if nothing is paid today, e.g. because of a trial. Subscriptions only. */
  readonly paymentMethodCollection: 'always' | 'if_required'
  /** Effect of the end of a trial without a card; null is the processor's default: an invoice that stays unpaid. */
  readonly trialEnd: 'cancel' | 'pause' | null
  /** Currency of the checkout; null lets the processor choose one of the price’s currencies. */
  readonly currency: string | null
  readonly allowPromotionCodes: boolean
  /** Processor id of a promotion code to apply. */
  readonly promotionCode: ProcessorId | null
  /** Metadata of the checkout session. In subscription mode the subscription gets it too. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Selects the checkout sessions of one tenant that are still open. */
export interface OpenCheckouts {
  readonly customer: ProcessorId
  readonly tenantId: string
  /** Selects sessions by the configuration id of the price that they sell. If absent, all open sessions of the tenant are selected. */
  readonly sells?: (priceId: string) => boolean
  /** Id of a session that is not selected, so that it stays open. */
  readonly except?: string
}

export interface UsageEvent {
  readonly eventName: string
  /** Payload with the meter's own keys, e.g. `stripe_customer_id` and `value`. */
  readonly payload: Readonly<Record<string, string>>
  /** Time of the usage in epoch milliseconds; null means now. */
  readonly timestamp: number | null
  /** Deduplication key: the processor counts each identifier once. */
  readonly identifier: string
}

/** Usage events that the processor accepted but did not count, because it found an error later. */
export interface UsageError {
  /** Time of the report in epoch milliseconds. */
  readonly at: number
  /** Processor id of the meter; null if no meter has the event name. */
  readonly meter: ProcessorId | null
  /** The processor's error code, for example `meter_event_customer_not_found`. */
  readonly code: string
  readonly count: number
  readonly message: string
  /** Identifiers of some of the dropped events; the processor reports a sample only. */
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
  /** Time at which the invoice will be created; null if the processor's response has none. */
  readonly dueAt: number | null
  readonly lines: readonly InvoicePreviewLine[]
}

/** A feature that a customer may use. */
export interface ActiveEntitlement {
  readonly feature: ProcessorId
  /** Present name of the feature at the processor. */
  readonly name: string
}

export interface CustomerProcessor {
  /** Returns all features that the customer is entitled to by its subscriptions. */
  entitlements(customer: ProcessorId, signal: AbortSignal): Promise<readonly ActiveEntitlement[]>
  /** Returns all subscriptions of a customer that have not ended for good (`canceled`, `incomplete_expired`), oldest first. */
  subscriptions(customer: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /** Returns all subscriptions of a customer including ended ones, for example to check whether a trial was used. */
  everySubscription(customer: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /** Returns all subscriptions that have not ended and have an item on this price. The price may be archived. */
  subscriptionsOfPrice(price: ProcessorId, signal: AbortSignal): Promise<readonly LiveSubscription[]>
  /**
   * Returns subscriptions of the whole account that have not ended, newest first, from at most `pages` list pages. `complete` is true if
   * there are no more. For a small account, one such page saves a list request for each price.
   */
  someSubscriptions(
    pages: number,
    signal: AbortSignal,
  ): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }>
  /** Returns a subscription, ended or not; null if it does not exist. */
  subscription(id: string, signal: AbortSignal): Promise<LiveSubscription | null>
  /**
   * Updates one subscription in one request with `proration_behavior: none`. Either all swaps are made or none. After an unknown outcome,
   * read the subscription before any other action.
   */
  swapItems(subscription: string, swaps: readonly ItemSwap[], options: WriteOptions): Promise<LiveSubscription>
  /**
   * Moves items at the end of the current period through a subscription schedule. An existing schedule is used, and its later phases are
   * changed too; otherwise a new one is created, which releases the subscription afterwards. Bills nothing now. Takes at most two writes
   * (create, change); a retry finds the schedule of an earlier attempt.
   */
  scheduleSwaps(request: ScheduledSwaps, options: WriteOptions): Promise<{ readonly effectiveAt: number }>
  /**
   * Returns the next price of each item that the subscription's schedule will move at the end of the current period, keyed by the present
   * price. Empty without a schedule.
   */
  scheduledPrices(subscription: LiveSubscription, signal: AbortSignal): Promise<ReadonlyMap<ProcessorId, ProcessorId>>
  createCustomer(customer: NewCustomer, options: WriteOptions): Promise<ProcessorId>
  /** Sets name and email of a customer. An absent member stays unchanged; null clears the email. */
  updateCustomer(
    customer: ProcessorId,
    change: { readonly name?: string; readonly email?: string | null },
    options: WriteOptions,
  ): Promise<void>
  /**
   * Finds the customer that an earlier creation of unknown outcome may have made: one with the tenant's id in its metadata, created at
   * `since` or later. Returns null if there is none.
   */
  findCustomer(tenantId: string, since: number, signal: AbortSignal): Promise<ProcessorId | null>
  createCheckout(
    request: CheckoutRequest,
    options: WriteOptions,
  ): Promise<{ readonly url: string; readonly sessionId: string }>
  /**
   * Expires the customer's open checkout sessions whose metadata contains the tenant's id. A session paid in the meantime stays paid, so
   * check the subscriptions afterwards. Returns the number of sessions that were open.
   */
  expireCheckouts(request: OpenCheckouts, signal: AbortSignal): Promise<number>
  createPortal(
    request: { readonly customer: ProcessorId; readonly returnUrl: string },
    options: WriteOptions,
  ): Promise<{ readonly url: string }>
  /** Records a usage event. Returns false if an event with the same identifier was recorded before; then only the earlier event counts. */
  recordUsage(event: UsageEvent, options: WriteOptions): Promise<boolean>
  /** Returns usage of the last thirty days that was accepted and then dropped, newest first. */
  usageErrors(signal: AbortSignal): Promise<readonly UsageError[]>
  /** Returns a preview of a subscription's next invoice; null if there will be none. */
  upcomingInvoice(subscription: string, signal: AbortSignal): Promise<InvoicePreview | null>
}
