// Customer part of the processor port: customers, their subscriptions, checkouts, usage and invoice previews. Every failure is thrown as a
// ProcessorError; processor-error.ts lists its kinds. Times are epoch milliseconds; amounts are minor units (e.g. cents).
import type { Interval, ProcessorId } from '../catalog/resource.ts'
import type { DiscountOffer, DiscountSource, DiscountUpdate, RunningDiscount } from './subscription-discounts.ts'
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
  /**
   * Amount per unit as canonical decimal in minor units. With `transformQuantity` it is the amount per package. null for a tiered price.
   */
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

export type CustomerState = 'living' | 'deleted' | 'unknown'

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
  /**
   * Time at which the subscription will be cancelled; the end of its period if it is cancelled then. null if no cancellation is planned.
   */
  readonly cancelAt: number | null
  /** Time of the request that cancelled it, even if it still runs; null if nobody cancelled it. */
  readonly canceledAt: number | null
  /** Time at which the subscription ended; null if it has not ended. */
  readonly endedAt: number | null
  /** Settings of paused collection (`pause_collection`), e.g. `{ behavior: 'void', resumesAt: null }`; null if collection is not paused. */
  readonly paused: { readonly behavior: string; readonly resumesAt: number | null } | null
  readonly collectionMethod: 'charge_automatically' | 'send_invoice'
  /** Id of the test clock that the subscription is on; null if it uses the real time. */
  readonly testClock: string | null
  /** Start of the subscription's latest trial, even if that trial has ended; null if it never had a trial. */
  readonly trialStart: number | null
  readonly trialEnd: number | null
  readonly createdAt: number
  /** Tax rates of the subscription and of its items, ascending, each once. */
  readonly taxRates: readonly ProcessorId[]
  /**
   * Configuration ids of the recurring prices that a checkout sold with this subscription (metadata keys `soldPriceKey`). Empty if no
   * checkout of Ratecard sold it.
   */
  readonly soldPriceIds: readonly string[]
  /**
   * True if a checkout with `allow_duplicate` sold this subscription beside another one to the same product or group (metadata key
   * `duplicateKey`).
   */
  readonly allowsDuplicate: boolean
  /** Ids of the free subscriptions that this subscription replaced (metadata key `endsKey`). Free subscriptions exist only in the store. */
  readonly ends: readonly string[]
}

/**
 * Metadata key for the sold prices. Its value consists of the configuration ids at the time of the sale, separated by spaces. Ids that do
 * not fit into the value are in `ratecard_price_id_2`, `ratecard_price_id_3` and so on.
 */
const soldPriceKey = 'ratecard_price_id'

/**
 * Returns the time at which the subscription ends as planned: the date of its cancellation, or else the end of its period. null if no
 * cancellation is planned.
 */
export function plannedEnd({
  cancelAt,
  cancelAtPeriodEnd,
  items,
}: Pick<LiveSubscription, 'cancelAt' | 'cancelAtPeriodEnd' | 'items'>): number | null {
  if (cancelAt !== null || !cancelAtPeriodEnd || items.length === 0) return cancelAt
  return Math.max(...items.map(({ currentPeriodEnd }) => currentPeriodEnd))
}

/** Maximum length of a metadata value at the processor. */
const maxMetadataLength = 500

/** Returns the metadata that records the sold prices. */
export function soldPricesMetadata(ids: readonly string[]): Readonly<Record<string, string>> {
  const lines: string[] = []
  for (const id of ids) {
    const longer = `${lines.at(-1) ?? ''} ${id}`
    if (lines.length > 0 && longer.length <= maxMetadataLength) lines[lines.length - 1] = longer
    else lines.push(id)
  }
  return Object.fromEntries(lines.map((line, index) => [soldPriceKeyAt(index), line]))
}

/** Returns the configuration ids that `soldPricesMetadata` recorded; empty if there are none. */
export function soldPricesIn(
  metadata: Readonly<Record<string, string | null | undefined>> | null | undefined,
): readonly string[] {
  const ids: string[] = []
  for (let index = 0; ; index++) {
    const line = metadata?.[soldPriceKeyAt(index)]
    if (line === undefined || line === null) return ids
    ids.push(...line.split(' '))
  }
}

const soldPriceKeyAt = (index: number) => (index === 0 ? soldPriceKey : `${soldPriceKey}_${index + 1}`)

/** Metadata key of subscriptions sold with `allow_duplicate`; its value is `allowed`. */
export const duplicateKey = 'ratecard_duplicate'

/** Metadata key whose value lists the free subscriptions that a sale replaces: their ids, separated by spaces. */
export const endsKey = 'ratecard_ends'

/** Maximum length of a metadata value at the processor (500 characters), enough for about 18 ids of free subscriptions. */
const maxEndsLength = 500

