// Objects of the sandbox compared with public recordings of the real API: the members, and the values that the same requests gave there.
// The sources are named with each object. Members that recordings have and the SDK's types lack are listed in `untyped`.
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { payPage } from '../../support/shop/pay-page.ts'
import { idOf, sandboxForTest } from '../../support/sandbox.ts'

/** Members that the recordings have and the SDK's types lack. The sandbox leaves them out, because programs in TypeScript cannot read them. */
const untyped = new Set([
  'product.attributes',
  'subscription.plan',
  'subscription.quantity',
  'items.total_count',
  'lines.total_count',
  'charge.destination',
  'charge.dispute',
  'charge.order',
])

const words = (text: string) => text.trim().split(/\s+/)

/** The members of each object in the recordings. Prices, products and customers: a sale by checkout in 2026; the others as noted. */
const members = {
  product:
    words(`id object active attributes created default_price description images livemode marketing_features metadata name
    package_dimensions shippable statement_descriptor tax_code tax_details type unit_label updated url`),
  price:
    words(`id object active billing_scheme created currency custom_unit_amount livemode lookup_key metadata nickname product recurring
    tax_behavior tiers_mode transform_quantity type unit_amount unit_amount_decimal`),
  recurring: words('interval interval_count meter trial_period_days usage_type'),
  customer:
    words(`id object address balance created currency customer_account default_source delinquent description discount email
    invoice_prefix invoice_settings livemode metadata name phone preferred_locales shipping tax_exempt test_clock`),
  session:
    words(`id object adaptive_pricing after_expiration allow_promotion_codes amount_subtotal amount_total automatic_tax
    billing_address_collection cancel_url client_reference_id client_secret collected_information consent consent_collection created
    currency currency_conversion custom_fields custom_text customer customer_account customer_creation customer_details customer_email
    discounts expires_at integration_identifier invoice invoice_creation livemode locale managed_payments metadata mode origin_context
    payment_intent payment_link payment_method_collection payment_method_configuration_details payment_method_options
    payment_method_types payment_status permissions recovered_from saved_payment_method_options setup_intent
    shipping_address_collection shipping_cost shipping_options status submit_type subscription success_url total_details ui_mode url
    wallet_options`),
  subscription:
    words(`id object application application_fee_percent automatic_tax billing_cycle_anchor billing_cycle_anchor_config
    billing_mode billing_thresholds cancel_at cancel_at_period_end canceled_at cancellation_details collection_method created currency
    customer customer_account days_until_due default_payment_method default_source default_tax_rates description discounts ended_at
    invoice_settings items latest_invoice livemode managed_payments metadata next_pending_invoice_item_invoice on_behalf_of
    pause_collection payment_settings pending_invoice_item_interval pending_setup_intent pending_update plan quantity schedule start_date
    status test_clock transfer_data trial_end trial_settings trial_start`),
  items: words('object data has_more total_count url'),
  item: words(`id object billing_thresholds created current_period_end current_period_start discounts metadata plan price quantity
    subscription tax_rates`),
  plan: words(`id object active amount amount_decimal billing_scheme created currency interval interval_count livemode metadata meter
    nickname product tiers_mode transform_usage trial_period_days usage_type`),
  invoice:
    words(`id object account_country account_name account_tax_ids amount_due amount_overpaid amount_paid amount_remaining
    amount_shipping application attempt_count attempted auto_advance automatic_tax automatically_finalizes_at billing_reason
    collection_method created currency custom_fields customer customer_account customer_address customer_email customer_name
    customer_phone customer_shipping customer_tax_exempt customer_tax_ids default_payment_method default_source default_tax_rates
    description discounts due_date effective_at ending_balance footer from_invoice hosted_invoice_url invoice_pdf issuer
    last_finalization_error latest_revision lines livemode metadata next_payment_attempt number on_behalf_of parent payment_settings
    period_end period_start post_payment_credit_notes_amount pre_payment_credit_notes_amount receipt_number rendering shipping_cost
    shipping_details starting_balance statement_descriptor status status_transitions subtotal subtotal_excluding_tax test_clock total
    total_discount_amounts total_excluding_tax total_pretax_credit_amounts total_taxes webhooks_delivered_at`),
  lines: words('object data has_more total_count url'),
  line: words(`id object amount currency description discount_amounts discountable discounts invoice livemode metadata parent period
    pretax_credit_amounts pricing quantity quantity_decimal subtotal taxes`),
  payment: words(
    `id object amount_paid amount_requested created currency invoice is_default livemode payment status status_transitions`,
  ),
  intent:
    words(`id object amount amount_capturable amount_received application application_fee_amount automatic_payment_methods
    canceled_at cancellation_reason capture_method client_secret confirmation_method created currency customer customer_account
    description excluded_payment_method_types last_payment_error latest_charge livemode managed_payments metadata next_action
    on_behalf_of payment_method payment_method_configuration_details payment_method_options payment_method_types processing receipt_email
    review setup_future_usage shipping source statement_descriptor statement_descriptor_suffix status transfer_group`),
  charge:
    words(`id object amount amount_captured amount_refunded application application_fee application_fee_amount balance_transaction
    billing_details calculated_statement_descriptor captured created currency customer description destination dispute disputed
    failure_balance_transaction failure_code failure_message fraud_details livemode metadata on_behalf_of order outcome paid
    payment_intent payment_method payment_method_details receipt_email receipt_number receipt_url refunded review shipping source
    source_transfer statement_descriptor statement_descriptor_suffix status transfer_data transfer_group`),
} as const

