// Card payments and bank debits: a payment intent per amount to pay (e.g. one per invoice), and a charge per attempt.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceBody, PaymentMethodBody, ShippingBody } from '../../objects/customer-bodies.ts'
import type { ChargeBody, NextActionBody, PaymentIntentBody } from '../../objects/session-bodies.ts'
import { StripeError, cardDeclined, type CardDecline } from '../../protocol/responses/errors.ts'
import { isRecord } from '../../protocol/parameters/form.ts'
import { newId } from '../../protocol/ids.ts'
import { declineOf } from '../../endpoints/payments/test-payment-methods.ts'
import { recordMovement } from './balance-transactions.ts'
import { blankIntent, type IntentParams } from './intents.ts'

interface NewIntent extends IntentParams {
  readonly amount: number
  readonly currency: string
  readonly invoice: string | null
  readonly shipping: ShippingBody | null
  readonly laterUse?: PaymentIntentBody['setup_future_usage'] | undefined
}

export function newIntent(call: OperationContext, params: NewIntent): PaymentIntentBody {
  return call.create<PaymentIntentBody>(
    {
      ...blankIntent(call, 'payment_intent', params),
      allowed_payment_method_types: params.allowed ? [...params.allowed] : null,
      amount: params.amount,
      amount_received: 0,
      canceled_at: null,
      // Source: public recordings of the real API since 2025-11-17.clover, and the SDK's documentation of the default.
      capture_method: params.invoice === null ? 'automatic_async' : 'automatic',
      currency: params.currency,
      last_payment_error: null,
      latest_charge: null,
      setup_future_usage: params.laterUse ?? null,
      shipping: params.shipping,
      _invoice: params.invoice,
    },
    'payment_intent.created',
  )
}

function intentOf(call: OperationContext, invoice: InvoiceBody): PaymentIntentBody | undefined {
  return call.select('payment_intent', [{ field: '_invoice', is: invoice.id }], 1)[0]
}

/** Returns the payment intent of an invoice. Creates the intent if there is none yet. */
export function intentFor(call: OperationContext, invoice: InvoiceBody): PaymentIntentBody {
  const { customer, currency, amount_due: amount, billing_reason: billingReason } = invoice
  const known = intentOf(call, invoice)
  if (known !== undefined) return known
  const made = { amount, currency, customer, description: purpose[billingReason], metadata: {}, paymentMethod: null }
  return newIntent(call, { ...made, invoice: invoice.id, shipping: null })
}

/** Descriptions of the payments of invoices, by billing reason. Source: public recordings of the real API since 2025-11-17.clover. */
const purpose: Readonly<Record<InvoiceBody['billing_reason'], string>> = {
  manual: 'Payment for Invoice',
  subscription_create: 'Subscription creation',
  subscription_cycle: 'Subscription update',
  subscription_update: 'Subscription update',
  upcoming: 'Subscription update',
}

/** Updates the intent's amount after the invoice's amount due has changed (e.g. by a credit note). */
export function adjustIntent(call: OperationContext, invoice: InvoiceBody): void {
  const intent = intentOf(call, invoice)
  if (intent === undefined || intent.status === 'succeeded' || intent.status === 'canceled') return
  call.update(intent, { ...intent, amount: invoice.amount_due }, null)
}

/** Cancels the open intent of an invoice that was closed, or was paid outside the API. */
export function cancelIntent(call: OperationContext, invoice: InvoiceBody): void {
  const intent = intentOf(call, invoice)
  if (intent === undefined || intent.status === 'succeeded' || intent.status === 'canceled') return
  const over = { ...intent, canceled_at: call.now, next_action: null, status: 'canceled' as const }
  call.update(intent, over, 'payment_intent.canceled')
}

const authenticationRequired: CardDecline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
}
/** The error of a declined bank debit. */
const debitFailure: CardDecline = {
  code: 'payment_intent_payment_attempt_failed',
  decline_code: 'generic_could_not_process',
  message: 'The payment failed.',
}

interface PaymentAttempt {
  /** True: the cardholder has passed 3-D Secure. */
  readonly authenticated?: boolean
  /** True: the customer is not present. If the card needs 3-D Secure, the charge fails. */
  readonly offSession?: boolean
  readonly returnUrl?: string | undefined
  /** Test clock on which a bank debit completes. Null: the account's clock. */
  readonly clock?: string | null
}

/**
 * Makes one payment attempt: creates the charge and updates the intent. If an on-session payment needs 3-D Secure first, the intent stops
 * at `requires_action`, without a charge.
 */
