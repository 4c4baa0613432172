// How a card pays: an intent for each thing to be paid, and a charge for each try.
import type { Call } from '../protocol/call.ts'
import type { InvoiceBody, PaymentMethodBody, ShippingBody } from '../objects/customer-bodies.ts'
import type { ChargeBody, PaymentIntentBody } from '../objects/session-bodies.ts'
import { newId } from '../protocol/ids.ts'
import type { Metadata } from '../protocol/metadata.ts'

interface NewIntent {
  readonly amount: number
  readonly currency: string
  readonly customer: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly paymentMethod: string | null
  readonly invoice: string | null
  readonly shipping: ShippingBody | null
}

export function newIntent(call: Call, wanted: NewIntent): PaymentIntentBody {
  const id = newId('pi_3', 23)
  return call.create<PaymentIntentBody>(
    {
      id,
      object: 'payment_intent',
      allowed_payment_method_types: null,
      amount: wanted.amount,
      amount_capturable: 0,
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'automatic_async',
      client_secret: newId(`${id}_secret_`, 25),
      confirmation_method: 'automatic',
      created: call.now,
      currency: wanted.currency,
      customer: wanted.customer,
      customer_account: null,
      description: wanted.description,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: wanted.metadata,
      next_action: null,
      on_behalf_of: null,
      payment_method: wanted.paymentMethod,
      payment_method_configuration_details: null,
      payment_method_options: {},
      payment_method_types: ['card'],
      payment_record: null,
      processing: null,
      receipt_email: null,
      review: null,
      setup_future_usage: null,
      shipping: wanted.shipping,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: wanted.paymentMethod === null ? 'requires_payment_method' : 'requires_confirmation',
      transfer_group: null,
      _invoice: wanted.invoice,
    },
    'payment_intent.created',
  )
}

function intentOf(call: Call, invoice: InvoiceBody): PaymentIntentBody | undefined {
  return call.select('payment_intent', [{ field: '_invoice', is: invoice.id }], 1)[0]
}

/** The intent that an invoice is paid with, made when there is none yet. */
export function intentFor(call: Call, invoice: InvoiceBody): PaymentIntentBody {
  const { customer, currency, amount_due: amount } = invoice
  const known = intentOf(call, invoice)
  if (known !== undefined) return known
  const made = { amount, currency, customer, description: invoice.description, metadata: {}, paymentMethod: null }
  return newIntent(call, { ...made, invoice: invoice.id, shipping: null })
}

/** An invoice that asks for another amount is paid with that. */
export function adjustIntent(call: Call, invoice: InvoiceBody): void {
  const intent = intentOf(call, invoice)
  if (intent === undefined || intent.status === 'succeeded' || intent.status === 'canceled') return
  call.update(intent, { ...intent, amount: invoice.amount_due }, null)
}

/** Nobody pays it any more, or it was paid another way. */
export function cancelIntent(call: Call, invoice: InvoiceBody): void {
  const intent = intentOf(call, invoice)
  if (intent === undefined || intent.status === 'succeeded' || intent.status === 'canceled') return
  call.update(intent, { ...intent, canceled_at: call.now, status: 'canceled' }, 'payment_intent.canceled')
}

const decline = { code: 'card_declined', message: 'Your card was declined.' } as const

/** One try: the charge, then what it means for the intent. */
export function tried(call: Call, intent: PaymentIntentBody, card: PaymentMethodBody): PaymentIntentBody {
  const declined = card._declines
  if (card.customer === null && card._fresh !== false) call.update(card, { ...card, _fresh: false }, null)
  const charge = call.create<ChargeBody>(chargeOf(call, intent, card), declined ? 'charge.failed' : 'charge.succeeded')
  if (declined) {
    const error = {
      ...{ charge: charge.id, code: decline.code, decline_code: 'generic_decline', message: decline.message },
      ...{ payment_method: call.shown(card), type: 'card_error' },
    }
    const failed = { ...intent, last_payment_error: error, latest_charge: charge.id, payment_method: null }
    return call.update(intent, { ...failed, status: 'requires_payment_method' }, 'payment_intent.payment_failed')
  }
  const paid = { ...intent, amount_received: intent.amount, last_payment_error: null, latest_charge: charge.id }
  const after: PaymentIntentBody = { ...paid, payment_method: card.id, status: 'succeeded' }
  return call.update(intent, after, 'payment_intent.succeeded')
}

function chargeOf(call: Call, intent: PaymentIntentBody, card: PaymentMethodBody): ChargeBody {
  const declined = card._declines
  const { brand, country, exp_month: month, exp_year: year, funding, last4 } = card.card
  return {
    id: newId('ch_3', 23),
    object: 'charge',
    amount: intent.amount,
    amount_captured: declined ? 0 : intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: card.billing_details,
    calculated_statement_descriptor: null,
    captured: !declined,
    created: call.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: declined ? decline.code : null,
    failure_message: declined ? decline.message : null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      network_status: declined ? 'declined_by_network' : 'approved_by_network',
      reason: declined ? 'generic_decline' : null,
      type: declined ? 'issuer_declined' : 'authorized',
    },
    paid: !declined,
    payment_intent: intent.id,
    payment_method: card.id,
    payment_method_details: {
      card: { brand, country, exp_month: month, exp_year: year, funding, last4 },
      type: 'card',
    },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: intent.shipping,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: declined ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  }
}
