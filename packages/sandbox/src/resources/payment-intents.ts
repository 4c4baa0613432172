import { newIntent, tried } from '../billing/payments.ts'
import { momentOf } from '../billing/records.ts'
import type { PaymentMethodBody } from '../objects/customer-bodies.ts'
import type { PaymentIntentBody } from '../objects/session-bodies.ts'
import type { Call } from '../protocol/call.ts'
import { isTooSmall, leastText } from '../money/least-charge.ts'
import { cardDeclined, refused } from '../protocol/errors.ts'
import { createdIn, pageFields, where } from '../protocol/list-pages.ts'
import { applyMetadata, metadata } from '../protocol/metadata.ts'
import type { Answer, Operation } from '../protocol/operation.ts'
import { boolean, integer, oneOf, range, required, text } from '../protocol/params.ts'
import { shippingField, toShipping } from './addresses.ts'
import { currency } from './currencies.ts'
import { cardFor } from './payment-methods.ts'

const createFields = {
  amount: required(integer({ min: 1, max: 99_999_999 })),
  confirm: boolean(),
  currency: required(currency()),
  customer: text(),
  description: text({ max: 1000 }),
  metadata: metadata(),
  off_session: boolean(),
  payment_method: text(),
  shipping: shippingField,
}

function create(outer: Call): Answer {
  const params = outer.read(createFields)
  const customer = params.customer === undefined ? null : outer.reference('customer', params.customer, 'customer')
  const call = outer.at(momentOf(outer, customer?.test_clock ?? null))
  if (isTooSmall(params.amount, params.currency))
    throw refused(`Amount must be at least ${leastText(params.currency)}`, 'amount', 'amount_too_small')
  const card = params.payment_method === undefined ? null : cardFor(call, params.payment_method, customer?.id ?? null)
  const intent = newIntent(call, {
    ...{ amount: params.amount, currency: params.currency, customer: customer?.id ?? null, invoice: null },
    description: params.description ?? null,
    metadata: applyMetadata({}, params.metadata),
    paymentMethod: card?.id ?? null,
    shipping: toShipping(params.shipping),
  })
  return params.confirm === true ? confirmed(call, intent, card) : { object: intent }
}

/** A decline is a refusal, but the try is kept. */
function confirmed(call: Call, intent: PaymentIntentBody, card: PaymentMethodBody | null): Answer {
  if (card === null) {
    const message =
      'You cannot confirm this PaymentIntent because it’s missing a payment method. Update the PaymentIntent with a payment method and then confirm it again.'
    throw refused(message.replace('’', "'"), undefined, 'payment_intent_unexpected_state')
  }
  const after = tried(call, intent, card)
  return after.status === 'succeeded' ? { object: after } : { refusal: cardDeclined() }
}

function refuseOver(intent: PaymentIntentBody, what: string): void {
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') return
  const message = `You cannot ${what} this PaymentIntent because it has a status of ${intent.status}.`
  throw refused(message, undefined, 'payment_intent_unexpected_state')
}

function confirm(outer: Call): Answer {
  const before = outer.subject('payment_intent')
  const params = outer.read({ off_session: boolean(), payment_method: text() })
  refuseOver(before, 'confirm')
  if (before._invoice !== null)
    throw refused('The sandbox does not support paying an invoice this way: pay the invoice.')
  const customer = before.customer === null ? undefined : outer.find('customer', before.customer)
  const call = outer.at(momentOf(outer, customer?.test_clock ?? null))
  const id = params.payment_method ?? before.payment_method
  return confirmed(call, before, id === null ? null : cardFor(call, id, before.customer))
}

const reasons = oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer')

function cancel(call: Call): PaymentIntentBody {
  const before = call.subject('payment_intent')
  const { cancellation_reason: reason } = call.read({ cancellation_reason: reasons })
  refuseOver(before, 'cancel')
  const after = { ...before, canceled_at: call.now, cancellation_reason: reason ?? null, status: 'canceled' as const }
  return call.update(before, after, 'payment_intent.canceled')
}

const base = '/v1/payment_intents'
const of = 'payment_intent'
const one = (kind: 'charge' | 'payment_intent') => (call: Call) => {
  call.read({})
  return { object: call.subject(kind) }
}

export const paymentIntents: readonly Operation[] = [
  { method: 'POST', path: base, of, run: create },
  {
    method: 'GET',
    path: base,
    of,
    list: true,
    run: (call) => {
      const params = call.read({ ...pageFields, created: range(), customer: text() })
      return { page: call.page(of, params, [...where('customer', params.customer), ...createdIn(params.created)]) }
    },
  },
  { method: 'GET', path: `${base}/:id`, of, run: one(of) },
  { method: 'POST', path: `${base}/:id/confirm`, of, run: confirm },
  { method: 'POST', path: `${base}/:id/cancel`, of, run: (call) => ({ object: cancel(call) }) },
]

export const charges: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/charges',
    of: 'charge',
    list: true,
    run: (call) => {
      const params = call.read({ ...pageFields, created: range(), customer: text(), payment_intent: text() })
      const conditions = [...where('customer', params.customer), ...where('payment_intent', params.payment_intent)]
      return { page: call.page('charge', params, [...conditions, ...createdIn(params.created)]) }
    },
  },
  { method: 'GET', path: '/v1/charges/:id', of: 'charge', run: one('charge') },
]
