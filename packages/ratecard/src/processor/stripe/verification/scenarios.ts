// Scenarios that verify Ratecard's assumptions about Stripe. Each scenario creates objects, reads them, and returns what it observed.
import type { Stripe } from 'stripe'
import { discountScenarios } from './discount-scenarios.ts'
import { day, formOf, type Scenario, type Stage } from './stage.ts'

/** Creates a customer with a card on a test clock, and a monthly price of ten dollars. */
async function shopOn(stage: Stage) {
  const clock = await stage.clock()
  const customer = await stage.customer(clock.id)
  const product = await stage.product()
  const price = await stage.price({ product: product.id, unit_amount: 1000 })
  return { clock, customer, product, price }
}

async function invoiceTotals({ stripe }: Stage, customer: string): Promise<number[]> {
  const { data } = await stripe.invoices.list({ customer, limit: 20 })
  return data.map(({ total }) => total).reverse()
}

const meteredMove: Scenario = {
  id: 'metered_move_at_a_phase_border',
  belief: 'A metered item that a schedule moves at the end of its period is billed at the old price until then.',
  async observe(stage) {
    const { stripe } = stage
    const clock = await stage.clock()
    const customer = await stage.customer(clock.id)
    const product = await stage.product()
    const meter = await stage.meter()
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: meter.id }
    const [dear, cheap] = [
      await stage.price({ product: product.id, unit_amount: 5, recurring }),
      await stage.price({ product: product.id, unit_amount: 2, recurring }),
    ]
    const subscription = await stripe.subscriptions.create({ customer, items: [{ price: dear.id }] })
    await stripe.billing.meterEvents.create({
      event_name: meter.event_name,
      payload: { stripe_customer_id: customer, value: '100' },
    })
    // Stripe counts usage a little later than it accepts it, so poll.
    const hour = (seconds: number) => Math.floor(seconds / 3600) * 3600
    await stage.until('the usage is counted', async () => {
      const { data } = await stripe.billing.meters.listEventSummaries(meter.id, {
        customer,
        start_time: hour(clock.from) - 3600,
        end_time: hour(clock.from) + 2 * 3600,
      })
      return data.reduce((sum, { aggregated_value: value }) => sum + value, 0) === 100
    })
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id })
    const [first] = schedule.phases
    if (first === undefined) return { phases: 0 }
    await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'release',
      proration_behavior: 'none',
      phases: [
        { items: [{ price: dear.id }], start_date: first.start_date, end_date: first.end_date },
        { items: [{ price: cheap.id }], duration: { interval: 'month' }, proration_behavior: 'none' },
      ],
    })
    await stage.advance(clock.id, first.end_date + 2 * 3600)
    const [bill] = (await stripe.invoices.list({ customer, limit: 1 })).data
    const after = await stripe.subscriptions.retrieve(subscription.id)
    return { billed: bill?.total ?? null, moved: after.items.data[0]?.price.id === cheap.id }
  },
}

const prorations: Scenario = {
  id: 'prorations',
  belief: 'Both parts of a proration are rounded down, and their lines have no decimal and take no discount.',
  async observe(stage) {
    const { stripe } = stage
    const { clock, customer, product, price } = await shopOn(stage)
    const dear = await stage.price({ product: product.id, unit_amount: 2000 })
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    const item = made.items.data[0]
    if (item === undefined) return { items: 0 }
    const length = item.current_period_end - item.current_period_start
    await stage.advance(clock.id, item.current_period_start + Math.floor((length * 2) / 3))
    await stripe.subscriptions.update(made.id, { items: [{ id: item.id, price: dear.id }] })
    const preview = await stripe.invoices.createPreview({ subscription: made.id })
    const lines = preview.lines.data.map((line) => ({
      amount: line.amount,
      discountable: line.discountable,
      proration: line.parent?.subscription_item_details?.proration ?? null,
      decimal: formOf(line.pricing?.unit_amount_decimal),
      text: stage.plain(line.description ?? '').replaceAll(/\d{1,2} [A-Z][a-z]{2} \d{4}/g, '<day>'),
    }))
    return { lines: lines.sort((a, b) => a.amount - b.amount), total: preview.total }
  },
}

const clockLimit: Scenario = {
  id: 'test_clock_limit',
  belief: 'A test clock can advance by at most two intervals of its shortest subscription at a time.',
  async observe(stage) {
    const { clock, customer, price } = await shopOn(stage)
    await stage.stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    const far = stage.stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: clock.from + 200 * day })
    return { far: await stage.refusal(far) }
  },
}

