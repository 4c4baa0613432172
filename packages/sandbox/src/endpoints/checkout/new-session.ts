import type { OperationContext } from '../../protocol/operation-context.ts'
import { notSupported, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import {
  checked,
  email,
  boolean,
  integer,
  list,
  oneOf,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Param, Read } from '../../protocol/parameters/params.ts'
import type { CheckoutSessionBody } from '../../objects/session-bodies.ts'
import { shippingField, toShipping } from '../customers/addresses.ts'
import { currency } from '../catalog/currencies.ts'
import { trialSettingsParam } from '../../billing/subscriptions/subscribe.ts'

const lineItem = shape({
  metadata: metadata(),
  price: text(),
  quantity: integer({ min: 1 }),
})

export const createFields = {
  allow_promotion_codes: boolean(),
  allowed_payment_method_types: list(oneOf('card', 'sepa_debit')),
  cancel_url: webUrl(),
  client_reference_id: text({ max: 200 }),
  currency: currency(),
  customer: text(),
  customer_creation: oneOf('always', 'if_required'),
  customer_email: email(),
  discounts: list(shape({ coupon: text(), promotion_code: text() }), { max: 1 }),
  expires_at: timestamp(),
  line_items: list(lineItem, { max: 40 }),
  locale: text(),
  metadata: metadata(),
  mode: required(oneOf('payment', 'setup', 'subscription')),
  payment_intent_data: shape({
    description: text(),
    metadata: metadata(),
    setup_future_usage: oneOf('off_session', 'on_session'),
    shipping: shippingField,
  }),
  payment_method_collection: oneOf('always', 'if_required'),
  setup_intent_data: shape({ description: text(), metadata: metadata() }),
  subscription_data: shape({
    description: text({ max: 500 }),
    metadata: metadata(),
    trial_end: timestamp(),
    trial_period_days: integer({ min: 1, max: 730 }),
    trial_settings: trialSettingsParam,
  }),
  success_url: required(webUrl()),
  ui_mode: oneOf('hosted_page'),
}
export type SessionParams = Read<typeof createFields>

const maxLifetime = 24 * 3600
const minLifetime = 30 * 60

/** A parameter with a URL to which a browser can be redirected (http or https). */
export function webUrl(): Param<string, false> {
  return checked(text(), (given, name) => {
    if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw badRequest('Not a valid URL', name, 'url_invalid')
    return given
  })
}

function expiry(call: OperationContext, given: number | undefined): number {
  const at = given ?? call.now + maxLifetime
  if (at >= call.now + minLifetime && at <= call.now + maxLifetime) return at
  const limit = at < call.now + minLifetime ? 'at least 30 minutes' : 'less than 24 hours'
  throw badRequest(`The \`expires_at\` timestamp must be ${limit} from Checkout Session creation.`, 'expires_at')
}

/** Returns `customer_creation` of a new session. Null: the session uses an existing customer. */
function creationOf({ customer, customer_creation: creation, mode }: SessionParams): 'always' | 'if_required' | null {
  if (customer !== undefined) return null
  return mode === 'subscription' ? 'always' : (creation ?? 'if_required')
}

/**
 * Returns the payment method types of a session. Default: `['card']`. `sepa_debit` must be listed, and is dropped if the session is not in
 * EUR.
 */
function paymentMethodTypes({ allowed_payment_method_types: allowed, mode }: SessionParams, own: string): string[] {
  if (allowed === undefined) return ['card']
  if (allowed.includes('sepa_debit') && mode !== 'payment')
    throw notSupported(`bank debits in \`${mode}\` mode`, 'allowed_payment_method_types')
  const offered = allowed.filter((type) => type !== 'sepa_debit' || own === 'eur')
  if (offered.length > 0) return offered
  const message = `None of the allowed payment method types (${allowed.join(', ')}) can be used with \`${own}\`.`
  throw badRequest(message, 'allowed_payment_method_types')
}

/** Returns an open session without its line items. */
export function blankSession(
  call: OperationContext,
  params: SessionParams,
  id: string,
  own: string,
): CheckoutSessionBody {
  const expiresAt = expiry(call, params.expires_at)
  const data = params.subscription_data
  // Each mode allows only one of `subscription_data`, `payment_intent_data` and `setup_intent_data`.
  const made = data ?? params.payment_intent_data ?? params.setup_intent_data
  return {
    id,
    object: 'checkout.session',
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ? [...params.allowed_payment_method_types] : null,
    amount_subtotal: 0,
    amount_total: 0,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    created: call.now,
    currency: own,
    customer: params.customer ?? null,
    customer_creation: creationOf(params),
    customer_details: null,
    customer_email: params.customer_email ?? null,
    discounts: (params.discounts ?? []).map((one) => ({
      coupon: one.coupon ?? null,
      promotion_code: one.promotion_code ?? null,
    })),
    expires_at: expiresAt,
    invoice: null,
    line_items: { object: 'list', data: [], has_more: false, url: `/v1/checkout/sessions/${id}/line_items` },
    locale: params.locale ?? null,
    metadata: applyMetadata({}, params.metadata),
    mode: params.mode,
    payment_intent: null,
    payment_method_collection:
      params.mode === 'payment' ? 'if_required' : (params.payment_method_collection ?? 'always'),
    payment_method_types: paymentMethodTypes(params, own),
    payment_status: 'unpaid',
    setup_intent: null,
    status: 'open',
    subscription: null,
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url: `${call.origin}/pay/${id}`,
    _due: expiresAt,
    _clock: null,
    _plan: {
      description: made?.description ?? null,
      metadata: applyMetadata({}, made?.metadata),
      setup_future_usage: params.payment_intent_data?.setup_future_usage ?? null,
      shipping: toShipping(params.payment_intent_data?.shipping),
      missing_payment_method: data?.trial_settings?.end_behavior.missing_payment_method,
      trial_end: data?.trial_end ?? null,
      trial_period_days: data?.trial_period_days ?? null,
    },
  }
}
