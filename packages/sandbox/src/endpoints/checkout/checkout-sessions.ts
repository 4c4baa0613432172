import { expireSession } from '../../billing/catch-up.ts'
import { pricingIn } from '../../billing/pricing/price-amounts.ts'
import { discountsOf, quote, refuseBelowMinimum } from '../../billing/checkout.ts'
import { activePrice, quantityOfMetered, wrongCurrency } from '../../billing/subscriptions/subscription-items.ts'
import { newSetupIntent } from '../../billing/payments/setup-intents.ts'
import { intervalOf, isMetered, timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { usableTaxRates } from '../../billing/subscriptions/terms.ts'
import { isSameInterval } from '../../billing/pricing/billing-intervals.ts'
import type { PriceBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, notSupported, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { oneOf, range, text } from '../../protocol/parameters/params.ts'
import type { CheckoutSessionBody } from '../../objects/session-bodies.ts'
import { blankSession, createFields, type SessionParams } from './new-session.ts'

/** Parameters that each mode of a session rejects. */
const rejectedParams = {
  payment: ['subscription_data', 'payment_method_collection', 'setup_intent_data'],
  setup: [
    ...['allow_promotion_codes', 'discounts', 'line_items', 'payment_intent_data'],
    ...['payment_method_collection', 'subscription_data'],
  ],
  subscription: ['payment_intent_data', 'customer_creation', 'setup_intent_data'],
} as const satisfies Readonly<Record<SessionParams['mode'], readonly (keyof SessionParams)[]>>

function checkTogether(params: SessionParams): void {
  if (params.allow_promotion_codes !== undefined && params.discounts !== undefined)
    throw onlyOneOf('allow_promotion_codes', 'discounts')
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw onlyOneOf('customer', 'customer_email')
  if (params.customer === undefined && params.customer_update !== undefined)
    throw badRequest('`customer_update` can only be used with `customer`.', 'customer_update')
  const shipping = params.payment_intent_data?.shipping
  if (shipping !== undefined && shipping.address.line1 === undefined)
    throw missingParam('payment_intent_data[shipping][address][line1]')
  for (const name of rejectedParams[params.mode]) {
    if (params[name] !== undefined) throw badRequest(`You can not pass \`${name}\` in \`${params.mode}\` mode.`, name)
  }
}

interface LineItemInput {
  readonly price: PriceBody
  readonly item: CheckoutSessionBody['line_items']['data'][number]['id']
  readonly quantity: number | null
  readonly metadata: CheckoutSessionBody['metadata']
  readonly taxRates: string[]
}

function readItems(call: OperationContext, params: SessionParams): LineItemInput[] {
  const given = params.line_items ?? []
  if (given.length === 0) throw missingParam('line_items')
  const items = given.map((item, index) => {
    const name = `line_items[${index}]`
    const price = activePrice(call, item.price, name)
    return {
      price,
      item: newId('li_1', 23),
      quantity: quantityOf(price, item.quantity, name),
      metadata: applyMetadata({}, item.metadata),
      taxRates: usableTaxRates(call, item.tax_rates ?? [], `${name}[tax_rates]`),
    }
  })
  const recurring = items.filter(({ price }) => price.recurring !== null)
  const own = items.find(({ price, taxRates }) => price.recurring === null && taxRates.length > 0)
  if (params.mode === 'subscription' && own !== undefined)
    throw notSupported('tax rates of a one-time price in `subscription` mode', 'line_items')
  if (params.mode === 'payment' && recurring.length > 0) {
    const message = 'You specified `payment` mode but passed a recurring price.'
    throw badRequest(`${message} Either switch to \`subscription\` mode or use only one-time prices.`, 'mode')
  }
  if (params.mode === 'subscription' && recurring.length === 0) {
    throw badRequest(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    )
  }
  const [first, ...others] = recurring.map(({ price }) => intervalOf(price))
  if (first !== undefined && others.some((one) => !isSameInterval(first, one))) {
    throw badRequest('Checkout does not support multiple prices with different billing intervals.', 'line_items')
  }
  if (params.mode === 'subscription' && (recurring.length > 20 || items.length - recurring.length > 20)) {
    throw badRequest(
      'A session in `subscription` mode can have at most 20 recurring and 20 one-time prices.',
      'line_items',
    )
  }
  return items
}

function quantityOf(price: PriceBody, given: number | undefined, name: string): number | null {
  if (isMetered(price)) {
    if (given === undefined) return null
    throw quantityOfMetered(name)
  }
  if (given === undefined)
    throw badRequest(`Quantity is required. Add \`quantity\` to \`${name}\``, `${name}[quantity]`)
  return given
}

function create(outer: OperationContext): CheckoutSessionBody {
  const params = outer.read(createFields)
  checkTogether(params)
  const customer = params.customer === undefined ? null : outer.reference('customer', params.customer, 'customer')
  const clock = customer?.test_clock ?? null
  const call = outer.at(timeOf(outer, clock))
  if (params.mode === 'setup') return createSetup(call, params, clock)
  const items = readItems(call, params)
  const own = params.currency ?? items[0]?.price.currency ?? ''
  for (const [index, { price }] of items.entries()) {
    if (pricingIn(price, own) === undefined) throw wrongCurrency(price, own, `line_items[${index}]`)
  }
  const id = newId('cs_test_', 58)
  const blank = blankSession(call, params, id, own)
  const lineItems = items.map(({ item, price, quantity, metadata: about, taxRates }) => ({
    id: item,
    price: price.id,
    quantity,
    metadata: about,
    _tax_rates: taxRates,
  }))
  const quoted = quote(call, blank, lineItems, discountsOf(blank, null))
  refuseBelowMinimum(blank, quoted.total)
  return call.create(
    {
      ...blank,
      amount_subtotal: quoted.subtotal,
      amount_total: quoted.total,
      line_items: { ...blank.line_items, data: [...quoted.items] },
      total_details: { amount_discount: quoted.discount, amount_shipping: 0, amount_tax: quoted.tax },
      _clock: clock,
    },
    null,
  )
}

/** Creates a session in `setup` mode, which saves a card without a payment. */
function createSetup(call: OperationContext, params: SessionParams, clock: string | null): CheckoutSessionBody {
  if (params.currency === undefined) throw missingParam('currency')
  const id = newId('cs_test_', 58)
  const blank = blankSession(call, params, id, params.currency)
  const intent = newSetupIntent(call, {
    customer: blank.customer,
    description: blank._plan.description,
    metadata: blank._plan.metadata,
    paymentMethod: null,
    usage: 'off_session',
    session: id,
  })
  const nothing = { amount_subtotal: null, amount_total: null, total_details: null }
  const free = { payment_status: 'no_payment_required', setup_intent: intent.id } as const
  return call.create({ ...blank, ...nothing, ...free, _clock: clock }, null)
}

function expire(outer: OperationContext): CheckoutSessionBody {
  outer.read({})
  const session = outer.subject('checkout.session')
  if (session.status !== 'open') {
    throw badRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  }
  return expireSession(outer.at(timeOf(outer, session._clock)), session)
}

const listFilters = {
  created: range(),
  customer: text(),
  payment_intent: text(),
  status: oneOf('complete', 'expired', 'open'),
  subscription: text(),
}

function items(call: OperationContext): HandlerResult {
  const params = call.read(pageFields)
  const { data: all, url } = call.subject('checkout.session').line_items
  const { data, hasMore } = pageWithin(all, params, 'item')
  const shown = data.map(({ _tax_rates: _internal, ...item }) => ({
    ...item,
    price: call.render(call.reference('price', item.price, 'price')),
  }))
  return { unstored: { object: 'list', data: shown, has_more: hasMore, url } }
}

const base = '/v1/checkout/sessions'
const of = 'checkout.session'

export const checkoutSessions: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, listFilters),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id/expire`, of, expire),
  { method: 'GET', path: `${base}/:id/line_items`, of: null, run: items },
]
