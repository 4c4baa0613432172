// Records of the mirror, the copy of the processor's customers. Each object is stored as JSON, beside the columns that queries need.
import {
  mirroredKinds,
  type MirroredKind,
  type MirroredSubscription,
  type MirroredItem,
  type MirroredInvoice,
  type MirroredPurchase,
  type MirroredDiscount,
  type MirroredCreditGrant,
} from '../../processor/mirrored.ts'
import { oneOf, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { TenantRecord } from './tenants.ts'

/** One row for each mirrored object. */
export const mirrorObjectColumns = {
  kind: oneOf(mirroredKinds),
  id: text(),
  /**
   * JSON of the object with sorted keys. null after the processor deleted the object. The row stays, so that the result of an earlier read
   * cannot restore the object.
   */
  object: textOrNull(),
  /**
   * Number of the end of the read that returned this state of the object. Reads are numbered across all replicas, so that the newer of two
   * reads can be found.
   */
  readAt: whole(),
  /** Customer of the object; null for prices, and for refunds without a customer. */
  customer: textOrNull(),
  /**
   * Status of a subscription, invoice, credit note or refund. Of a customer it is the tenant that its metadata names, so that the customer is
   * found by it. null for other kinds.
   */
  status: textOrNull(),
  /**
   * Time by which lists and exports sort the object. For an invoice it is the finalization (null for drafts), for other objects the
   * creation. null for customers and prices.
   */
  happenedAt: timeOrNull(),
} satisfies Columns

/** Items of all subscriptions that have not ended. */
export const mirrorItemColumns = {
  id: text(),
  subscription: text(),
  customer: text(),
  price: text(),
  product: textOrNull(),
  status: text(),
  /** Behaviour of `pause_collection`; null if collection is not paused. */
  paused: textOrNull(),
  currency: text(),
  /** Quantity of the item; null for metered items. */
  quantity: wholeOrNull(),
} satisfies Columns

/** Payments of invoices and of refunds. A refund belongs to those invoices that have a payment in common with it. */
export const mirrorPaymentColumns = {
  kind: oneOf(['invoice', 'refund']),
  id: text(),
  payment: text(),
} satisfies Columns

/** Changes of the balances of credit grants, without the granting itself. */
export const mirrorCreditMoveColumns = {
  id: text(),
  creditGrant: text(),
  /** Minor units; negative if the credit decreased. */
  amount: whole(),
} satisfies Columns

/** Kinds of objects that are paid and may grant credit. */
const paidKinds = ['invoice', 'purchase'] as const

/** Paid invoices and purchases whose credits were not granted yet. */
export const mirrorPaidColumns = {
  kind: oneOf(paidKinds),
  id: text(),
  /** Number of the read that stored the payment. */
  marked: whole(),
  /** Time of the next attempt after a failure; null if there was none. */
  retryAt: timeOrNull(),
} satisfies Columns

/** Stale marks: objects that may have changed since they were read. */
export const mirrorStaleColumns = {
  kind: oneOf(mirroredKinds),
  id: text(),
  marked: whole(),
  since: time(),
  /** Number of reads that failed in a row. */
  attempts: whole(),
  /** Time of the next attempt to read the object after a failure; null if it can be read at once. */
  retryAt: timeOrNull(),
  /** 1 if the object cannot be read, otherwise 0. The age of the copy ignores objects with 1. */
  skipped: whole(),
  /** Message of the last failure; null if no read failed. */
  error: textOrNull(),
} satisfies Columns

/**
 * Objects that the running comparison changed, and that no event has announced yet. At its end, the comparison counts them as corrections.
 */
export const mirrorDifferenceColumns = {
  kind: oneOf(mirroredKinds),
  id: text(),
} satisfies Columns

/** The sums of each customer, see CustomerStanding. */
export const mirrorStandingColumns = {
  customer: text(),
  billingStatus: textOrNull(),
  /** This column and the next two: JSON of amounts by currency. */
  monthly: text(),
  owed: text(),
  writtenOff: text(),
} satisfies Columns

/** Customers with outdated sums, because their objects changed after the sums were computed. */
export const mirrorUnsummedColumns = {
  customer: text(),
  marked: whole(),
} satisfies Columns

/** Sums of the items of subscriptions that have not ended, see ItemRevenueRecord. */
export const mirrorItemSumColumns = {
  item: text(),
  customer: text(),
  subscription: text(),
  price: text(),
  product: textOrNull(),
  currency: text(),
  status: text(),
  /** 1 if the item counts towards the monthly recurring revenue (MRR), otherwise 0. */
  counts: whole(),
  monthly: text(),
  usageLastPeriod: whole(),
} satisfies Columns

/**
 * Monthly recurring revenue (MRR) of each customer that has MRR or has ever paid. A row contains the present MRR and the MRR at the end of
 * the last stored day.
 */
export const mirrorRevenueColumns = {
  customer: text(),
  currency: text(),
  monthly: text(),
  /** MRR at the end of the last stored day; null if until then the customer had never paid in this currency. */
  dayMonthly: textOrNull(),
} satisfies Columns

/** Days whose sums were stored, including days without any revenue. */
export const mirrorKeptDayColumns = { day: text() } satisfies Columns

/** Revenue sums of each stored day, see RevenueDay. */
export const mirrorDayColumns = {
  day: text(),
  currency: text(),
  mrr: text(),
  usageLastPeriod: whole(),
  /** JSON of the MRR by product. */
  byProduct: text(),
  new: text(),
  expansion: text(),
  contraction: text(),
  churn: text(),
  reactivation: text(),
  pastDue: whole(),
} satisfies Columns

/** A single row with the progress of the mirror; no row before the mirror ran for the first time. */
export const mirrorStateColumns = {
  id: whole(),
  account: text(),
  /** JSON of kind, cursor and number of objects during the first fill; null after it. */
  filling: textOrNull(),
  eventCursor: text(),
  readUntil: timeOrNull(),
  beganAt: timeOrNull(),
  comparedAt: timeOrNull(),
  /** JSON of the position of the running comparison; null if none runs. */
  comparing: textOrNull(),
  corrections: whole(),
} satisfies Columns

/** A single row with the last number that a read or a mark received. */
export const mirrorNumberColumns = { id: whole(), last: whole() } satisfies Columns

/** Number of times that the mirror read from the processor, by day since 1970 (UTC). */
export const mirrorReadColumns = { day: whole(), reads: whole() } satisfies Columns

export type MirrorObjectRow = RecordOf<typeof mirrorObjectColumns>
export type MirrorItemRow = RecordOf<typeof mirrorItemColumns>
export type MirrorPaymentRow = RecordOf<typeof mirrorPaymentColumns>
export type MirrorCreditMoveRow = RecordOf<typeof mirrorCreditMoveColumns>
export type MirrorPaidRow = RecordOf<typeof mirrorPaidColumns>
export type MirrorItemSumRow = RecordOf<typeof mirrorItemSumColumns>
export type MirrorRevenueRow = RecordOf<typeof mirrorRevenueColumns>
export type MirrorDayRow = RecordOf<typeof mirrorDayColumns>
export type MirrorStandingRow = RecordOf<typeof mirrorStandingColumns>
export type MirrorStateRow = RecordOf<typeof mirrorStateColumns>

/** Kind and id of one object of the mirror. */
export interface MirrorRef {
  readonly kind: MirroredKind
  readonly id: string
}

export interface StaleObject extends MirrorRef {
  /**
   * Number of the stale mark. The mark means that the object may have changed. It is removed by a read of the object that began with a
   * higher number.
   */
  readonly marked: number
  /** Time (epoch milliseconds) of the event that marked the object as stale. */
  readonly since: number
  /** Number of reads that failed in a row. */
  readonly attempts: number
  /** Message of the last failed read; null if none failed. */
  readonly error: string | null
}

/** A failed read of a stale object. */
export interface FailedRead {
  readonly attempts: number
  /** Time of the next attempt, epoch milliseconds. */
  readonly retryAt: number
  /** True if the object cannot be read and is skipped. The age of the copy is then computed without this object. */
  readonly skipped: boolean
  readonly error: string
}

/** Progress of the mirror, stored as a single row. There is no row before the mirror ran for the first time. */
export interface MirrorState {
  /** Processor account that was copied. If the service is bound to another account, the copy is deleted. */
  readonly account: string
  /**
   * Progress of the first fill: the kind that is being read, the cursor of its next page, and the number of objects read. null when the
   * fill is complete.
   */
  readonly filling: { readonly kind: MirroredKind; readonly after: string | null; readonly objects: number } | null
  /** Id of the last processor event that was handled; empty if the account had no event. */
  readonly eventCursor: string
  /** Time (epoch milliseconds) up to which the copy contains every change. Exception: changes of objects that are marked stale. */
  readonly readUntil: number | null
  /** Time at which the mirror was complete for the first time. Revenue sums exist only for days after that. */
  readonly beganAt: number | null
  /** Time of the last full comparison of the mirror with the processor. */
  readonly comparedAt: number | null
  /** Position of the running comparison; null if none runs. */
  readonly comparing: ComparisonPlace | null
  /** Total number of objects that comparisons had to correct. */
  readonly corrections: number
}

/** The part of the mirror's progress that determines how complete the copy is, and how old. */
export interface MirrorProgress extends Pick<MirrorState, 'readUntil' | 'beganAt'> {
  /** Time of the oldest stale mark, without marks of skipped objects; null if there is none. */
  readonly oldestStale: number | null
}

/**
 * Position of a comparison (which lists all objects again). It is stored after each page, so that an interrupted comparison continues
 * there.
 */
export interface ComparisonPlace {
  /** Kind that is being listed, and the cursor of its next page. */
  readonly kind: MirroredKind
  readonly after: string | null
  /**
   * Sequence number from the start of the comparison; all reads are numbered. A stored object whose last read has a lower number was in no
   * list of the comparison.
   */
  readonly number: number
  /**
   * True if the comparison replaces events that the processor deleted before they were read. The copy becomes older until all objects are
   * listed.
   */
  readonly relisting: boolean
}

export interface MirrorSaved {
  /**
   * Objects for which two overlapping reads returned different content. They are marked as stale, because it is unknown which read is
   * newer.
   */
  readonly overlapped: readonly MirrorRef[]
  /** Objects that this save changed or added although they had no stale mark. So no event has announced the change yet. */
  readonly unannounced: readonly MirrorRef[]
}

export interface Unsummed {
  readonly customer: ProcessorId
  /** Number of the mark for outdated sums of the customer. The mark is removed when sums are stored that were computed from later reads. */
  readonly marked: number
}

/** A subscription to a free price, which exists only in this store. */
export interface FreeSubscriber {
  readonly free: string
  readonly tenant: SubscribedTenant
}

/** Members of a tenant that a list of subscribers shows. */
type SubscribedTenant = Pick<TenantRecord, 'id' | 'name'>

export interface StoredSubscriber {
  readonly subscription: MirroredSubscription
  readonly item: MirroredItem
  /** null if the customer is not a tenant. */
  readonly tenant: SubscribedTenant | null
}

/** Something that was paid, and the ids of the payment intents and charges that paid it. */
export interface PaidBy {
  readonly id: string
  readonly payments: readonly string[]
}

export type BilledObject =
  | { readonly kind: 'invoice'; readonly object: MirroredInvoice }
  | { readonly kind: 'purchase'; readonly object: MirroredPurchase }

export interface DiscountedSubscription {
  readonly subscription: MirroredSubscription
  /** null if the customer has no discount. */
  readonly customerDiscount: MirroredDiscount | null
}

/** A subscription with tax rates. */
export interface TaxedSubscription {
  readonly subscription: string
  readonly tenantId: string | null
  readonly taxRates: readonly ProcessorId[]
}

/** One subscription item on a price, reduced to what sums need. */
export interface PriceUse {
  readonly item: string
  readonly price: ProcessorId
  readonly subscription: string
  readonly customer: ProcessorId
  readonly tenantId: string | null
  readonly status: string
  readonly paused: boolean
  readonly currency: string
  readonly quantity: number | null
}

/** A paid invoice or purchase whose credits are not granted yet. */
export type PaidObject = Pick<MirrorPaidRow, 'kind' | 'id' | 'marked'>

/** A credit grant with what is left of it, without regard to its dates. */
export interface StoredCreditGrant extends MirroredCreditGrant {
  readonly remaining: number
  /** What the processor took at its end, because it was not used. */
  readonly lapsed: number
}