export function attemptIntent(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  { authenticated = false, offSession = false, returnUrl, clock = null }: PaymentAttempt = {},
): PaymentIntentBody {
  const asks = method._asks === true && !authenticated
  if (asks && !offSession) return requireAuthentication(call, intent, method, returnUrl)
  const kept = intent.setup_future_usage !== null
  if (method.customer === null && method._fresh !== false && !kept)
    call.update(method, { ...method, _fresh: false }, null)
  if (method.type === 'sepa_debit') return startDebit(call, intent, method, clock)
  const refusal = method._declines ? declineOf(method) : asks ? authenticationRequired : undefined
  const tried = chargeOf(call, intent, method, refusal === undefined ? 'succeeded' : 'failed', refusal)
  const charge =
    refusal === undefined
      ? call.create(withMovement(call, tried, 'charge'), 'charge.succeeded')
      : call.create(tried, 'charge.failed')
  if (refusal !== undefined) return markFailed(call, intent, method, charge, refusal)
  return markSucceeded(call, intent, method, charge)
}

/** Returns a successful charge with the balance transaction that it makes. */
function withMovement(call: OperationContext, charge: ChargeBody, type: 'charge' | 'payment'): ChargeBody {
  const { amount, currency, description, id } = charge
  return { ...charge, balance_transaction: recordMovement(call, { amount, currency, description, source: id, type }) }
}

function markSucceeded(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  charge: ChargeBody,
): PaymentIntentBody {
  const paid = { ...intent, amount_received: intent.amount, last_payment_error: null, latest_charge: charge.id }
  const after: PaymentIntentBody = { ...paid, next_action: null, payment_method: method.id, status: 'succeeded' }
  return call.update(intent, after, 'payment_intent.succeeded')
}

function markFailed(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  charge: ChargeBody | null,
  { code, decline_code, message }: CardDecline,
): PaymentIntentBody {
  const error = {
    ...(charge === null ? {} : { charge: charge.id }),
    code,
    ...(decline_code === undefined ? {} : { decline_code }),
    message,
    payment_method: call.render(method),
    type: charge === null ? 'invalid_request_error' : 'card_error',
  }
  const open = { ...intent, last_payment_error: error, next_action: null, payment_method: null }
  const after = {
    ...open,
    latest_charge: charge?.id ?? intent.latest_charge,
    status: 'requires_payment_method' as const,
  }
  return call.update(intent, after, 'payment_intent.payment_failed')
}

/** Returns the next step of a payment or setup that needs 3-D Secure: a hosted page of this server where the cardholder authenticates. */
export function nextAction(call: OperationContext, id: string, returnUrl: string | undefined): NextActionBody {
  const url = `${call.origin}/authenticate/${id}`
  return returnUrl === undefined
    ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
    : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
}

function requireAuthentication(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  returnUrl: string | undefined,
): PaymentIntentBody {
  const waiting = { ...intent, last_payment_error: null, next_action: nextAction(call, intent.id, returnUrl) }
  const after = { ...waiting, payment_method: method.id, status: 'requires_action' as const }
  return call.update(intent, after, 'payment_intent.requires_action')
}

/** Records that the cardholder failed 3-D Secure, so the payment failed. */
export function failAuthentication(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
): PaymentIntentBody {
  return markFailed(call, intent, method, null, authenticationFailure)
}

export const authenticationFailure = {
  code: 'payment_intent_authentication_failure',
  message: 'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
} as const

/**
 * Starts a bank debit. Its charge is pending until the delay of the test bank account has passed. Then `settleDebit` completes the debit.
 */
function startDebit(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  clock: string | null,
): PaymentIntentBody {
  const charge = call.create(chargeOf(call, intent, method, 'pending'), 'charge.pending')
  const waiting = { ...intent, last_payment_error: null, latest_charge: charge.id, payment_method: method.id }
  const due = { _due: call.now + (method._answersAfter ?? 0), _clock: clock }
  return call.update(intent, { ...waiting, ...due, status: 'processing' as const }, 'payment_intent.processing')
}

/** Completes a pending bank debit: it succeeds or is declined. */
export function settleDebit(call: OperationContext, waiting: PaymentIntentBody): PaymentIntentBody {
  const charge = call.find('charge', waiting.latest_charge ?? '')
  const method = call.find('payment_method', waiting.payment_method ?? '')
  if (charge === undefined || method === undefined)
    throw new Error(`The charge or payment method of ${waiting.id} does not exist`)
  const intent = { ...waiting, _due: null }
  if (method._declines) {
    const over = {
      ...charge,
      ...failureOf(debitFailure),
      captured: false,
      amount_captured: 0,
      status: 'failed' as const,
    }
    return markFailed(call, intent, method, call.update(charge, over, 'charge.failed'), debitFailure)
  }
  const paid = withMovement(call, { ...charge, paid: true, status: 'succeeded' as const }, 'payment')
  return markSucceeded(call, intent, method, call.update(charge, paid, 'charge.succeeded'))
}