type Name = keyof typeof members

interface Sale {
  /** `opened` is the session before its payment, `session` the one after it. */
  readonly objects: Readonly<Record<Name | 'opened', object>>
  readonly ids: Readonly<Record<string, string>>
}

const address = { city: 'Berlin', country: 'DE', line1: 'Straße 1', line2: null, postal_code: '10115', state: null }
const about = { app: 'a', tenant: 't' }

/** Returns the object as the API returned it: the SDK has replaced decimals. */
const plain = (object: object) => JSON.parse(JSON.stringify(object)) as Record<string, object>

/** Returns the objects of a sale: a monthly price of 30.00 EUR, sold by checkout to an existing customer. */
async function sale(): Promise<Sale> {
  const { stripe } = await sandboxForTest()
  const product = await stripe.products.create({ name: 'Local', description: 'Text.' })
  const price = await stripe.prices.create({
    ...{ product: product.id, currency: 'eur', unit_amount: 3000, recurring: { interval: 'month' } },
  })
  const { line2: _none, state: _neither, ...given } = address
  const customer = await stripe.customers.create({ address: given, email: 'a@example.test', name: 'A' })
  const opened = await stripe.checkout.sessions.create({
    ...{ mode: 'subscription', customer: customer.id, line_items: [{ price: price.id, quantity: 1 }] },
    ...{
      success_url: 'https://shop.example',
      cancel_url: 'https://shop.example',
      subscription_data: { metadata: about },
    },
  })
  await payPage(opened.url)
  const session = await stripe.checkout.sessions.retrieve(opened.id)
  const subscription = await stripe.subscriptions.retrieve(idOf(session.subscription))
  const invoice = await stripe.invoices.retrieve(idOf(session.invoice), { expand: ['payments'] })
  const payment = invoice.payments?.data[0] as Stripe.InvoicePayment
  const intent = await stripe.paymentIntents.retrieve(idOf(payment.payment.payment_intent))
  const charge = await stripe.charges.retrieve(idOf(intent.latest_charge))
  const [item] = subscription.items.data
  const [line] = invoice.lines.data
  const recurring = price.recurring as object
  const objects = { product, price, recurring, customer, session, subscription, invoice, payment, intent, charge }
  const nested = { items: subscription.items, item, plan: item?.plan, lines: invoice.lines, line }
  const ids = { customer: customer.id, intent: intent.id, invoice: invoice.id, item: item?.id ?? '', price: price.id }
  const more = { product: product.id, subscription: subscription.id }
  return { objects: plain({ ...objects, ...nested, opened }) as Sale['objects'], ids: { ...ids, ...more } }
}

describe('an object of the sandbox has all members that a recording of Stripe has:', () => {
  test.each(Object.keys(members) as Name[])('%s', async (name) => {
    const object = (await sale()).objects[name]
    const missing = members[name].filter((member) => !untyped.has(`${name}.${member}`) && !(member in object))
    expect(missing).toEqual([])
    const extra = members[name].filter((member) => untyped.has(`${name}.${member}`) && member in object)
    expect(extra).toEqual([])
  })
})

