// Part of the processor port that changes, cancels and pauses subscriptions for a customer, and previews the cost of a change. Every write
// returns the new state of the subscription. Times are epoch milliseconds.
import type { ProcessorId } from '../catalog/resource.ts'
import type { CustomerProcessor, InvoicePreview, LiveSubscription } from './customer-half.ts'
import type { MirroredDiscount } from './mirrored.ts'
import type { WriteOptions } from './write-options.ts'

/** A price, and its quantity on a subscription. The quantity is null for a metered price. */
export interface PlannedItem {
  readonly price: ProcessorId
  readonly quantity: number | null
}

/** Another quantity for the items on a price that have the quantity `from`. */
export interface QuantityChange {
  readonly price: ProcessorId
  readonly from: number
  readonly to: number
}

/** Returns items with their new quantities. */
export function withQuantities<I extends { readonly price: string; readonly quantity?: number | null | undefined }>(
  items: readonly I[],
  changes: readonly QuantityChange[],
): readonly I[] {
  return items.map((item) => {
    const change = changes.find(({ price, from }) => price === item.price && from === item.quantity)
    return change === undefined ? item : { ...item, quantity: change.to }
  })
}

/** A change of one item. The quantity is always sent, because without it the processor resets the quantity to 1. */
export type ItemChange =
  | ({ readonly op: 'set'; readonly item: string } & PlannedItem)
  | ({ readonly op: 'add' } & PlannedItem)
  | { readonly op: 'remove'; readonly item: string }

/** A promotion code to apply, and the present discounts of the subscription that stay. */
export interface PromotionToApply {
  readonly code: ProcessorId
  readonly beside: readonly string[]
}

/** A change of a subscription's items that begins at once. */
export interface ItemsUpdate {
  readonly subscription: string
  readonly items: readonly ItemChange[]
  /**
   * `prorate`: unused time is credited and remaining time is charged, on an invoice that is made now. `none`: nothing is credited or
   * charged for the current period.
   */
  readonly proration: 'prorate' | 'none'
  /** Time from which the change is prorated; null for the time of the request. */
  readonly prorateAt: number | null
  /** Promotion code that the change adds to the running discounts; null for none. */
  readonly promotion: PromotionToApply | null
  /** True if the change takes effect only when its invoice is paid. Not possible for a customer who pays by invoice. */
  readonly waitsForPayment: boolean
  /**
   * Ids of the free subscriptions that end when the change takes effect. They are stored in the subscription's metadata, beside those that
   * it ended before. Absent if none ends.
   */
  readonly ends?: readonly string[]
}

/**
 * An update of items for a preview. `promotion` names all discounts of the previewed invoice: the promotion code, and the discounts of the
 * subscription in `beside`. With a `code` of null the invoice has only those in `beside`; null keeps the discounts as they are.
 */
export interface PreviewedUpdate extends Omit<ItemsUpdate, 'promotion'> {
  readonly promotion: (Omit<PromotionToApply, 'code'> & { readonly code: ProcessorId | null }) | null
}

/**
 * Kind of invoice to preview. `immediate`: the invoice that the change creates now. `renewal`: the next regular invoice, for a change that
 * bills nothing now. `recurring`: a regular invoice of the changed items, without the amounts that the change bills now. `final`: the invoice at the
 * end of the period if the subscription is cancelled then.
 */
export type PreviewedInvoice = 'immediate' | 'renewal' | 'recurring' | 'final'

/** Kind of invoice that a schedule can preview. */
export type ScheduledInvoice = Exclude<PreviewedInvoice, 'immediate' | 'final'>

/** An invoice that a customer has to pay before a change takes effect. */
export interface RequiredPayment {
  readonly invoice: string
  /** Page where the customer pays the invoice; null if the processor's response has none. */
  readonly url: string | null
  /** Time at which the processor drops the change if it is still unpaid; null if there is no such time. */
  readonly expiresAt: number | null
}

export interface UpdatedSubscription {
  readonly subscription: LiveSubscription
  /** Payment that the change waits for; null if the change is in effect. */
  readonly payment: RequiredPayment | null
}

