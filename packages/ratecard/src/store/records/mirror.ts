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

export type MirrorObjectRow = RecordOf<typeof mirrorObjectColumns>
export type MirrorItemRow = RecordOf<typeof mirrorItemColumns>
export type MirrorPaymentRow = RecordOf<typeof mirrorPaymentColumns>
export type MirrorStandingRow = RecordOf<typeof mirrorStandingColumns>
export type MirrorStateRow = RecordOf<typeof mirrorStateColumns>
