// The requests with which Stripe's command-line tool triggers each event, with parameters of former API versions and no version header.
// Each request succeeds, and the event is emitted.
import { expect, test } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { checkAnswer, contractVersion } from '../../support/stripe-contract.ts'
import type { SeedCall } from '../../../packages/sandbox/src/control/control.ts'

type Step = SeedCall

const customer: Step = { path: '/v1/customers', params: { description: 'made for an event' }, as: 'customer' }
const product: Step = {
  path: '/v1/products',
  params: { name: 'Thing', description: 'made for an event' },
  as: 'product',
}
const once: Step = {
  path: '/v1/prices',
  params: { product: '{{product.id}}', unit_amount: '1500', currency: 'usd' },
  as: 'price',
}
const monthly: Step = { ...once, params: { ...once.params, recurring: { interval: 'month' } } }
const buyer: Step = {
  ...customer,
  params: { payment_method: 'pm_card_visa', invoice_settings: { default_payment_method: 'pm_card_visa' } },
}
const subscription: Step = {
  path: '/v1/subscriptions',
  params: { customer: '{{customer.id}}', items: [{ price: '{{price.id}}' }] },
  as: 'subscription',
}
const coupon: Step = { path: '/v1/coupons', params: { percent_off: 20 }, as: 'coupon' }
const code: Step = {
  path: '/v1/promotion_codes',
  params: { coupon: '{{coupon.id}}' },
  as: 'code',
}
const item: Step = {
  path: '/v1/invoiceitems',
  params: { amount: 2000, currency: 'usd', customer: '{{customer.id}}', description: 'made for an event' },
  as: 'item',
}
const invoice: Step = {
  path: '/v1/invoices',
  params: { customer: '{{customer.id}}', description: 'made for an event', pending_invoice_items_behavior: 'include' },
  as: 'invoice',
}
const onInvoice = (action: string, params?: Step['params']): Step => ({
  path: `/v1/invoices/{{invoice.id}}/${action}`,
  params,
})
const attached: Step = {
  path: '/v1/payment_methods/pm_card_visa/attach',
  params: { customer: '{{customer.id}}' },
  as: 'card',
}
const noted = (path: string): Step => ({ path, params: { metadata: { foo: 'bar' } } })
const gone = (path: string): Step => ({ method: 'DELETE', path })
const meter: Step = {
  path: '/v1/billing/meters',
  params: { display_name: 'Meter', event_name: 'used', default_aggregation: { formula: 'sum' } },
  as: 'meter',
}
const settings: Step = {
  path: '/v1/billing_portal/configurations',
  params: {
    business_profile: { headline: 'Hello', privacy_policy_url: 'https://a.example/privacy' },
    features: { subscription_cancel: { enabled: true } },
  },
  as: 'settings',
}
const phases = (...quantities: number[]) =>
  Object.fromEntries(
    quantities.map((quantity, index) => [index, { iterations: 1, items: [{ price: '{{price.id}}', quantity }] }]),
  )
const schedule: Step = {
  path: '/v1/subscription_schedules',
  params: { customer: '{{customer.id}}', start_date: 'now', phases: phases(1, 2) },
  as: 'schedule',
}
const scheduled = [{ ...customer, params: { source: 'tok_visa' } }, product, monthly]
const clock: Step = { path: '/v1/test_helpers/test_clocks', params: { frozen_time: 1_577_836_800 }, as: 'clock' }
const later: Step = {
  path: '/v1/test_helpers/test_clocks/{{clock.id}}/advance',
  params: { frozen_time: 1_580_515_200 },
}
const session: Step = {
  path: '/v1/checkout/sessions',
  params: {
    ...{ success_url: 'https://a.example/', cancel_url: 'https://a.example/', mode: 'payment' },
    line_items: [{ price: '{{price.id}}', quantity: 2 }],
  },
  as: 'session',
}
const shipping = {
  name: 'Buyer',
  address: { line1: '1 Street', postal_code: '94103', city: 'San Francisco', state: 'CA', country: 'US' },
}
const shipped: Step = { ...session, params: { ...session.params, payment_intent_data: { shipping } } }
const token: Step = {
  path: '/v1/payment_methods',
  params: { type: 'card', card: { token: 'tok_visa' }, billing_details: { email: 'buyer@a.example', ...shipping } },
  as: 'card',
}
const checkoutPage: Step = { method: 'GET', path: '/v1/payment_pages/{{session.id}}', as: 'page' }
const confirmed = (path: string, params?: Step['params']): Step => ({
  path: `/v1/payment_pages/${path}/confirm`,
  params: { payment_method: '{{card.id}}', ...params },
})
const intent = (params: Step['params']): Step => ({
  path: '/v1/payment_intents',
  params: { amount: 2000, currency: 'usd', payment_method_types: ['card'], ...params },
  as: 'intent',
})

