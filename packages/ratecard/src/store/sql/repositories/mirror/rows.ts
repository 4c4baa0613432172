// Converts mirrored objects to rows. All functions are pure.
import { canonicalJson } from '../../../../document/schema/canonical/canonical.ts'
import type { ProcessorId } from '../../../../catalog/resource.ts'
import type {
  Mirrored,
  MirroredCreditTransaction,
  MirroredInvoice,
  MirroredKind,
  MirroredRefund,
  MirroredSubscription,
} from '../../../../processor/mirrored.ts'
import type { MirrorCreditMoveRow, MirrorItemRow, MirrorObjectRow, MirrorPaymentRow } from '../../../records/mirror.ts'

type Facts = Pick<MirrorObjectRow, 'customer' | 'status' | 'happenedAt'>

const factsOf: { readonly [K in MirroredKind]: (object: Mirrored[K]) => Facts } = {
  price: () => ({ customer: null, status: null, happenedAt: null }),
  customer: ({ id, tenant = null }) => ({ customer: id, status: tenant, happenedAt: null }),
  subscription: ({ customer, status, createdAt }) => ({ customer, status, happenedAt: createdAt }),
  invoice: ({ customer, status, finalizedAt }) => ({ customer, status, happenedAt: finalizedAt }),
  credit_note: ({ customer, status, createdAt }) => ({ customer, status, happenedAt: createdAt }),
  refund: ({ customer, status, createdAt }) => ({ customer, status, happenedAt: createdAt }),
  // A purchase with an invoice is listed as that invoice, so it has no time. The payment stands in the place of the status, which a
  // purchase does not have: the customer of a refund is found by it.
  purchase: ({ customer, payment, invoice, paidAt }) => ({
    customer,
    status: payment,
    happenedAt: invoice === null ? paidAt : null,
  }),
  credit_grant: ({ customer, createdAt }) => ({ customer, status: null, happenedAt: createdAt }),
  credit_transaction: ({ createdAt }) => ({ customer: null, status: null, happenedAt: createdAt }),
}

export function objectRow<K extends MirroredKind>(kind: K, object: Mirrored[K], readAt: number): MirrorObjectRow {
  return { kind, id: object.id, readAt, object: canonicalJson(object), ...factsOf[kind](object) }
}

/** Returns the row of an object that the processor no longer has. */
export function goneRow(kind: MirroredKind, id: string, readAt: number): MirrorObjectRow {
  return { kind, id, readAt, object: null, customer: null, status: null, happenedAt: null }
}

export const objectOf = <K extends MirroredKind>(row: {
  readonly object: string | null
  readonly kind?: K
}): Mirrored[K] | null => (row.object === null ? null : (JSON.parse(row.object) as Mirrored[K]))

/**
 * True if two stored states of an object are the same, apart from members that the processor generates anew for each response. E.g. the URL
 * of an invoice contains a token with the time of the request.
 */
export function isSameContent(kind: MirroredKind, a: string | null, b: string | null): boolean {
  if (a === b) return true
  if (kind !== 'invoice' || a === null || b === null) return false
  return withoutUrl(a) === withoutUrl(b)
}

function withoutUrl(object: string): string {
  const { url: _url, ...rest } = JSON.parse(object) as MirroredInvoice
  return canonicalJson(rest)
}

/** Statuses of subscriptions that have ended and cannot continue. */
export const endedStatuses: readonly string[] = ['canceled', 'incomplete_expired']

/** Returns one row for each item; none for a subscription that has ended. */
export function itemRows({ id, customer, status, paused, currency, items }: MirroredSubscription): MirrorItemRow[] {
  if (endedStatuses.includes(status)) return []
  return items.map((item) => ({
    id: item.id,
    subscription: id,
    customer,
    price: item.price.id,
    product: item.price.product,
    status,
    paused: paused?.behavior ?? null,
    currency,
    quantity: item.quantity,
  }))
}

export function paymentRows(
  kind: MirrorPaymentRow['kind'],
  { id, payments }: Pick<MirroredInvoice | MirroredRefund, 'id' | 'payments'>,
): MirrorPaymentRow[] {
  return [...new Set(payments)].map((payment) => ({ kind, id, payment }))
}

/** Returns one row for a credit transaction that changed the balance of a grant after its creation. */
export function creditMoveRows({ id, grant, reason, amount }: MirroredCreditTransaction): MirrorCreditMoveRow[] {
  return reason === 'granted' ? [] : [{ id, creditGrant: grant, amount }]
}

/** True for a payment that may grant credit: a paid invoice, or a purchase. */
export function isPaid({ kind, status, object }: MirrorObjectRow): boolean {
  return object !== null && (kind === 'purchase' || (kind === 'invoice' && status === 'paid'))
}

/** True for kinds whose objects are part of a customer's sums. */
export function isSummed(kind: MirroredKind): boolean {
  return kind === 'subscription' || kind === 'invoice' || kind === 'customer'
}

export const customersOf = (rows: readonly Pick<MirrorObjectRow, 'customer'>[]): readonly ProcessorId[] =>
  rows.flatMap(({ customer }) => (customer === null ? [] : [customer as ProcessorId]))
