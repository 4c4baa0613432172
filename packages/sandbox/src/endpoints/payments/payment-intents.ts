import { attemptInvoice } from '../../billing/invoices/invoicing.ts'
import { updateStatusAfter, subscriptionOf } from '../../billing/subscriptions/subscription-status.ts'
import { newIntent, declineErrorOf, attemptIntent } from '../../billing/payments/payments.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { InvoiceBody, PaymentMethodBody } from '../../objects/customer-bodies.ts'
import type { PaymentIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { formatMinor } from '../../money/format.ts'
import { isBelowMinimum, minimumText } from '../../money/minimum-charge.ts'
import { missingParam, notSupported, onlyWithConfirm, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import {
  boolean,
  integer,
  list,
  oneOf,
  range,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import { shippingField, toShipping } from '../customers/addresses.ts'
import { currency } from '../catalog/currencies.ts'
import {
  atCustomer,
  automaticMethodsOf,
  automaticMethodsParam,
  missingMethodError,
  refuseFinal,
  requireReturnUrl,
} from './intents.ts'
import { webUrl } from '../checkout/new-session.ts'
import { declinesAttachment, methodForPayment } from './payment-methods.ts'

/** Parameters of a request that confirms a payment intent. */
const confirmFields = {
  mandate_data: shape({
    customer_acceptance: required(
      shape({
        accepted_at: timestamp(),
        offline: shape({}),
        online: shape({ ip_address: required(text()), user_agent: required(text()) }),
        type: required(oneOf('offline', 'online')),
      }),
    ),
  }),
  off_session: boolean(),
  return_url: webUrl(),
}

const createFields = {
  ...confirmFields,
  allowed_payment_method_types: list(oneOf('card', 'sepa_debit')),
  amount: required(integer({ min: 1 })),
  automatic_payment_methods: automaticMethodsParam,
  confirm: boolean(),
  currency: required(currency()),
  customer: text(),
  description: text({ max: 1000 }),
  metadata: metadata(),
  payment_method: text(),
  setup_future_usage: oneOf('off_session', 'on_session'),
  shipping: shippingField,
}

/** Largest amount of a payment in minor units, in each currency. */
const mostAmount = 99_999_999

function create(outer: OperationContext): HandlerResult {
  const params = outer.read(createFields)
  const customer = params.customer === undefined ? null : outer.reference('customer', params.customer, 'customer')
  const call = outer.at(timeOf(outer, customer?.test_clock ?? null))
  if (isBelowMinimum(params.amount, params.currency))
    throw badRequest(`Amount must be at least ${minimumText(params.currency)}`, 'amount', 'amount_too_small')
  if (params.amount > mostAmount)
    throw badRequest(
      `Amount must be no more than ${formatMinor(mostAmount, params.currency)}`,
      'amount',
      'amount_too_large',
    )
  if (params.automatic_payment_methods !== undefined && params.allowed_payment_method_types !== undefined)
    throw notSupported('`automatic_payment_methods` together with `allowed_payment_method_types`')
  const card =
    params.payment_method === undefined ? null : methodForPayment(call, params.payment_method, customer?.id ?? null)
  const intent = newIntent(call, {
    ...{ amount: params.amount, currency: params.currency, customer: customer?.id ?? null, invoice: null },
    description: params.description ?? null,
    metadata: applyMetadata({}, params.metadata),
    paymentMethod: card?.id ?? null,
    shipping: toShipping(params.shipping),
    allowed: params.allowed_payment_method_types,
    automatic: automaticMethodsOf(params.automatic_payment_methods),
    laterUse: params.setup_future_usage,
  })
  if (params.confirm === true)
    return confirmIntent(call, intent, card, { ...params, clock: customer?.test_clock ?? null })
  const early = (['mandate_data', 'off_session', 'return_url'] as const).find((name) => params[name] !== undefined)
  if (early !== undefined) throw onlyWithConfirm(early)
  return { object: intent }
}

interface Confirmation extends Partial<Read<typeof confirmFields>> {
  readonly clock: string | null
}

/** Confirms the payment intent. After a decline the response is an error, but the attempt is stored. */
function confirmIntent(
  call: OperationContext,
  intent: PaymentIntentBody,
  card: PaymentMethodBody | null,
  { clock, mandate_data: mandate, off_session: offSession, return_url: returnUrl }: Confirmation,
): HandlerResult {
  if (card === null) throw missingMethodError(intent)
  requireReturnUrl(intent, { offSession: offSession === true, returnUrl })
  refuseForeignType(intent, card)
  if (card.type === 'sepa_debit' && mandate === undefined) throw missingParam('mandate_data')
  const after = attemptIntent(call, intent, card, { offSession: offSession === true, returnUrl, clock })
  return after.status === 'requires_payment_method' ? { refusal: declineErrorOf(call, after) } : { object: after }
}

/** Refuses a payment method whose type the intent does not allow, and `sepa_debit` in a currency other than EUR. */
function refuseForeignType(intent: PaymentIntentBody, { type }: PaymentMethodBody): void {
  if (!intent.payment_method_types.includes(type)) {
    const message = `The PaymentMethod provided (${type}) is not allowed for this PaymentIntent. Please attach a PaymentMethod of one of the following types: ${intent.payment_method_types.join(', ')}.`
    throw badRequest(message, 'payment_method')
  }
  if (type === 'sepa_debit' && intent.currency !== 'eur') {
    const message = `The payment method type \`sepa_debit\` can only be used with \`eur\`, and this PaymentIntent is in \`${intent.currency}\`.`
    throw badRequest(message, 'currency')
  }
}

function confirm(outer: OperationContext): HandlerResult {
  const before = outer.subject('payment_intent')
  const params = outer.read({ ...confirmFields, payment_method: text() })
  refuseFinal(before, 'confirm')
  const { call, clock } = atCustomer(outer, before)
  const id = params.payment_method ?? before.payment_method
  const card = id === null ? null : methodForPayment(call, id, before.customer)
  const invoice = before._invoice === null ? undefined : call.find('invoice', before._invoice)
  if (invoice !== undefined && card !== null) return payInvoiceOfIntent(call, before, invoice, card)
  return confirmIntent(call, before, card, { ...params, clock })
}

/**
 * Pays the invoice of the payment intent. With `save_default_payment_method: on_subscription`, the card is attached to the customer first,
 * unless its bank declines that.
 */
function payInvoiceOfIntent(
  call: OperationContext,
  intent: PaymentIntentBody,
  invoice: InvoiceBody,
  given: PaymentMethodBody,
): HandlerResult {
  refuseForeignType(intent, given)
  if (given.type === 'sepa_debit') throw notSupported('debits that pay an invoice', 'payment_method')
  const subscription = call.find('subscription', subscriptionOf(invoice) ?? '')
  const keeps = subscription?.payment_settings.save_default_payment_method === 'on_subscription'
  const card =
    keeps && given.customer === null && !declinesAttachment(given)
      ? call.update(given, { ...given, customer: invoice.customer, _fresh: false }, 'payment_method.attached')
      : given
  updateStatusAfter(call, attemptInvoice(call, invoice, { card: card.id, manual: true }))
  const after = call.find('payment_intent', intent.id) ?? intent
  return after.status === 'requires_payment_method' ? { refusal: declineErrorOf(call, after) } : { object: after }
}

const reasons = oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer')

function cancel(call: OperationContext): PaymentIntentBody {
  const before = call.subject('payment_intent')
  const { cancellation_reason: reason } = call.read({ cancellation_reason: reasons })
  refuseFinal(before, 'cancel')
  const over = { ...before, canceled_at: call.now, cancellation_reason: reason ?? null, next_action: null }
  const after = { ...over, status: 'canceled' as const }
  return call.update(before, after, 'payment_intent.canceled')
}

const base = '/v1/payment_intents'
const of = 'payment_intent'

export const paymentIntents: readonly Operation[] = [
  { method: 'POST', path: base, of, run: create },
  listing(base, of, { created: range(), customer: text() }),
  retrieve(`${base}/:id`, of),
  { method: 'POST', path: `${base}/:id/confirm`, of, run: confirm },
  post(`${base}/:id/cancel`, of, cancel),
]

export const charges: readonly Operation[] = [
  listing('/v1/charges', 'charge', { created: range(), customer: text(), payment_intent: text() }),
  retrieve('/v1/charges/:id', 'charge'),
]