const nullMembers: Scenario = {
  id: 'null_members',
  belief: 'An empty list is returned as the types declare, or as null; Ratecard reads both.',
  async observe(stage) {
    const { customer, price } = await shopOn(stage)
    const made = await stage.stripe.subscriptions.create({ customer, items: [{ price: price.id, quantity: 7 }] })
    const schedule = await stage.stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const [phase] = schedule.phases
    const [item] = phase?.items ?? []
    const forms = (object: object | undefined) =>
      Object.fromEntries(Object.entries(object ?? {}).map(([name, value]) => [name, formOf(value)]))
    return {
      subscription: { discounts: formOf(made.discounts), default_tax_rates: formOf(made.default_tax_rates) },
      item: { discounts: formOf(made.items.data[0]?.discounts), tax_rates: formOf(made.items.data[0]?.tax_rates) },
      phase: forms(phase),
      phase_item: forms(item),
      quantity: item?.quantity ?? null,
    }
  },
}

const quantityKept: Scenario = {
  id: 'price_change_without_quantity',
  belief: 'If the price of an item changes without a quantity, the quantity becomes 1.',
  async observe(stage) {
    const { stripe } = stage
    const { customer, product, price } = await shopOn(stage)
    const other = await stage.price({ product: product.id, unit_amount: 800 })
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id, quantity: 7 }] })
    const id = made.items.data[0]?.id ?? ''
    const before = await invoiceTotals(stage, customer)
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id, price: other.id }],
      proration_behavior: 'none',
    })
    return {
      quantity: after.items.data[0]?.quantity ?? null,
      invoices: (await invoiceTotals(stage, customer)).length - before.length,
    }
  },
}

const byInvoice: Scenario = {
  id: 'paid_by_invoice',
  belief:
    'A subscription that is paid by invoice is active immediately, and a schedule created from it keeps its billing terms.',
  async observe(stage) {
    const { stripe } = stage
    const clock = await stage.clock()
    const customer = await stage.customer(clock.id, false)
    await stripe.customers.update(customer, { email: 'check@example.com' })
    const product = await stage.product()
    const price = await stage.price({ product: product.id, unit_amount: 1000 })
    const items = [{ price: price.id }]
    const without = await stage.refusal(
      stripe.subscriptions.create({ customer, items, collection_method: 'send_invoice' }),
    )
    const made = await stripe.subscriptions.create({
      ...{ customer, items, collection_method: 'send_invoice', days_until_due: 30, description: 'Contract' },
      expand: ['latest_invoice'],
    })
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const [phase] = schedule.phases
    const invoice = made.latest_invoice as Stripe.Invoice | null
    return {
      without_days: without,
      status: made.status,
      invoice: { status: invoice?.status ?? null, collection_method: invoice?.collection_method ?? null },
      usual: {
        collection_method: schedule.default_settings.collection_method,
        days_until_due: schedule.default_settings.invoice_settings.days_until_due,
        description: schedule.default_settings.description,
      },
      phase: { collection_method: phase?.collection_method ?? null, description: phase?.description ?? null },
    }
  },
}

const tiers: Scenario = {
  id: 'tiers_of_fractions',
  belief: 'A tiered item has one invoice line per tier, and the lines add up to the amount, rounded once.',
  async observe(stage) {
    const { stripe } = stage
    const clock = await stage.clock()
    const customer = await stage.customer(clock.id)
    const product = await stage.product()
    const price = await stage.price({
      product: product.id,
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers: [
        { up_to: 3, unit_amount_decimal: '0.5' as unknown as Stripe.Decimal, flat_amount: 100 },
        { up_to: 'inf', unit_amount_decimal: '0.3' as unknown as Stripe.Decimal },
      ],
    })
    const subscription_details = { items: [{ price: price.id, quantity: 5 }] }
    const preview = await stripe.invoices.createPreview({ customer, subscription_details })
    return { lines: preview.lines.data.map(({ amount }) => amount).sort((a, b) => a - b), total: preview.total }
  },
}

