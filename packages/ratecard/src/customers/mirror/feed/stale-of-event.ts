// Decides which objects an event makes stale. Pure. Only the ids in the event are used: its other data may be older than the object is now,
// and may be in another API version.
import type { MirroredKind } from '../../../processor/mirrored.ts'
import type { MirrorRef } from '../../../store/records/mirror.ts'

/** Path of an id within the event's object, e.g. `parent.subscription_details.subscription`. */
type IdPath = string

/**
 * One object that an event concerns: its kind, the path of its id, and optionally a member that the event's object must have. Without that
 * member the event does not concern such an object.
 */
type Named = readonly (readonly [MirroredKind, IdPath, (readonly [member: string, value: string])?])[]

const subscription: Named = [['subscription', 'id']]
const invoice: Named = [['invoice', 'id']]
const customer: Named = [['customer', 'id']]
const creditNote: Named = [
  ['credit_note', 'id'],
  // A credit note also affects another object: its invoice (the amount due becomes lower) or the customer (its balance changes).
  ['invoice', 'invoice'],
  ['customer', 'customer'],
]
const schedule: Named = [
  ['subscription', 'subscription'],
  ['subscription', 'released_subscription'],
]
const discount: Named = [
  ['subscription', 'subscription'],
  ['customer', 'customer'],
]
const bought: Named = [
  // Only a session in mode `payment` is a purchase. A session never changes its mode.
  ['purchase', 'id', ['mode', 'payment']],
  ['subscription', 'subscription'],
  ['invoice', 'invoice'],
  ['customer', 'customer'],
]
const refund: Named = [['refund', 'id']]
const price: Named = [['price', 'id']]
const creditGrant: Named = [['credit_grant', 'id']]
const creditTransaction: Named = [['credit_transaction', 'id']]

/** Objects that each type of event makes stale. Types that are not listed change nothing in the mirror. */
const namedBy = {
  'customer.subscription.created': subscription,
  'customer.subscription.updated': subscription,
  'customer.subscription.deleted': subscription,
  'customer.subscription.paused': subscription,
  'customer.subscription.resumed': subscription,
  'customer.subscription.trial_will_end': subscription,
  'customer.subscription.pending_update_applied': subscription,
  'customer.subscription.pending_update_expired': subscription,
  'subscription_schedule.created': schedule,
  'subscription_schedule.updated': schedule,
  'subscription_schedule.released': schedule,
  'subscription_schedule.canceled': schedule,
  'subscription_schedule.completed': schedule,
  'subscription_schedule.aborted': schedule,
  'subscription_schedule.expiring': schedule,
  'invoice.created': invoice,
  'invoice.updated': invoice,
  'invoice.deleted': invoice,
  'invoice.finalized': invoice,
  'invoice.finalization_failed': invoice,
  'invoice.paid': invoice,
  'invoice.payment_succeeded': invoice,
  'invoice.payment_failed': invoice,
  'invoice.payment_action_required': invoice,
  'invoice.payment_attempt_required': invoice,
  'invoice.overdue': invoice,
  'invoice.overpaid': invoice,
  'invoice.voided': invoice,
  'invoice.marked_uncollectible': invoice,
  'invoice.sent': invoice,
  'invoice.will_be_due': invoice,
  'invoice_payment.paid': [['invoice', 'invoice']],
  'invoiceitem.created': [['invoice', 'invoice']],
  'invoiceitem.deleted': [['invoice', 'invoice']],
  'credit_note.created': creditNote,
  'credit_note.updated': creditNote,
  'credit_note.voided': creditNote,
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.refund.updated': refund,
  'customer.created': customer,
  'customer.updated': customer,
  'customer.deleted': customer,
  'customer.discount.created': discount,
  'customer.discount.updated': discount,
  'customer.discount.deleted': discount,
  'checkout.session.completed': bought,
  'checkout.session.async_payment_succeeded': bought,
  'checkout.session.async_payment_failed': bought,
  'billing.credit_grant.created': creditGrant,
  'billing.credit_grant.updated': creditGrant,
  'billing.credit_balance_transaction.created': creditTransaction,
  'price.created': price,
  'price.updated': price,
  'price.deleted': price,
} as const satisfies Readonly<Record<string, Named>>

/** Types of events that make an object stale, e.g. for the endpoint that receives events. */
export const mirroredEventTypes = Object.keys(namedBy)

interface NamingEvent {
  readonly type: string
  /** The processor's event object, `{ data: { object } }`. */
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Returns the objects that the event makes stale, each once. Empty for event types that change nothing in the mirror, and for an object
 * without an id, e.g. a preview.
 */
export function staleOfEvent({ type, body }: NamingEvent): readonly MirrorRef[] {
  if (!Object.hasOwn(namedBy, type)) return []
  const named: Named = namedBy[type as keyof typeof namedBy]
  const object = memberAt(memberAt(body, 'data'), 'object')
  const refs = named.flatMap(([kind, path, needed]) => {
    const id = idAt(object, path)
    return id === null || (needed !== undefined && memberAt(object, needed[0]) !== needed[1]) ? [] : [{ kind, id }]
  })
  return refs.filter(({ kind, id }, index) => refs.findIndex((one) => one.kind === kind && one.id === id) === index)
}

/** Returns the id at a path; null if there is none. Works for a plain id and for an expanded object. */
function idAt(object: unknown, path: IdPath): string | null {
  const found = path.split('.').reduce(memberAt, object)
  const id = typeof found === 'string' ? found : memberAt(found, 'id')
  return typeof id === 'string' && id !== '' ? id : null
}

function memberAt(value: unknown, member: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined
  return (value as Readonly<Record<string, unknown>>)[member]
}