/** Returns the value for the metadata key {@link endsKey}: the ids, as many as fit; empty without ids. */
export function endsText(ids: readonly string[]): string {
  let value = ''
  for (const id of ids) {
    const next = value === '' ? id : `${value} ${id}`
    if (next.length > maxEndsLength) break
    value = next
  }
  return value
}

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
  /** True if undoing a scheduled change does not bring the former prices back either. */
  readonly forGood?: boolean
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

export interface CheckoutLine {
  readonly price: ProcessorId
  /** Quantity of the price; null for a metered price. */
  readonly quantity: number | null
}

/** Taxes of a sale. */
export interface SaleTax {
  /** True if the processor computes the taxes itself. */
  readonly automatic: boolean
  /** True if the page asks business customers for their tax id. */
  readonly collectTaxIds: boolean
  readonly rates: readonly ProcessorId[]
}

export interface CheckoutRequest {
  readonly mode: 'subscription' | 'payment'
  /** null: the processor creates a customer when the page is paid. */
  readonly customer: ProcessorId | null
  /**
   * Prices of the page. In subscription mode, recurring prices become one subscription, and one-time prices are added to its first invoice.
   */
  readonly items: readonly CheckoutLine[]
  readonly successUrl: string
  readonly cancelUrl: string
  readonly trialPeriodDays: number | null
  /** `if_required`: no card is collected if nothing must be paid today, e.g. because of a trial. Only for subscriptions. */
  readonly paymentMethodCollection: 'always' | 'if_required'
  /** What happens if a trial ends without a card. null means the processor's default: it creates an invoice, which stays unpaid. */
  readonly trialEnd: 'cancel' | 'pause' | null
  /** Currency of the checkout; null lets the processor choose one of the price’s currencies. */
  readonly currency: string | null
  readonly allowPromotionCodes: boolean
  /** Processor id of a promotion code to apply. */
  readonly promotionCode: ProcessorId | null
  readonly tax: SaleTax
  /** Metadata of the checkout session. In subscription mode the subscription gets it too. */
  readonly metadata: Readonly<Record<string, string>>
}

/** A session of the customer portal that leads to one act. */
export interface PortalFlow {
  readonly type:
    | 'customer_update'
    | 'payment_method_update'
    | 'subscription_cancel'
    | 'subscription_update'
    | 'subscription_update_confirm'
  readonly afterCompletion: {
    readonly type: 'hosted_confirmation' | 'portal_homepage' | 'redirect'
    readonly redirect?: { readonly returnUrl: string } | undefined
    readonly hostedConfirmation?: { readonly customMessage?: string | undefined } | undefined
  } | null
  /** Id of the subscription that the flow is about; null for flow types without a subscription (the first two). */
  readonly subscription: string | null
  /** Coupon that is offered to a customer who cancels. */
  readonly offer: ProcessorId | null
  readonly confirm: {
    readonly item: string
    readonly price: ProcessorId
    readonly quantity: number | null
    readonly discounts: readonly ({ readonly coupon: ProcessorId } | { readonly promotionCode: ProcessorId })[]
  } | null
}

export interface PortalRequest {
  readonly customer: ProcessorId
  readonly returnUrl: string
  /** Configuration of the portal; null for the processor's own default. */
  readonly configuration: ProcessorId | null
  readonly flow: PortalFlow | null
}

/** Selects the checkout sessions of one tenant that are still open. */
export interface OpenCheckouts {
  readonly customer: ProcessorId
  readonly tenantId: string
  /** Selects sessions by the configuration id of a price that they sell. If absent, all open sessions of the tenant are selected. */
  readonly sells?: (priceId: string) => boolean
  /** Selects sessions by a promotion code that they apply. */
  readonly applies?: (promotionCode: string) => boolean
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

/** Reports usage events that the processor accepted, but dropped later because of an error. */
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
  /** What the line adds to the total: `amount` after discounts and credit, with the taxes that are added. */
  readonly net: number
  /** True for a credit or charge of a part of a period. */
  readonly proration: boolean
  readonly periodStart: number
  readonly periodEnd: number
}