const refusals: Scenario = {
  id: 'refusals',
  belief: 'Refusals of the processor have these messages.',
  async observe(stage) {
    const { stripe } = stage
    const { clock, customer, product, price } = await shopOn(stage)
    const items = [{ price: price.id }]
    const penniless = await stage.customer(clock.id, false)
    const euros = await stage.price({ product: product.id, unit_amount: 900, currency: 'eur' })
    const named = await stage.price({ product: product.id, unit_amount: 1, lookup_key: `check_${stage.run}` })
    const other = await stage.product()
    const dead = await stage.price({ product: other.id, unit_amount: 1 })
    await stripe.products.update(other.id, { active: false })
    await stripe.products.update(product.id, { default_price: price.id })
    stage.tidy('default price', () => stripe.products.update(product.id, { default_price: '' }))
    await stripe.subscriptions.create({ customer, items })
    const twin: Stripe.PriceCreateParams = {
      ...{ product: product.id, currency: 'usd', unit_amount: 2, recurring: { interval: 'month' } },
      lookup_key: named.lookup_key ?? '',
    }
    return {
      no_card: await stage.refusal(stripe.subscriptions.create({ customer: penniless, items })),
      second_currency: await stage.refusal(stripe.subscriptions.create({ customer, items: [{ price: euros.id }] })),
      archived_product: await stage.refusal(stripe.subscriptions.create({ customer, items: [{ price: dead.id }] })),
      default_price: await stage.refusal(stripe.prices.update(price.id, { active: false })),
      product_with_prices: await stage.refusal(stripe.products.del(product.id)),
      lookup_key: await stage.refusal(stripe.prices.create(twin)),
      unknown_price: await stage.refusal(stripe.prices.retrieve('price_unknown')),
      unknown_customer: await stage.refusal(stripe.subscriptions.create({ customer: 'cus_unknown', items })),
    }
  },
}

const identities: Scenario = {
  id: 'what_may_be_used_again',
  belief: 'The id of a deleted coupon and the event name of a deactivated meter are free again.',
  async observe(stage) {
    const { stripe } = stage
    const id = `check_${stage.run}`
    await stage.coupon({ id, percent_off: 10, duration: 'once' })
    await stripe.coupons.del(id)
    const meter = await stage.meter()
    const { event_name: name, display_name: shown } = meter
    const again = { event_name: name, display_name: shown, default_aggregation: { formula: 'sum' as const } }
    const twin = await stage.refusal(stripe.billing.meters.create(again))
    await stripe.billing.meters.deactivate(meter.id)
    const next = stripe.billing.meters.create(again)
    const after = await stage.refusal(next)
    if (after === 'accepted') {
      const made = await next
      stage.tidy(`meter ${made.id}`, () => stripe.billing.meters.deactivate(made.id))
    }
    return { coupon: await stage.refusal(stage.coupon({ id, percent_off: 20, duration: 'once' })), twin, after }
  },
}

const archivedPrices: Scenario = {
  id: 'archived_prices_in_lists',
  belief: 'Ratecard does not rely on whether a list of prices without `active` contains archived prices.',
  async observe(stage) {
    const product = await stage.product()
    const price = await stage.price({ product: product.id, unit_amount: 1 })
    await stage.stripe.prices.update(price.id, { active: false })
    const listed = async (active?: boolean) =>
      (await stage.stripe.prices.list({ product: product.id, ...(active === undefined ? {} : { active }) })).data.length
    return { without: await listed(), active: await listed(true), archived: await listed(false) }
  },
}

const declined: Scenario = {
  id: 'declined_payment_repeated',
  belief: 'A retry of a declined payment with the same idempotency key gets the same response.',
  async observe(stage) {
    const { stripe } = stage
    const { clock, price } = await shopOn(stage)
    const customer = await stage.customer(clock.id, false)
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const params: Stripe.SubscriptionCreateParams = {
      ...{ customer, items: [{ price: price.id }], default_payment_method: card.id },
      payment_behavior: 'error_if_incomplete',
    }
    const options = { idempotencyKey: `ratecard-check-${stage.run}` }
    const first = await stage.refusal(stripe.subscriptions.create(params, options))
    return { first, again: await stage.refusal(stripe.subscriptions.create(params, options)) }
  },
}

const firstEvents: Scenario = {
  id: 'events_of_a_first_invoice',
  belief: 'A subscription that is paid by card emits events for itself, its invoice and its payment.',
  async observe(stage) {
    const { stripe } = stage
    const { clock, customer, price } = await shopOn(stage)
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    await stripe.subscriptions.update(made.id, { metadata: { seen: 'yes' } })
    const told = async () =>
      (await stripe.events.list({ limit: 100, created: { gte: clock.from - 60 } })).data.filter(({ data }) =>
        JSON.stringify(data.object).includes(customer),
      )
    await stage.until('the change is told', async () =>
      (await told()).some(({ type }) => type === 'customer.subscription.updated'),
    )
    const events = await told()
    const updated = events.find(({ type }) => type === 'customer.subscription.updated')
    return {
      types: [...new Set(events.map(({ type }) => type))].sort(),
      previous: Object.keys(
        (updated?.data as { previous_attributes?: object } | undefined)?.previous_attributes ?? {},
      ).sort(),
    }
  },
}

export const scenarios: readonly Scenario[] = [
  ...[meteredMove, prorations, clockLimit, nullMembers, quantityKept, byInvoice, tiers],
  ...[refusals, identities, archivedPrices, declined, firstEvents],
  ...discountScenarios,
]
