import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { cancelSetup, newSetupIntent, attemptSetup } from '../../billing/payments/setup-intents.ts'
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import type { SetupIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { cardDeclined, notSupported, onlyWithConfirm, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { boolean, oneOf, range, text } from '../../protocol/parameters/params.ts'
import {
  atCustomer,
  automaticMethodsOf,
  automaticMethodsParam,
  missingMethodError,
  refuseFinal,
  requireReturnUrl,
} from './intents.ts'
import { webUrl } from '../checkout/new-session.ts'
import { methodForPayment } from './payment-methods.ts'
import { declineOf } from './test-payment-methods.ts'

const sharedFields = {
  customer: text(),
  description: text({ max: 1000 }),
  metadata: metadata(),
  payment_method: text(),
}
const createFields = {
  ...sharedFields,
  automatic_payment_methods: automaticMethodsParam,
  confirm: boolean(),
  return_url: webUrl(),
  usage: oneOf('off_session', 'on_session'),
}

function create(outer: OperationContext): HandlerResult {
  const params = outer.read(createFields)
  if (params.return_url !== undefined && params.confirm !== true) throw onlyWithConfirm('return_url')
  const customer = params.customer === undefined ? null : outer.reference('customer', params.customer, 'customer')
  const call = outer.at(timeOf(outer, customer?.test_clock ?? null))
  const card =
    params.payment_method === undefined ? null : methodForPayment(call, params.payment_method, customer?.id ?? null)
  const intent = newSetupIntent(call, {
    customer: customer?.id ?? null,
    description: params.description ?? null,
    metadata: applyMetadata({}, params.metadata),
    paymentMethod: card?.id ?? null,
    automatic: automaticMethodsOf(params.automatic_payment_methods),
    usage: params.usage ?? 'off_session',
    session: null,
  })
  return params.confirm === true ? confirmIntent(call, intent, card, params.return_url) : { object: intent }
}

/** Confirms the setup intent. After a decline the response is an error, but the attempt is stored. */
function confirmIntent(
  call: OperationContext,
  intent: SetupIntentBody,
  card: PaymentMethodBody | null,
  returnUrl?: string,
): HandlerResult {
  if (card === null) throw missingMethodError(intent)
  requireReturnUrl(intent, { returnUrl })
  if (card.type !== 'card') throw notSupported('setting up a bank account', 'payment_method')
  const after = attemptSetup(call, intent, card, { returnUrl })
  if (after.status !== 'requires_payment_method') return { object: after }
  const objects = { payment_method: call.render(card), setup_intent: call.render(after) }
  return { refusal: cardDeclined(declineOf(card), objects) }
}

/**
 * Refuses the setup intent of a checkout: the checkout page confirms it, and it is canceled with its session. Source: the SDK's
 * documentation of `setup_intent`.
 */
function refuseOfCheckout(intent: SetupIntentBody, what: string): void {
  if (intent._session === null) return
  throw badRequest(
    `You cannot ${what} the SetupIntent of a Checkout Session.`,
    undefined,
    'setup_intent_unexpected_state',
  )
}

function confirm(outer: OperationContext): HandlerResult {
  const before = outer.subject('setup_intent')
  const params = outer.read({ payment_method: text(), return_url: webUrl() })
  refuseOfCheckout(before, 'confirm')
  refuseFinal(before, 'confirm')
  const { call } = atCustomer(outer, before)
  const id = params.payment_method ?? before.payment_method
  return confirmIntent(
    call,
    before,
    id === null ? null : methodForPayment(call, id, before.customer),
    params.return_url,
  )
}

function update(outer: OperationContext): SetupIntentBody {
  const before = outer.subject('setup_intent')
  const params = outer.read(sharedFields)
  const { metadata: about, description, ...setting } = params
  const sets = Object.values(setting).some((value) => value !== undefined)
  if (sets) {
    refuseOfCheckout(before, 'update')
    refuseFinal(before, 'update')
  }
  const customer =
    params.customer === undefined ? before.customer : outer.reference('customer', params.customer, 'customer').id
  if (before.customer !== null && customer !== before.customer)
    throw badRequest('You cannot modify `customer` on a SetupIntent once it already has been set.', 'customer')
  const { call } = atCustomer(outer, { customer })
  const card = params.payment_method === undefined ? null : methodForPayment(call, params.payment_method, customer)
  const after: SetupIntentBody = {
    ...before,
    customer,
    description: description ?? before.description,
    metadata: applyMetadata(before.metadata, about),
    ...(card === null ? {} : { payment_method: card.id, status: 'requires_confirmation' }),
  }
  return call.update(before, after, null)
}

function cancel(outer: OperationContext): SetupIntentBody {
  const before = outer.subject('setup_intent')
  const params = outer.read({ cancellation_reason: oneOf('abandoned', 'duplicate', 'requested_by_customer') })
  refuseOfCheckout(before, 'cancel')
  refuseFinal(before, 'cancel')
  return cancelSetup(atCustomer(outer, before).call, before, params.cancellation_reason ?? null)
}

const base = '/v1/setup_intents'
const of = 'setup_intent'

export const setupIntents: readonly Operation[] = [
  { method: 'POST', path: base, of, run: create },
  listing(base, of, { created: range(), customer: text(), payment_method: text() }),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  { method: 'POST', path: `${base}/:id/confirm`, of, run: confirm },
  post(`${base}/:id/cancel`, of, cancel),
]