/** Replaces items of a subscription from a time on, through its schedule. */
export interface ItemsSchedule {
  readonly subscription: string
  /** Time at which the new items begin, which is the end of the present period. */
  readonly at: number
  /** Prices whose items are replaced, whether they are in the present phase or a later one. All other items stay. */
  readonly leaving: readonly ProcessorId[]
  readonly coming: readonly PlannedItem[]
  /**
   * Items that the subscription would have without the change, instead of `coming`. They are stored with the schedule, so that exactly this
   * change can be undone, and not e.g. a price migration in the same schedule.
   */
  readonly restores: readonly PlannedItem[]
  /** Promotion codes that apply from then on. Those of an earlier scheduled change that are not among them no longer do. */
  readonly promotionCodes: readonly ProcessorId[]
  /** As `ends` of {@link ItemsUpdate}, from the time of the change on. */
  readonly ends?: readonly string[]
  /**
   * Time at which a new schedule cancels the subscription, which is after `at`. Absent for a schedule that releases it. A schedule that the
   * subscription has keeps its own end.
   */
  readonly cancelsAt?: number
}

/** Items that replace others in the schedule of a subscription, for a preview. */
export type PreviewedSchedule = Omit<ItemsSchedule, 'restores' | 'cancelsAt'> & {
  /** Ids of discounts that the invoice of the change has used up. Absent if it used none up. */
  readonly usedUp?: readonly string[]
  /** New quantities of items that stay, with the discounts that they have. Absent if no item gets another one only. */
  readonly quantities?: readonly QuantityChange[]
}

/** A change that {@link SubscriptionChanges.scheduleItems} made and that has not begun. */
export type ScheduledChange = Pick<ItemsSchedule, 'at' | 'coming' | 'restores' | 'promotionCodes' | 'ends'>

/** A phase of a subscription's schedule, from the running one on. */
export interface SchedulePhase {
  readonly start: number
  readonly end: number
  readonly items: readonly PlannedItem[]
}

/** A schedule that was taken off its subscription. The processor keeps it, as released. */
export interface ReleasedSchedule {
  readonly subscription: string
  /** Phases from the one that ran when the schedule was taken off; that one first. */
  readonly phases: readonly SchedulePhase[]
  /** True if it would have cancelled the subscription at the end of its last phase. */
  readonly cancels: boolean
}

/** One phase of the schedule that is put back on a subscription. It has the items, codes and metadata of a phase of the released schedule. */
export interface RestoredPhase {
  /** Start of the released phase that it is made from; null for the present state of the subscription. */
  readonly of: number | null
  readonly start: number | 'now'
  /** null for a phase that was to have ended already; it lasts one period. */
  readonly end: number | 'now' | null
  /** Items of the phase, so that a journal tells what is put back, and a reader whether it is. */
  readonly items: readonly PlannedItem[]
}

/** Puts a released schedule back, with the metadata and the other values of its phases. The quantities are those of `phases`. */
export interface ScheduleRestoration {
  readonly subscription: string
  /** Id of the released schedule. */
  readonly released: string
  readonly phases: readonly RestoredPhase[]
  readonly cancels: boolean
  /** Scheduled change that the schedule contains, with its new quantities; null for none any more. Absent if it is that of the released one. */
  readonly change?: ScheduledChange | null
}

/** State of a subscription on which a change of it rests. */
export interface ChangeableSubscription {
  readonly subscription: LiveSubscription
  readonly billingMode: 'classic' | 'flexible'
  /** Ids of the subscription's own discounts. */
  readonly discounts: readonly string[]
  /** How long each of these discounts lasts, and what it takes off, in the same order. */
  readonly discountTerms: readonly MirroredDiscount[]
  /** Discounts of its items, by item. */
  readonly itemDiscounts: Readonly<Record<string, readonly MirroredDiscount[]>>
  /** Discount of the customer, which counts where the subscription has none of its own; null if the customer has none. */
  readonly customerDiscount: MirroredDiscount | null
  /** Phases of the subscription's schedule, the running one first; null without a schedule. */
  readonly phases: readonly SchedulePhase[] | null
  /**
   * Time at which the schedule cancels the subscription, which is the end of its last phase, e.g. of a term of three months; null if the
   * schedule releases the subscription, or without a schedule. Releasing the schedule would lose this end.
   */
  readonly termEnd: number | null
  /** Change that a customer or operator scheduled; null if there is none. */
  readonly scheduled: ScheduledChange | null
  /** Payment that an earlier change waits for; null if there is none. */
  readonly payment: RequiredPayment | null
  /** Present time of the subscription's test clock; null if it has none. */
  readonly clockTime: number | null
}