/** Values in the recording of the sale. */
const values: readonly (readonly [of: Name | 'opened', what: string, value: (ids: Sale['ids']) => object])[] = [
  [
    'product',
    'is active, without a default price',
    () => ({ active: true, default_price: null, images: [], marketing_features: [] }),
  ],
  [
    'price',
    'has both forms of its amount',
    () => ({ unit_amount: 3000, unit_amount_decimal: '3000', custom_unit_amount: null }),
  ],
  [
    'price',
    'is licensed, and its tax is unspecified',
    () => ({ tax_behavior: 'unspecified', tiers_mode: null, type: 'recurring' }),
  ],
  ['recurring', 'has no trial and no meter', () => ({ interval_count: 1, meter: null, trial_period_days: null })],
  ['customer', 'keeps an address with null for what is not given', () => ({ address })],
  [
    'customer',
    'owes nothing',
    () => ({ balance: 0, currency: null, delinquent: false, discount: null, tax_exempt: 'none' }),
  ],
  [
    'customer',
    'has empty settings of invoices',
    () => ({
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    }),
  ],
  ['opened', 'is unpaid', () => ({ status: 'open', payment_status: 'unpaid', subscription: null, invoice: null })],
  [
    'opened',
    'shows the email address of the customer only',
    () => ({
      customer_details: {
        ...{
          address: null,
          business_name: null,
          email: 'a@example.test',
          individual_name: null,
          name: null,
          phone: null,
        },
        ...{ tax_exempt: 'none', tax_ids: null },
      },
      customer_creation: null,
      customer_email: null,
    }),
  ],
  [
    'opened',
    'has collected nothing',
    () => ({
      collected_information: { business_name: null, individual_name: null, shipping_details: null },
      consent_collection: null,
    }),
  ],
  [
    'opened',
    'offers saved payment methods that may be shown',
    () => ({
      saved_payment_method_options: {
        ...{ allow_redisplay_filters: ['always'], payment_method_remove: 'disabled', payment_method_save: null },
      },
    }),
  ],
  [
    'opened',
    'always asks for a card',
    () => ({
      payment_method_collection: 'always',
      payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    }),
  ],
  [
    'opened',
    'has the amounts',
    () => ({
      ...{ amount_subtotal: 3000, amount_total: 3000, discounts: [] },
      total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    }),
  ],
  [
    'opened',
    'makes no invoice of a payment',
    () => ({ invoice_creation: null, submit_type: null, ui_mode: 'hosted_page' }),
  ],
  ['session', 'is complete, and has lost its URL', () => ({ status: 'complete', payment_status: 'paid', url: null })],
  [
    'subscription',
    'is active, in flexible billing',
    () => ({
      status: 'active',
      billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    }),
  ],
  [
    'subscription',
    'has the metadata of the checkout, its items have none',
    () => ({ metadata: about, items: { data: [{ metadata: {} }] } }),
  ],
  [
    'subscription',
    'pays with the card of the checkout',
    () => ({
      default_payment_method: expect.stringMatching(/^pm_/),
      default_source: null,
      payment_settings: { payment_method_types: null, save_default_payment_method: 'off' },
    }),
  ],
  [
    'subscription',
    'was never cancelled',
    () => ({
      ...{ cancel_at: null, cancel_at_period_end: false, canceled_at: null, ended_at: null },
      cancellation_details: { comment: null, feedback: null, reason: null },
    }),
  ],
  [
    'subscription',
    'has the settings of its invoices',
    () => ({
      invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } },
      trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
    }),
  ],
  [
    'items',
    'has the URL of a list by subscription',
    ({ subscription = '' }) => ({
      object: 'list',
      has_more: false,
      url: `/v1/subscription_items?subscription=${subscription}`,
    }),
  ],
  [
    'item',
    'names its subscription, and has one unit',
    ({ subscription }) => ({ subscription, quantity: 1, tax_rates: [], discounts: [] }),
  ],
  [
    'plan',
    'is the price in its former form',
    ({ price, product }) => ({
      ...{ id: price, product, amount: 3000, amount_decimal: '3000', interval: 'month', usage_type: 'licensed' },
    }),
  ],
  [
    'invoice',
    'is paid',
    () => ({
      ...{ status: 'paid', amount_due: 3000, amount_paid: 3000, amount_remaining: 0, amount_overpaid: 0 },
      ...{ attempted: true, auto_advance: false, next_payment_attempt: null },
    }),
  ],
  [
    'invoice',
    'has a period of no length',
    () => ({ billing_reason: 'subscription_create', automatically_finalizes_at: null }),
  ],
  [
    'invoice',
    'copies the customer',
    () => ({
      ...{ customer_address: address, customer_email: 'a@example.test', customer_name: 'A', customer_phone: null },
      ...{ customer_shipping: null, customer_tax_exempt: 'none', customer_tax_ids: [] },
    }),
  ],
  [
    'invoice',
    'has the metadata of the subscription in its parent only',
    ({ subscription }) => ({
      metadata: {},
      parent: {
        quote_details: null,
        subscription_details: { metadata: about, subscription },
        type: 'subscription_details',
      },
    }),
  ],
  [
    'invoice',
    'has no taxes and no discounts',
    () => ({
      ...{ subtotal: 3000, subtotal_excluding_tax: 3000, total: 3000, total_excluding_tax: 3000 },
      ...{ total_discount_amounts: [], total_pretax_credit_amounts: [], total_taxes: [] },
    }),
  ],
  [
    'invoice',
    'has no credit notes and no balance',
    () => ({
      ...{
        post_payment_credit_notes_amount: 0,
        pre_payment_credit_notes_amount: 0,
        starting_balance: 0,
        ending_balance: 0,
      },
    }),
  ],
  [
    'invoice',
    'leaves the card to the subscription',
    () => ({ default_payment_method: null, default_source: null, due_date: null }),
  ],
  ['lines', 'has the URL of the lines', ({ invoice = '' }) => ({ url: `/v1/invoices/${invoice}/lines` })],
  [
    'line',
    'describes quantity, product, amount and interval',
    () => ({ description: '1 × Local (at €30.00 / month)' }),
  ],
  ['line', 'has the metadata of the subscription', () => ({ metadata: about })],
  [
    'line',
    'names the subscription and its item',
    ({ item, subscription }) => ({
      parent: {
        invoice_item_details: null,
        subscription_item_details: {
          ...{ invoice_item: null, proration: false, proration_details: { credited_items: null } },
          ...{ subscription, subscription_item: item },
        },
        type: 'subscription_item_details',
      },
    }),
  ],
  [
    'line',
    'names price and product',
    ({ price, product }) => ({
      pricing: { price_details: { price, product }, type: 'price_details', unit_amount_decimal: '3000' },
      ...{
        quantity: 1,
        quantity_decimal: '1',
        subtotal: 3000,
        discountable: true,
        taxes: [],
        pretax_credit_amounts: [],
      },
    }),
  ],
  [
    'payment',
    'paid all that was asked',
    ({ intent, invoice }) => ({
      ...{ amount_paid: 3000, amount_requested: 3000, invoice, is_default: true, status: 'paid' },
      payment: { payment_intent: intent, type: 'payment_intent' },
    }),
  ],
  ['intent', 'is the creation of a subscription', () => ({ description: 'Subscription creation', metadata: {} })],
  [
    'intent',
    'is captured at once',
    () => ({
      ...{ capture_method: 'automatic', confirmation_method: 'automatic', automatic_payment_methods: null },
      ...{ amount_received: 3000, amount_capturable: 0, status: 'succeeded' },
    }),
  ],
  [
    'charge',
    'has the description of its intent',
    () => ({ description: 'Subscription creation', metadata: {}, refunded: false }),
  ],
  [
    'charge',
    'was approved by the network',
    () => ({
      outcome: {
        network_status: 'approved_by_network',
        reason: null,
        seller_message: 'Payment complete.',
        type: 'authorized',
      },
      ...{ captured: true, paid: true, disputed: false, status: 'succeeded' },
    }),
  ],
]

describe('an object of a sale in the sandbox has the values of a recorded sale:', () => {
  test.each(values)('%s %s', async (of, _what, value) => {
    const { objects, ids } = await sale()
    expect(objects[of]).toMatchObject(value(ids))
  })
})
