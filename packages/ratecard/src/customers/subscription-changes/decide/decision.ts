// What a change rests on, and what was decided about it.
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import type { MirroredDiscount } from '../../../processor/mirrored.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'
import type {
  ChangeableSubscription,
  ItemChange,
  ItemsSchedule,
  PlannedItem,
  PreviewedSchedule,
  PromotionToApply,
  QuantityChange,
  ScheduledChange,
} from '../../../processor/subscription-change.ts'
import type { ItemTerms } from './monthly.ts'
import type { NewChange } from '../../../api/customers/subscription-changes.ts'
import { invalidMembers } from '../../../base/errors/invalid-members.ts'
import type { ServiceError } from '../../../base/errors/service-error.ts'

/** An item of the subscription before the change, with its price and whether the change replaces it. */
export interface PresentItem {
  readonly live: LiveItem
  readonly terms: ItemTerms
  /** Configuration id of the price; null if the price does not belong to the configuration. */
  readonly priceId: string | null
  /** True if the tenant could not buy the price of the item now, e.g. because it is of an earlier generation or of a deal that has ended. */
  readonly legacy: boolean
  /** True if the item belongs to the product or product group of the change, or is attached to such an item. */
  readonly replaced: boolean
  /** True if the price is attached to another price of the subscription. */
  readonly attached: boolean
}

export interface WantedItem {
  /** Configuration id of the price. */
  readonly priceId: string
  /** Configuration id of the listed price for which the price is sold. */
  readonly listed: string
  readonly processorId: ProcessorId
  /** Amounts in the subscription's currency, and interval. */
  readonly terms: ItemTerms
  /** True for a free price, which is not at the processor. */
  readonly local: boolean
  /** null for a metered price. */
  readonly quantity: number | null
  /** True if the price is sold with another one of the subscription. */
  readonly attached: boolean
}

/** An item before or after a change. */
export interface PlacedItem {
  readonly priceId: string | null
  readonly processorPriceId: ProcessorId
  readonly quantity: number | null
}

/** An item beside those that the change is about. */
export interface OtherItem extends PlacedItem {
  readonly terms: ItemTerms
}

/** What a coupon means for later invoices. */
export interface CouponKind {
  /** Terms of the coupon; null if they are unknown. */
  readonly discount: MirroredDiscount | null
  /** True for a coupon that one invoice uses up. */
  readonly once: boolean
  /** True for a coupon that takes an amount off the whole invoice; false for a percentage, and if the terms are unknown. */
  readonly fixed: boolean
}

export interface ChangeSituation {
  readonly state: ChangeableSubscription
  readonly present: readonly PresentItem[]
  readonly wanted: readonly WantedItem[]
  /** As `replaced` of items, for the prices of schedule phases. */
  readonly isReplaced: (price: ProcessorId) => boolean
  /** Returns the configuration id of the listed price (the base price of a negotiated one) for a price of an item or a phase. */
  readonly listedOf: (price: ProcessorId) => string | null
  /** True for an archived price of the configuration. */
  readonly isArchived: (price: ProcessorId) => boolean
  /** Returns configuration id and terms of a price of a schedule phase. */
  readonly planned: (price: ProcessorId) => Pick<PresentItem, 'priceId' | 'terms'>
  readonly requestedChange: Pick<NewChange, 'when' | 'proration'>
  /** Promotion code of the request; null for none. */
  readonly promotionCode: ProcessorId | null
  readonly promotionTerms: CouponKind
  /** Processor product of a price of the configuration; null if it has none. */
  readonly productOf: (priceId: string | null) => ProcessorId | null
  /** Ids of the tenant's running free subscriptions that a coming price replaces. */
  readonly endsFree: readonly string[]
  /** True if a tenant's session asks, which may do less than a service key. */
  readonly session: boolean
  /** True if a change by a session began the running period of the items that are replaced. */
  readonly begunBySession: boolean
  /** True if a session of the tenant scheduled the change that the subscription has. */
  readonly scheduledBySession: boolean
  /** True if the subscription is cancelled, and the cancellation took a schedule off that undoing it puts back. */
  readonly takenOff: boolean
}

export interface ChangeWarning {
  readonly code: 'legacy_price_left' | 'ends_anyway' | 'replaces_scheduled' | 'usage_apart' | 'discount_shared'
  readonly detail: string
}

/** New quantities in a schedule. */
export interface Requantified {
  readonly quantities: readonly QuantityChange[]
  /** The scheduled change in the schedule, with the new quantities; null for none any more. */
  readonly change: ScheduledChange | null
}

/** What is kept of a schedule that was taken off; the rest is in the released schedule. */
export interface SetAsideSchedule {
  /** Items of the subscription when its schedule was taken off. */
  readonly from: readonly PlannedItem[]
  /** Time of its first change or, without one, of its end. */
  readonly at: number
  /** Promotion codes of the scheduled change in it. */
  readonly codes?: readonly ProcessorId[]
  /** What it is put back with when the change is made, which only changes quantities. Absent if the change replaces the schedule. */
  readonly then?: Requantified
}

/** A free subscription that begins when the paid one ends. */
export interface FreeChange {
  /** Configuration id of the free price. */
  readonly price: string
  /** True if the paid subscription ends at that time without a write: it is cancelled, or its term ends. */
  readonly endsAnyway: boolean
}

export interface ChangeDecision {
  readonly subscription: LiveSubscription
  readonly when: 'now' | 'period_end'
  /** End of the current period; null for a change that begins now. */
  readonly periodEnd: number | null
  readonly proration: 'prorate' | 'none'
  /** Changes of the items, for a change now and for previews. */
  readonly items: readonly ItemChange[]
  readonly promotion: PromotionToApply | null
  readonly waitsForPayment: boolean
  /** Ids of the free subscriptions that end when the change takes effect. */
  readonly endsFree: readonly string[]
  /** True if the change makes an invoice now. */
  readonly billsNow: boolean
  /** True if a new billing period begins with the change: the interval changes, or a free subscription becomes a paid one. */
  readonly restarts: boolean
  /** Intervals, e.g. `1 year`, of which a session begins a new period with this change; empty if it begins none. */
  readonly sessionBegins: readonly string[]
  /** Change of the schedule; null for a change that begins now. */
  readonly schedule: ItemsSchedule | null
  /** The change in terms of the schedule that the subscription has, for the preview of the next invoice; null without a schedule. */
  readonly renewal: PreviewedSchedule | null
  /** Archived prices among those of `schedule`, which are active only while it is written. */
  readonly reopens: readonly ProcessorId[]
  /** Schedule that is released before the change; null if there is none. */
  readonly releases: string | null
  /** The released schedule, which is put back if the change is not made; null if it is released for good. */
  readonly setAside: SetAsideSchedule | null
  readonly before: readonly PlacedItem[]
  readonly after: readonly PlacedItem[]
  readonly monthly: { readonly before: Fraction; readonly after: Fraction }
  /** Change to a free price; null for any other change. */
  readonly free: FreeChange | null
  readonly warnings: readonly ChangeWarning[]
}

/** Creates a `change_invalid` error for one member of the request. `field` is the member's name in the API. */
export function invalidChange(field: string, detail: string, hint?: string): ServiceError {
  return invalidMembers('change_invalid', [{ path: [field], detail, hint }])
}
