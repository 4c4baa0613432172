// Customer part of the processor port: customers, their subscriptions, checkouts, usage and invoice previews. Failures are ProcessorErrors
// with the kinds of processor-error.ts. Times are epoch milliseconds; amounts are minor units.
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { WriteOptions } from './write-options.ts'

/** Price of a subscription item. It may be archived, or not managed by Ratecard. */
export interface LivePrice {
  readonly id: ProcessorId
  /** null if the processor's response has none. */
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
  /** Size of the packages in which a quantity is billed; null if each unit is billed. */
  readonly transformQuantity: { readonly divideBy: number; readonly round: 'up' | 'down' } | null
}

export interface LiveItem {
  readonly id: string
  readonly price: LivePrice
  /** null for metered items, which have no quantity. */
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
  /** Start of its latest trial, even if the trial has ended; null for a subscription that never had one. */
  readonly trialStart: number | null
  readonly trialEnd: number | null
  readonly createdAt: number
  /** Configuration id of the price that a checkout sold it with: see `soldPriceKey`. null if it was created elsewhere. */
  readonly soldPriceId: string | null
  /** True if it was sold on purpose beside another subscription to the same product or group: see `duplicateKey`. */
  readonly allowsDuplicate: boolean
  /** Ids of the free subscriptions (kept in the store alone) that it replaced: see `endsKey`. */
  readonly ends: readonly string[]
}

/** Metadata key of the sold price; its value is the configuration id at the time of the sale. */
export const soldPriceKey = 'ratecard_price_id'

/** Metadata key of a subscription sold with `allow_duplicate`; its value is `allowed`. */
export const duplicateKey = 'ratecard_duplicate'

/** Metadata key of the free subscriptions that a sale replaces: their ids, separated by spaces. */
export const endsKey = 'ratecard_ends'

/** Moves one item to a price. The quantity is always sent: without it the processor resets it to 1. */
export interface ItemSwap {
  readonly item: string
  readonly price: ProcessorId
  /** null for metered items, which have no quantity. */
  readonly quantity: number | null
}

/** A change that takes effect at the end of the current period. Other items keep price and quantity. */
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
  /** Written to the customer's metadata as the mark of the tenant. */
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
  /** null: the processor chooses one of the price’s currencies. */
  readonly currency: string | null
  readonly allowPromotionCodes: boolean
  /** Processor id of a promotion code to apply. */
  readonly promotionCode: ProcessorId | null
  /** Metadata of the session and, in subscription mode, of the subscription. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Selects the checkout sessions of one tenant that are still open. */
export interface OpenCheckouts {
  readonly customer: ProcessorId
  readonly tenantId: string
  /** True for a configuration id of a price whose sessions are selected; without it all are. */
  readonly sells?: (priceId: string) => boolean
  /** Id of the session that stays open. */
  readonly except?: string
}

export interface UsageEvent {
  readonly eventName: string
  /** Payload with the meter's own keys, e.g. `stripe_customer_id` and `value`. */
  readonly payload: Readonly<Record<string, string>>
  /** Epoch milliseconds; null is now. */
  readonly timestamp: number | null
  /** Deduplication key: the processor counts each identifier once. */
  readonly identifier: string
}

/** Usage that was accepted but not counted, because the processor found an error later. */
export interface UsageError {
  /** Epoch milliseconds. */
  readonly at: number
  /** null if no meter has that event name. */
  readonly meter: ProcessorId | null
  /** The processor's error code, for example `meter_event_customer_not_found`. */
  readonly code: string
  readonly count: number
  readonly message: string
  /** Identifiers of a sample of the events. */
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
  /** Present name at the processor. */
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
   * there are no more. For a small account one page replaces a list request per price.
   */
  someSubscriptions(
    pages: number,
    signal: AbortSignal,
  ): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }>
  /** Returns a subscription, ended or not; null if it does not exist. */
  subscription(id: string, signal: AbortSignal): Promise<LiveSubscription | null>
  /**
   * Updates one subscription in one request with `proration_behavior: none`: all swaps or none. After an unknown outcome, read the
   * subscription before any other action.
   */
  swapItems(subscription: string, swaps: readonly ItemSwap[], options: WriteOptions): Promise<LiveSubscription>
  /**
   * Moves items at the end of the current period through a subscription schedule: the present one, if there is one (its later phases are
   * changed too), otherwise a new one, which is released afterwards. Bills nothing now. Takes at most two writes (create, change); a retry
   * finds the schedule of an earlier attempt.
   */
  scheduleSwaps(request: ScheduledSwaps, options: WriteOptions): Promise<{ readonly effectiveAt: number }>
  /** Returns the price after the current period of each item that will move, by its present price; empty without a schedule. */
  scheduledPrices(subscription: LiveSubscription, signal: AbortSignal): Promise<ReadonlyMap<ProcessorId, ProcessorId>>
  createCustomer(customer: NewCustomer, options: WriteOptions): Promise<ProcessorId>
  /** Sets name and email; absent members stay unchanged, null clears the email. */
  updateCustomer(
    customer: ProcessorId,
    change: { readonly name?: string; readonly email?: string | null },
    options: WriteOptions,
  ): Promise<void>
  /** Finds the customer with the tenant's mark that was created at `since` or later, after a creation of unknown outcome. */
  findCustomer(tenantId: string, since: number, signal: AbortSignal): Promise<ProcessorId | null>
  createCheckout(
    request: CheckoutRequest,
    options: WriteOptions,
  ): Promise<{ readonly url: string; readonly sessionId: string }>
  /**
   * Expires the customer's open checkout sessions with the tenant's mark. A session paid in the meantime stays paid: check the
   * subscriptions afterwards. Returns the number of sessions found open.
   */
  expireCheckouts(request: OpenCheckouts, signal: AbortSignal): Promise<number>
  createPortal(
    request: { readonly customer: ProcessorId; readonly returnUrl: string },
    options: WriteOptions,
  ): Promise<{ readonly url: string }>
  /** Records a usage event. False if an event with this identifier was recorded before; then only the earlier event counts. */
  recordUsage(event: UsageEvent, options: WriteOptions): Promise<boolean>
  /** Returns usage of the last thirty days that was accepted and then dropped, newest first. */
  usageErrors(signal: AbortSignal): Promise<readonly UsageError[]>
  /** Returns a preview of a subscription's next invoice; null if there will be none. */
  upcomingInvoice(subscription: string, signal: AbortSignal): Promise<InvoicePreview | null>
}