/** Returns the API error for an intent whose last attempt failed, with the objects of that attempt. */
export function declineErrorOf(call: OperationContext, intent: PaymentIntentBody): StripeError {
  const { charge, payment_method: method } = intent.last_payment_error ?? {}
  return cardDeclined(declineIn(intent), {
    ...(typeof charge === 'string' ? { charge } : {}),
    payment_intent: call.render(intent),
    ...(isRecord(method) ? { payment_method: method } : {}),
  })
}

function declineIn({ last_payment_error: error }: PaymentIntentBody): CardDecline | undefined {
  const { code, decline_code: reason, message } = error ?? {}
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return { code, ...(typeof reason === 'string' ? { decline_code: reason } : {}), message }
}

/** Returns the error of a payment that needs 3-D Secure. Source: public forum threads that quote Stripe's message. */
export function actionRequiredError(of: 'invoice' | 'subscription'): StripeError {
  const [what, where] =
    of === 'invoice'
      ? ['This payment', 'the invoice']
      : ['Payment for this subscription', '`subscription.latest_invoice`']
  const message =
    `${what} requires additional user action before it can be completed successfully. Payment can be completed using the ` +
    `PaymentIntent associated with ${where}. Additional information is available here: ` +
    'https://stripe.com/docs/billing/subscriptions/overview#requires-action'
  return new StripeError(message, { status: 402, type: 'card_error', code: `${of}_payment_intent_requires_action` })
}

/**
 * Returns the error for an unpaid invoice, worded for the invoice or for its subscription. The error of a subscription names no objects,
 * because it rolls back the payment attempt.
 */
export function unpaidError(call: OperationContext, invoice: InvoiceBody, of: 'invoice' | 'subscription'): StripeError {
  const intent = intentOf(call, invoice)
  if (intent?.status === 'requires_action') return actionRequiredError(of)
  if (intent === undefined) return cardDeclined()
  return of === 'invoice' ? declineErrorOf(call, intent) : cardDeclined(declineIn(intent))
}

type ChargeFailure = Pick<ChargeBody, 'failure_code' | 'failure_message' | 'outcome' | 'paid'>

function failureOf(refusal: CardDecline | undefined): ChargeFailure {
  return {
    failure_code: refusal?.code ?? null,
    failure_message: refusal?.message ?? null,
    outcome: {
      network_status: refusal === undefined ? 'approved_by_network' : 'declined_by_network',
      reason: refusal?.decline_code ?? null,
      seller_message: sellerMessage(refusal),
      type: refusal === undefined ? 'authorized' : 'issuer_declined',
    },
    paid: refusal === undefined,
  }
}

/** Returns the explanation of a charge for the seller. Source of the texts: public recordings of the real API. */
function sellerMessage(refusal: CardDecline | undefined): string {
  if (refusal === undefined) return 'Payment complete.'
  const { code, decline_code: reason = code } = refusal
  if (reason === 'generic_decline') return 'The bank did not return any further details with this decline.'
  return `The bank returned the decline code \`${reason}\`.`
}

function detailsOf(method: PaymentMethodBody): Record<string, unknown> {
  if (method.sepa_debit !== undefined) {
    const { generated_from: _from, ...account } = method.sepa_debit
    return { sepa_debit: { ...account, expected_debit_date: null, mandate: null }, type: 'sepa_debit' }
  }
  const { brand, country, exp_month: month, exp_year: year, funding, last4 } = method.card ?? {}
  return { card: { brand, country, exp_month: month, exp_year: year, funding, last4 }, type: 'card' }
}

function chargeOf(
  call: OperationContext,
  intent: PaymentIntentBody,
  method: PaymentMethodBody,
  status: ChargeBody['status'],
  refusal?: CardDecline,
): ChargeBody {
  return {
    id: newId('ch_3', 23),
    object: 'charge',
    amount: intent.amount,
    amount_captured: status === 'failed' ? 0 : intent.amount,
    amount_refunded: 0,
    billing_details: method.billing_details,
    captured: status !== 'failed',
    created: call.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    metadata: intent.metadata,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(method),
    refunded: false,
    shipping: intent.shipping,
    status,
    ...failureOf(refusal),
    ...(status === 'pending' ? { paid: false } : {}),
  }
}