const inEuros: Step = { ...once, params: { ...once.params, currency: 'eur' } }
const debitable: Step = {
  ...shipped,
  params: {
    ...shipped.params,
    payment_method_types: ['sepa_debit'],
    payment_intent_data: { setup_future_usage: 'off_session', shipping },
  },
}
const holder = { email: 'buyer@a.example', phone: '1234567890', ...shipping }
const account = (iban: string): Step => ({
  path: '/v1/payment_methods',
  params: { type: 'sepa_debit', sepa_debit: { iban }, billing_details: holder },
  as: 'card',
})
const debited = (iban: string): Step[] => [
  ...[product, inEuros, debitable, checkoutPage, account(iban)],
  confirmed('{{session.id}}', { expected_amount: 3000 }),
]

const note: Step = {
  path: '/v1/credit_notes',
  params: {
    invoice: '{{invoice.id}}',
    lines: [{ type: 'custom_line_item', unit_amount: 1000, quantity: 1, description: 'made for an event' }],
  },
  as: 'note',
}
const setup = (params: Step['params']): Step => ({
  path: '/v1/setup_intents',
  params: { payment_method_types: ['card'], ...params },
  as: 'setup',
})
const tokenCard = (token: string): Step[] => [
  { path: '/v1/payment_methods', params: { type: 'card', card: { token } }, as: 'card' },
  { ...customer, params: { name: 'Subscriber' } },
  { path: '/v1/payment_methods/{{card.id}}/attach', params: { customer: '{{customer.id}}' } },
  {
    path: '/v1/customers/{{customer.id}}',
    params: { invoice_settings: { default_payment_method: '{{card.id}}' } },
  },
]
const pausing = { end_behavior: { missing_payment_method: 'pause' } }

const rate: Step = {
  path: '/v1/tax_rates',
  params: { display_name: 'VAT', inclusive: true, percentage: 10 },
  as: 'rate',
}

const source: Step = { path: '/v1/customers/{{customer.id}}/sources', params: { source: 'tok_visa' }, as: 'source' }
const plan: Step = {
  path: '/v1/plans',
  params: { currency: 'usd', interval: 'month', amount: 2000, product: { name: 'Thing' } },
  as: 'plan',
}
const refund: Step = { path: '/v1/refunds', params: { payment_intent: '{{intent.id}}' }, as: 'refund' }
const paid = intent({ amount: 100, payment_method: 'pm_card_visa', confirm: true })
const started: Step[] = [clock, { ...customer, params: { test_clock: '{{clock.id}}' } }, product, monthly]
const alone = { price: '{{price.id}}', quantity: 1 }

