import type { OperationContext } from '../../protocol/operation-context.ts'
import { StripeError, notSupported, badRequest } from '../../protocol/responses/errors.ts'
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
import { taxRatesParam, usableTaxRates } from '../../billing/subscriptions/terms.ts'
import { trialSettingsParam } from '../../billing/subscriptions/subscribe.ts'

const lineItem = shape({
  metadata: metadata(),
  price: text(),
  quantity: integer({ min: 1 }),
  tax_rates: taxRatesParam,
})

export const createFields = {
  allow_promotion_codes: boolean(),
  allowed_payment_method_types: list(oneOf('card', 'sepa_debit')),
  automatic_tax: shape({ enabled: required(boolean()), liability: shape({ type: required(oneOf('self')) }) }),
  cancel_url: webUrl(),
  client_reference_id: text({ max: 200 }),
  currency: currency(),
  customer: text(),
  customer_creation: oneOf('always', 'if_required'),
  customer_email: email(),
  customer_update: shape({
    address: oneOf('auto', 'never'),
    name: oneOf('auto', 'never'),
    shipping: oneOf('auto', 'never'),
  }),
  discounts: list(shape({ coupon: text(), promotion_code: text() }), { max: 1 }),
  expires_at: timestamp(),
  line_items: list(lineItem, { max: 100 }),
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
    default_tax_rates: taxRatesParam,
    description: text({ max: 500 }),
    metadata: metadata(),
    trial_end: timestamp(),
    trial_period_days: integer({ min: 1, max: 730 }),
    trial_settings: trialSettingsParam,
  }),
  success_url: required(webUrl()),
  tax_id_collection: shape({ enabled: required(boolean()), required: oneOf('if_supported', 'never') }),
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

const minTrial = 48 * 3600

/** Checks that a trial ends at least 48 hours later. Source: the SDK's documentation of `trial_end`. */
function trialEnd(call: OperationContext, given: number | undefined): number | null {
  if (given === undefined) return null
  if (given >= call.now + minTrial) return given
  const message = 'The `trial_end` date has to be at least 2 days in the future.'
  throw badRequest(message, 'subscription_data[trial_end]')
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

/**
 * Returns the `automatic_tax` of a new session. For an existing customer without an address it needs `customer_update[address]`. Source of
 * the message: public threads.
 */
function automaticTaxOf(call: OperationContext, params: SessionParams): CheckoutSessionBody['automatic_tax'] {
  if (params.automatic_tax?.enabled !== true) return { enabled: false, liability: null, provider: null, status: null }
  const hasRates =
    (params.subscription_data?.default_tax_rates ?? []).length > 0 ||
    (params.line_items ?? []).some((item) => (item.tax_rates ?? []).length > 0)
  if (hasRates) throw notSupported('`automatic_tax` together with tax rates', 'automatic_tax')
  const located = hasAddress(call, params.customer)
  const { address, shipping } = params.customer_update ?? {}
  if (params.customer !== undefined && !located && address !== 'auto' && shipping !== 'auto') {
    const message =
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or ' +
      "set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered " +
      'in Checkout to the Customer.'
    throw new StripeError(message, { code: 'customer_tax_location_invalid' })
  }
  const status = located ? 'complete' : 'requires_location_inputs'
  return { enabled: true, liability: { type: 'self' }, provider: 'stripe', status }
}

function hasAddress(call: OperationContext, customer: string | undefined): boolean {
  return customer !== undefined && (call.find('customer', customer)?.address?.country ?? null) !== null
}

/** For an existing customer, tax ids need `customer_update[name]`. Source: docs.stripe.com/tax/checkout/tax-ids. */
function taxIdCollection(params: SessionParams): Pick<CheckoutSessionBody, 'tax_id_collection'> {
  if (params.tax_id_collection === undefined) return {}
  const { enabled, required: obligation } = params.tax_id_collection
  if (enabled && params.customer !== undefined && params.customer_update?.name !== 'auto') {
    const message =
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, ' +
      'please set `customer_update[name]` to `auto`.'
    throw badRequest(message, 'customer_update[name]')
  }
  return { tax_id_collection: { enabled, required: obligation ?? 'never' } }
}

/** Settings of an open session that no request of the sandbox changes. Source: public recordings of the real API since 2025-11-17.clover. */
const savedMethods = {
  allow_redisplay_filters: ['always'] as const,
  payment_method_remove: 'disabled',
  payment_method_save: null,
} as const
const noInvoices = {
  enabled: false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: null,
    metadata: {},
    rendering_options: null,
  },
} as const

/** Returns the details of the customer that an open session shows: its email address only. Source: the same recordings. */
function openDetails(call: OperationContext, params: SessionParams): CheckoutSessionBody['customer_details'] {
  const customer = params.customer === undefined ? undefined : call.find('customer', params.customer)
  if (customer === undefined) return null
  const empty = { address: null, business_name: null, individual_name: null, name: null, phone: null, tax_ids: null }
  return { ...empty, email: customer.email, tax_exempt: params.mode === 'setup' ? null : customer.tax_exempt }
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
  // Each mode accepts only its own one of `subscription_data`, `payment_intent_data` and `setup_intent_data`.
  const made = data ?? params.payment_intent_data ?? params.setup_intent_data
  return {
    id,
    object: 'checkout.session',
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ? [...params.allowed_payment_method_types] : null,
    amount_subtotal: 0,
    amount_total: 0,
    automatic_tax: automaticTaxOf(call, params),
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    created: call.now,
    currency: own,
    customer: params.customer ?? null,
    customer_creation: creationOf(params),
    customer_details: openDetails(call, params),
    customer_email: params.customer_email ?? null,
    discounts: (params.discounts ?? []).map((one) => ({
      coupon: one.coupon ?? null,
      promotion_code: one.promotion_code ?? null,
    })),
    expires_at: expiresAt,
    invoice: null,
    invoice_creation: params.mode === 'payment' ? noInvoices : null,
    line_items: { object: 'list', data: [], has_more: false, url: `/v1/checkout/sessions/${id}/line_items` },
    locale: params.locale ?? null,
    metadata: applyMetadata({}, params.metadata),
    mode: params.mode,
    payment_intent: null,
    payment_method_collection:
      params.mode === 'payment' ? 'if_required' : (params.payment_method_collection ?? 'always'),
    payment_method_types: paymentMethodTypes(params, own),
    payment_status: 'unpaid',
    saved_payment_method_options: params.mode === 'setup' ? null : savedMethods,
    setup_intent: null,
    status: 'open',
    subscription: null,
    success_url: params.success_url,
    ...taxIdCollection(params),
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url: `${call.origin}/pay/${id}`,
    _due: expiresAt,
    _clock: null,
    _plan: {
      description: made?.description ?? null,
      default_tax_rates: usableTaxRates(call, data?.default_tax_rates ?? [], 'subscription_data[default_tax_rates]'),
      saves_address: params.customer_update?.address === 'auto',
      metadata: applyMetadata({}, made?.metadata),
      setup_future_usage: params.payment_intent_data?.setup_future_usage ?? null,
      shipping: toShipping(params.payment_intent_data?.shipping),
      missing_payment_method: data?.trial_settings?.end_behavior.missing_payment_method,
      trial_end: trialEnd(call, data?.trial_end),
      trial_period_days: data?.trial_period_days ?? null,
    },
  }
}