/** Settings of a subscription that are changed in one update. Absent members stay unchanged. */
export interface SubscriptionSettings {
  readonly subscription: string
  /**
   * `period_end` cancels at the end of the period. `undo_period_end` and `undo_date` undo a cancellation at the end of the period or at a
   * date.
   */
  readonly cancellation?: 'period_end' | 'undo_period_end' | 'undo_date'
  /** Reason of a cancellation, for people. */
  readonly comment?: string
  /** null resumes collection. */
  readonly pause?: {
    readonly behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible'
    readonly until: number | null
  } | null
}

export interface Cancellation {
  readonly subscription: string
  /** True if usage of the present period is billed with a last invoice; otherwise it is never billed. */
  readonly billsUsage: boolean
  /** Reason of the cancellation, for people. */
  readonly comment?: string
}

export interface SubscriptionChanges {
  /** Returns the present state of a subscription, from which a change of it is computed; null if the subscription does not exist. */
  changeable(subscription: string, signal: AbortSignal): Promise<ChangeableSubscription | null>
  /** Returns the phases of an active schedule, the running one first; empty if none is running. */
  schedulePhases(schedule: string, signal: AbortSignal): Promise<readonly SchedulePhase[]>
  /** Returns a preview of an invoice after the change; null if there would be no invoice. Writes nothing. */
  previewUpdate(update: PreviewedUpdate, invoice: PreviewedInvoice, signal: AbortSignal): Promise<InvoicePreview | null>
  /**
   * Returns the next invoice with items replaced through the subscription's schedule; null if there would be none. {@link previewUpdate}
   * shows the next invoice as the present schedule makes it. Writes nothing.
   */
  previewScheduled(
    request: PreviewedSchedule,
    invoice: ScheduledInvoice,
    signal: AbortSignal,
  ): Promise<InvoicePreview | null>
  /**
   * Changes items at once. With `waitsForPayment`, the subscription keeps its items until the invoice of the change is paid. `payment` then
   * contains the page where the customer pays.
   */
  updateItems(update: ItemsUpdate, options: WriteOptions): Promise<UpdatedSubscription>
  /**
   * Replaces items at the end of the period through a schedule. Uses the present schedule; otherwise creates one that releases the
   * subscription afterwards. Phases keep metadata, discounts and tax rates. Takes at most two writes; if it was interrupted between them, a
   * retry continues.
   */
  scheduleItems(request: ItemsSchedule, options: WriteOptions): Promise<void>
  /** Takes the schedule off the subscription, which goes on as it is. An end that the schedule has set stays, e.g. of a term. */
  releaseSchedule(
    request: { readonly subscription: string; readonly schedule: string },
    options: WriteOptions,
  ): Promise<void>
  /** Returns a released schedule; null if there is none with this id that was released. */
  releasedSchedule(schedule: string, signal: AbortSignal): Promise<ReleasedSchedule | null>
  /**
   * Makes a schedule like a released one, which the processor cannot attach again. Takes two writes; if it was interrupted between them, a retry
   * continues. Throws `rejected` if the subscription has another schedule.
   */
  restoreSchedule(request: ScheduleRestoration, options: WriteOptions): Promise<void>
  /** Voids the unpaid invoice that a change waits for. The processor then drops the change. */
  voidInvoice(
    request: { readonly subscription: string; readonly invoice: string },
    options: WriteOptions,
  ): Promise<void>
  changeSettings(settings: SubscriptionSettings, options: WriteOptions): Promise<LiveSubscription>
  /** Ends the subscription now. Nothing is refunded, and no invoice credits the unused time. */
  cancelSubscription(request: Cancellation, options: WriteOptions): Promise<LiveSubscription>
  /** Resumes a subscription of the status `paused`, e.g. after a trial that ended without a card. A new period begins. */
  resumeSubscription(subscription: string, options: WriteOptions): Promise<LiveSubscription>
}

/** The part of the processor port that reads and changes subscriptions. */
export type SubscriptionProcessor = CustomerProcessor & SubscriptionChanges