const billed = [customer, item, invoice]
const triggers: Readonly<Record<string, readonly Step[]>> = {
  'product.created': [product],
  'product.updated': [product, noted('/v1/products/{{product.id}}')],
  'product.deleted': [product, gone('/v1/products/{{product.id}}')],
  'price.created': [product, monthly],
  'price.updated': [product, monthly, noted('/v1/prices/{{price.id}}')],
  'coupon.created': [coupon],
  'coupon.updated': [coupon, noted('/v1/coupons/{{coupon.id}}')],
  'coupon.deleted': [coupon, gone('/v1/coupons/{{coupon.id}}')],
  'promotion_code.created': [coupon, code],
  'promotion_code.updated': [coupon, code, noted('/v1/promotion_codes/{{code.id}}')],
  'customer.created': [customer],
  'customer.updated': [customer, noted('/v1/customers/{{customer.id}}')],
  'customer.discount.created': [coupon, { ...customer, params: { coupon: '{{coupon.id}}' } }],
  'customer.discount.deleted': [
    ...[coupon, { ...customer, params: { coupon: '{{coupon.id}}' } }],
    { path: '/v1/customers/{{customer.id}}', params: { coupon: '' } },
  ],
  'customer.discount.updated': [
    ...[coupon, { ...customer, params: { coupon: '{{coupon.id}}' } }, { ...coupon, params: { percent_off: 30 } }],
    { path: '/v1/customers/{{customer.id}}', params: { coupon: '{{coupon.id}}' } },
  ],
  'customer.deleted': [customer, gone('/v1/customers/{{customer.id}}')],
  'customer.subscription.created': [buyer, product, monthly, subscription],
  'customer.subscription.updated': [
    ...[buyer, product, monthly, subscription],
    noted('/v1/subscriptions/{{subscription.id}}'),
  ],
  'customer.subscription.deleted': [
    ...[buyer, product, monthly, subscription],
    gone('/v1/subscriptions/{{subscription.id}}'),
  ],
  'customer.subscription.trial_will_end': [
    ...[customer, product, monthly],
    { ...subscription, params: { ...subscription.params, trial_period_days: 1 } },
  ],
  'subscription_schedule.created': [...scheduled, schedule],
  'subscription_schedule.updated': [...scheduled, schedule, noted('/v1/subscription_schedules/{{schedule.id}}')],
  'subscription_schedule.canceled': [
    ...scheduled,
    schedule,
    { path: '/v1/subscription_schedules/{{schedule.id}}/cancel' },
  ],
  'subscription_schedule.released': [
    ...scheduled,
    schedule,
    { path: '/v1/subscription_schedules/{{schedule.id}}/release' },
  ],
  'subscription_schedule.completed': [
    ...started,
    {
      ...schedule,
      params: {
        ...{ customer: '{{customer.id}}', start_date: 1_577_836_800, end_behavior: 'release', phases: phases(1) },
      },
    },
    later,
  ],
  'subscription_schedule.aborted': [
    ...scheduled,
    {
      ...schedule,
      params: { customer: '{{customer.id}}', start_date: 1_893_456_000, phases: { 0: { items: [alone] } } },
    },
    {
      path: '/v1/subscription_schedules/{{schedule.id}}/cancel',
      params: { prorate: 'false', invoice_now: 'false' },
    },
  ],
  'subscription_schedule.expiring': [
    ...started,
    {
      ...schedule,
      params: {
        ...{ customer: '{{customer.id}}', start_date: 1_577_836_800, end_behavior: 'cancel' },
        phases: { 0: { items: [alone], end_date: 1_580_256_000 } },
      },
    },
    { ...later, params: { frozen_time: 1_579_478_400 } },
  ],
  'customer.source.created': [customer, source],
  'customer.source.updated': [customer, source, noted('/v1/customers/{{customer.id}}/sources/{{source.id}}')],
  'plan.created': [plan],
  'plan.updated': [plan, noted('/v1/plans/{{plan.id}}')],
  'plan.deleted': [plan, gone('/v1/plans/{{plan.id}}')],
  'charge.refunded': [paid, refund],
  'charge.refund.updated': [paid, refund, noted('/v1/refunds/{{refund.id}}')],
  'invoiceitem.created': [customer, item],
  'invoiceitem.deleted': [customer, item, gone('/v1/invoiceitems/{{item.id}}')],
  'invoice.created': billed,
  'invoice.updated': [...billed, noted('/v1/invoices/{{invoice.id}}')],
  'invoice.deleted': [...billed, gone('/v1/invoices/{{invoice.id}}')],
  'invoice.finalized': [...billed, onInvoice('finalize')],
  'invoice.voided': [...billed, onInvoice('finalize'), onInvoice('void')],
  'invoice.marked_uncollectible': [...billed, onInvoice('finalize'), onInvoice('mark_uncollectible')],
  'invoice.sent': [
    customer,
    item,
    { ...invoice, params: { ...invoice.params, collection_method: 'send_invoice', days_until_due: 7 } },
    onInvoice('send'),
  ],
  'invoice.paid': [customer, attached, item, invoice, onInvoice('pay', { payment_method: '{{card.id}}' })],
  'invoice.payment_succeeded': [customer, attached, item, invoice, onInvoice('pay', { payment_method: '{{card.id}}' })],
  'credit_note.created': [...billed, onInvoice('finalize'), note],
  'credit_note.updated': [...billed, onInvoice('finalize'), note, noted('/v1/credit_notes/{{note.id}}')],
  'credit_note.voided': [...billed, onInvoice('finalize'), note, { path: '/v1/credit_notes/{{note.id}}/void' }],
  'customer.subscription.paused': [
    ...[customer, product, monthly],
    { ...subscription, params: { ...subscription.params, trial_period_days: 7, trial_settings: pausing } },
    { path: '/v1/subscriptions/{{subscription.id}}', params: { trial_end: 'now' } },
  ],
  'setup_intent.created': [setup({ description: 'made for an event' })],
  'setup_intent.canceled': [
    setup({}),
    { path: '/v1/setup_intents/{{setup.id}}/cancel', params: { cancellation_reason: 'requested_by_customer' } },
  ],
  'setup_intent.succeeded': [setup({ confirm: true, payment_method: 'pm_card_visa' })],
  'setup_intent.requires_action': [
    { ...setup({}), params: { confirm: 'true', payment_method: 'pm_card_authenticationRequired' } },
  ],
  'payment_method.updated': [
    customer,
    setup({ customer: '{{customer.id}}', payment_method: 'pm_card_visa', confirm: true }),
    noted('/v1/payment_methods/{{setup.payment_method}}'),
  ],
  'charge.succeeded ': [...tokenCard('tok_visa'), product, monthly, subscription],
  'invoice.payment_failed ': [...tokenCard('tok_chargeCustomerFail'), product, monthly, subscription],
  'checkout.session.expired': [product, once, session, { path: '/v1/checkout/sessions/{{session.id}}/expire' }],
  'checkout.session.completed': [
    ...[product, once, shipped, checkoutPage, token],
    confirmed('{{session.id}}', { expected_amount: 3000 }),
  ],
  // Older versions name the page and no amount.
  'checkout.session.completed ': [product, once, shipped, checkoutPage, token, confirmed('{{page.id}}')],
  'checkout.session.async_payment_failed': debited('IT60X0542811101000000123456'),
  'checkout.session.async_payment_succeeded': debited('AT611904300234573201'),
  'billing_portal.configuration.created': [settings],
  'billing_portal.configuration.updated': [settings, noted('/v1/billing_portal/configurations/{{settings.id}}')],
  'billing_portal.session.created': [
    // As in an account whose settings were saved.
    ...[settings, customer],
    { path: '/v1/billing_portal/sessions', params: { customer: '{{customer.id}}' } },
  ],
  'billing.meter.created': [meter],
  'billing.meter.updated': [meter, { path: '/v1/billing/meters/{{meter.id}}', params: { display_name: 'Other' } }],
  'billing.meter.deactivated': [meter, { path: '/v1/billing/meters/{{meter.id}}/deactivate' }],
  'billing.meter.reactivated': [
    ...[meter, { path: '/v1/billing/meters/{{meter.id}}/deactivate' }],
    { path: '/v1/billing/meters/{{meter.id}}/reactivate' },
  ],
  'payment_method.attached': [customer, attached],
  'payment_method.detached': [customer, attached, { path: '/v1/payment_methods/{{card.id}}/detach' }],
  'payment_intent.created': [intent({})],
  'payment_intent.succeeded': [intent({ confirm: 'true', payment_method: 'pm_card_visa', shipping })],
  'payment_intent.requires_action': [intent({ confirm: 'true', payment_method: 'pm_card_authenticationRequired' })],
  'payment_intent.processing': [
    account('AT321904300235473204'),
    intent({
      ...{ payment_method: '{{card.id}}', payment_method_types: ['sepa_debit'], amount: 1000, currency: 'eur' },
      confirm: true,
      mandate_data: { customer_acceptance: { accepted_at: '1590590577', type: 'offline' } },
    }),
  ],
  'payment_intent.canceled': [intent({}), { path: '/v1/payment_intents/{{intent.id}}/cancel' }],
  'charge.succeeded': [intent({ confirm: true, payment_method: 'pm_card_visa' })],
  'tax_rate.created': [rate],
  'tax_rate.updated': [rate, noted('/v1/tax_rates/{{rate.id}}')],
  'test_helpers.test_clock.created': [clock],
  'test_helpers.test_clock.ready': [clock, later],
  'test_helpers.test_clock.deleted': [clock, gone('/v1/test_helpers/test_clocks/{{clock.id}}')],
}