export interface InvoicePreview {
  readonly subscription: string
  readonly currency: string
  readonly subtotal: number
  readonly total: number
  readonly amountDue: number
  /** Balance of the customer before the invoice: negative for a credit, which reduces the amount due. */
  readonly startingBalance: number
  /** Sum of the credit grants that pay for usage on the invoice. */
  readonly creditsApplied: number
  /** Ids of the discounts that take something off this invoice. */
  readonly discounts: readonly string[]
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

/** A subscription with its own discounts. */
export interface DiscountedSubscription {
  readonly subscription: LiveSubscription
  readonly discounts: readonly RunningDiscount[]
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
   * Returns subscriptions of the whole account that have not ended, newest first. Reads at most `pages` list pages; `complete` is true if
   * these contain all. For a small account, one such page replaces a list request for each price.
   */
  someSubscriptions(
    pages: number,
    signal: AbortSignal,
  ): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }>
  /** Returns a subscription, ended or not; null if it does not exist. */
  subscription(id: string, signal: AbortSignal): Promise<LiveSubscription | null>
  /**
   * Updates one subscription in one request with `proration_behavior: none`. The processor makes either all swaps or none. After an unknown
   * outcome, read the subscription before any other action.
   */
  swapItems(subscription: string, swaps: readonly ItemSwap[], options: WriteOptions): Promise<LiveSubscription>
  /**
   * Moves items at the end of the current period through a subscription schedule. Uses an existing schedule and also changes its later
   * phases; otherwise creates a schedule that releases the subscription afterwards. Bills nothing now. Takes at most two writes (create,
   * change); a retry finds the schedule of an earlier attempt.
   */
  scheduleSwaps(request: ScheduledSwaps, options: WriteOptions): Promise<{ readonly effectiveAt: number }>
  /**
   * Returns the next price of each item that the subscription's schedule will move at the end of the current period, keyed by the present
   * price. Empty without a schedule.
   */
  scheduledPrices(subscription: LiveSubscription, signal: AbortSignal): Promise<ReadonlyMap<ProcessorId, ProcessorId>>
  /**
   * Activates or archives a price. An item can move only to an active price, so a former price must be activated for the move. Calling it
   * twice has no further effect.
   */
  setPriceActive(price: ProcessorId, active: boolean, options: WriteOptions): Promise<void>
  createCustomer(customer: NewCustomer, options: WriteOptions): Promise<ProcessorId>
  /** Sets name and email of a customer. An absent member stays unchanged; null clears the email. */
  updateCustomer(
    customer: ProcessorId,
    change: { readonly name?: string; readonly email?: string | null },
    options: WriteOptions,
  ): Promise<void>
  /**
   * Finds the customer that an earlier creation of unknown outcome may have created. It has the tenant's id in its metadata, and was
   * created at `since` or later. Returns null if there is none.
   */
  findCustomer(tenantId: string, since: number, signal: AbortSignal): Promise<ProcessorId | null>
  createCheckout(
    request: CheckoutRequest,
    options: WriteOptions,
  ): Promise<{ readonly url: string; readonly sessionId: string }>
  /**
   * Expires the customer's open checkout sessions whose metadata contains the tenant's id. Returns the number of sessions that were open. A
   * session that was paid in the meantime stays paid, so check the subscriptions afterwards.
   */
  expireCheckouts(request: OpenCheckouts, signal: AbortSignal): Promise<number>
  /** Returns whether the customer lives, was deleted, or is unknown, e.g. because it is of another account. */
  customerState(customer: ProcessorId, signal: AbortSignal): Promise<CustomerState>
  /** Returns the coupons and promotion codes that a customer has used: on paid checkout pages and on its invoices. */
  redeemed(customer: ProcessorId, signal: AbortSignal): Promise<ReadonlySet<ProcessorId>>
  createPortal(request: PortalRequest, options: WriteOptions): Promise<{ readonly url: string }>
  /** Records a usage event. Returns false if an event with the same identifier was recorded before; then only the earlier event counts. */
  recordUsage(event: UsageEvent, options: WriteOptions): Promise<boolean>
  /** Returns usage of the last thirty days that the processor accepted and then dropped, newest first. */
  usageErrors(signal: AbortSignal): Promise<readonly UsageError[]>
  /** Returns a preview of a subscription's next invoice; null if there will be none. */
  upcomingInvoice(subscription: string, signal: AbortSignal): Promise<InvoicePreview | null>
  /** Returns a customer's subscriptions that have not ended, oldest first, with their discounts. */
  discountedSubscriptions(customer: ProcessorId, signal: AbortSignal): Promise<readonly DiscountedSubscription[]>
  /**
   * Checks if an update has taken effect, also in the later phases of the schedule. Returns the discount that the update added (null if it
   * added none), or `missing` if the update has not taken effect.
   */
  findDiscounts(update: DiscountUpdate, signal: AbortSignal): Promise<RunningDiscount | null | 'missing'>
  /** Returns the terms and limits of a coupon or code; null if it does not exist. */
  discountOffer(source: DiscountSource, signal: AbortSignal): Promise<DiscountOffer | null>
  /** Returns a preview of the next invoice with these discounts; null if there will be no invoice. Writes nothing. */
  previewDiscounts(update: DiscountUpdate, signal: AbortSignal): Promise<InvoicePreview | null>
  /**
   * Sets the discounts of a subscription, and of the later phases of its schedule. Bills nothing now. Takes at most two writes; if it was
   * interrupted between them, a retry with the same key continues. Returns the added discount; null if none was added.
   */
  setDiscounts(update: DiscountUpdate, options: WriteOptions): Promise<RunningDiscount | null>
}
