// Records of the mirror: the copy of the processor's customers. Each object is JSON, beside the columns that queries need.
import { mirroredKinds } from '../../processor/mirrored.ts'
import { oneOf, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

/** One row for each object. */
export const mirrorObjectColumns = {
  kind: oneOf(mirroredKinds),
  id: text(),
  /** JSON with sorted keys. null after the processor deleted the object: the row stays, so that an earlier read cannot bring it back. */
  object: textOrNull(),
  /** Number of the end of the read that it is from. */
  readAt: whole(),
  /** null for prices, and for refunds without a customer. */
  customer: textOrNull(),
  /** Of subscriptions, invoices, credit notes and refunds. */
  status: textOrNull(),
  /** Time for lists and exports: finalization of an invoice (null for drafts), otherwise creation; null for customers and prices. */
  happenedAt: timeOrNull(),
} satisfies Columns

/** Items of subscriptions that have not ended. */
export const mirrorItemColumns = {
  id: text(),
  subscription: text(),
  customer: text(),
  price: text(),
  product: textOrNull(),
  status: text(),
  /** Behaviour of `pause_collection`; null if the subscription collects. */
  paused: textOrNull(),
  currency: text(),
  /** null for metered items. */
  quantity: wholeOrNull(),
} satisfies Columns

/** Payments of invoices and of refunds: a refund belongs to the invoices with one of its payments. */
export const mirrorPaymentColumns = {
  kind: oneOf(['invoice', 'refund']),
  id: text(),
  payment: text(),
} satisfies Columns

/** Objects that may have changed since they were read. */
export const mirrorStaleColumns = {
  kind: oneOf(mirroredKinds),
  id: text(),
  marked: whole(),
  since: time(),
} satisfies Columns

/** Sums of one customer, see CustomerStanding. */
export const mirrorStandingColumns = {
  customer: text(),
  billingStatus: textOrNull(),
  /** JSON of amounts by currency. */
  monthly: text(),
  owed: text(),
  writtenOff: text(),
} satisfies Columns

/** Customers whose objects changed after their sums were computed. */
export const mirrorUnsummedColumns = {
  customer: text(),
  marked: whole(),
} satisfies Columns

/** Sums of items of subscriptions that have not ended, see ItemRevenueRecord. */
export const mirrorItemSumColumns = {
  item: text(),
  customer: text(),
  subscription: text(),
  price: text(),
  product: textOrNull(),
  currency: text(),
  status: text(),
  /** 1 if the item is part of the MRR, otherwise 0. */
  counts: whole(),
  monthly: text(),
  usageLastPeriod: whole(),
} satisfies Columns

/** MRR of each customer that pays or paid, now and at the end of the last kept day. */
export const mirrorRevenueColumns = {
  customer: text(),
  currency: text(),
  monthly: text(),
  /** null if the customer had never paid in this currency until then. */
  dayMonthly: textOrNull(),
} satisfies Columns

/** Days that were kept, also those without a currency to show. */
export const mirrorKeptDayColumns = { day: text() } satisfies Columns

/** Sums of a kept day, see RevenueDay. */
export const mirrorDayColumns = {
  day: text(),
  currency: text(),
  mrr: text(),
  usageLastPeriod: whole(),
  /** JSON. */
  byProduct: text(),
  new: text(),
  expansion: text(),
  contraction: text(),
  churn: text(),
  reactivation: text(),
  pastDue: whole(),
} satisfies Columns

/** A single row; none before the mirror ran for the first time. */
export const mirrorStateColumns = {
  id: whole(),
  account: text(),
  /** JSON of list, cursor and number of objects during the first fill; null after it. */
  filling: textOrNull(),
  eventCursor: text(),
  readUntil: timeOrNull(),
  beganAt: timeOrNull(),
  comparedAt: timeOrNull(),
  corrections: whole(),
} satisfies Columns

/** A single row with the last number that a read or a mark got. */
export const mirrorNumberColumns = { id: whole(), last: whole() } satisfies Columns

/** Reads at the processor by day since 1970 (UTC). */
export const mirrorReadColumns = { day: whole(), reads: whole() } satisfies Columns

export type MirrorObjectRow = RecordOf<typeof mirrorObjectColumns>
export type MirrorItemRow = RecordOf<typeof mirrorItemColumns>
export type MirrorPaymentRow = RecordOf<typeof mirrorPaymentColumns>
export type MirrorItemSumRow = RecordOf<typeof mirrorItemSumColumns>
export type MirrorRevenueRow = RecordOf<typeof mirrorRevenueColumns>
export type MirrorDayRow = RecordOf<typeof mirrorDayColumns>
export type MirrorStandingRow = RecordOf<typeof mirrorStandingColumns>
export type MirrorStateRow = RecordOf<typeof mirrorStateColumns>