test.each(Object.entries(triggers))('the trigger steps for %s emit that event', async (event, steps) => {
  const { control, stripe, apiKey } = await sandboxForTest({ check: checkAnswer })
  await control.seed(apiKey, steps)
  const { data } = await stripe.events.list({ limit: 100 })
  // The same event can be brought about in two ways.
  expect(data.map(({ type }) => type)).toContain(event.trim())
})

/** Triggers of a failed payment end with an error, and still emit their event. */
test.each([
  ['charge.failed', [intent({ confirm: true, payment_method: 'pm_card_visa_chargeDeclined' })]],
  ['setup_intent.setup_failed', [setup({ confirm: true, payment_method: 'pm_card_chargeDeclined' })]],
  ['payment_intent.payment_failed', [intent({ confirm: true, payment_method: 'pm_card_chargeDeclined' })]],
  [
    'invoice.payment_action_required',
    [
      customer,
      { ...attached, path: '/v1/payment_methods/pm_card_threeDSecure2Required/attach' },
      ...[item, invoice, onInvoice('pay', { payment_method: '{{card.id}}' })],
    ],
    /invoice_payment_intent_requires_action/,
  ],
  [
    'invoice.payment_failed',
    [
      customer,
      { ...attached, path: '/v1/payment_methods/pm_card_chargeCustomerFail/attach' },
      ...[item, invoice, onInvoice('pay', { payment_method: '{{card.id}}' })],
    ],
  ],
] satisfies [string, Step[], RegExp?][])(
  'the trigger steps for %s are refused, and emit that event nevertheless',
  async (event, steps, refusal = /card_declined/) => {
    const { control, stripe, apiKey } = await sandboxForTest({ check: checkAnswer })
    await expect(control.seed(apiKey, steps)).rejects.toThrow(refusal)
    const { data } = await stripe.events.list({ limit: 100 })
    expect(data.map(({ type }) => type)).toContain(event)
  },
)

test('parameters of former API versions are refused in requests with the current version', async () => {
  const { stripe, control, apiKey, url } = await sandboxForTest({ check: checkAnswer })
  const [made, price] = await control.seed(apiKey, [coupon, product, monthly, buyer]).then((all) => [all[0], all[2]])
  const asked = async (path: string, body: string, version?: string) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(version === undefined ? {} : { 'stripe-version': version }),
    }
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status
  }
  const [holder] = (await stripe.customers.list()).data
  const phase = `phases[0][iterations]=1&phases[0][items][0][price]=${String(price?.['id'])}`
  for (const [path, body] of [
    ['/v1/promotion_codes', `coupon=${String(made?.['id'])}`],
    ['/v1/payment_intents', 'amount=100&currency=usd&payment_method_types[]=card'],
    ['/v1/subscription_schedules', `customer=${holder?.id ?? ''}&start_date=now&${phase}`],
  ] as const) {
    expect([path, await asked(path, body, contractVersion)]).toEqual([path, 400])
    expect([path, await asked(path, body, '2024-06-20')]).toEqual([path, 200])
    expect([path, await asked(path, body)]).toEqual([path, 200])
  }
})
