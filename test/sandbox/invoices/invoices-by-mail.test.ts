import { describe, expect } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, utc } from '../customers/customer-shop.ts'

const january = utc('2027-01-01T00:00:00')
const byMail = { collection_method: 'send_invoice', days_until_due: 14 } as const

describe('subscriptions that are paid by invoice', () => {
  test('need no card, are active at once, and their draft invoice is emailed after an hour', async () => {
    const { stripe, clockId, monthly } = await customerShop(january)
    const { id: customer } = await stripe.customers.create({ test_clock: clockId, email: 'ada@example.com' })
    const price = await monthly(1000)
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }], ...byMail })
    expect(made).toMatchObject({ status: 'active', collection_method: 'send_invoice', days_until_due: 14 })
    const invoice = made.latest_invoice as string
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'draft', due_date: january + 14 * day })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: january + 2 * 3600 })
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
      status: 'open',
      attempted: false,
      due_date: january + 3600 + 14 * day,
      amount_due: 1000,
    })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: january + 16 * day })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('past_due')
    expect(await stripe.invoices.pay(invoice, { paid_out_of_band: true })).toMatchObject({
      status: 'paid',
      attempt_count: 0,
    })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
    const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['invoice.finalized', 'invoice.sent', 'invoice.overdue']))
  })

  test('require days_until_due, while subscriptions that are charged automatically refuse days_until_due', async ({
    shop: { stripe, customer, monthly },
  }) => {
    const items = [{ price: (await monthly(1000)).id }]
    const without = stripe.subscriptions.create({ customer, items, collection_method: 'send_invoice' })
    expect(await refusal(without)).toMatchObject({
      message: "If invoice collection method is 'send_invoice', you must specify 'days_until_due'.",
    })
    expect(await refusal(stripe.subscriptions.create({ customer, items, days_until_due: 5 }))).toMatchObject({
      message: "You can only specify 'days_until_due' if invoice collection method is 'send_invoice'.",
    })
    const made = await stripe.subscriptions.create({ customer, items, ...byMail })
    const changed = await stripe.subscriptions.update(made.id, { collection_method: 'charge_automatically' })
    expect(changed).toMatchObject({ collection_method: 'charge_automatically', days_until_due: null })
  })

  test('have invoices that can be finalized, sent, voided and marked uncollectible', async ({ shop }) => {
    const { stripe, customer, monthly } = shop
    const items = [{ price: (await monthly(1000)).id }]
    const make = async () =>
      (await stripe.subscriptions.create({ customer, items, ...byMail })).latest_invoice as string
    const [one, two] = [await make(), await make()]
    expect((await stripe.invoices.sendInvoice(one)).status).toBe('open')
    expect(await refusal(stripe.invoices.finalizeInvoice(one))).toMatchObject({ status: 400 })
    expect((await stripe.invoices.voidInvoice(one)).status).toBe('void')
    expect(await refusal(stripe.invoices.pay(one))).toMatchObject({
      message: "You can only pass in open invoices. This invoice isn't open.",
    })
    expect((await stripe.invoices.finalizeInvoice(two)).status).toBe('open')
    expect((await stripe.invoices.markUncollectible(two)).status).toBe('uncollectible')
  })

  test('end when their first invoice is voided before its payment', async ({ shop }) => {
    const { stripe, subscribed, monthly } = shop
    const made = await subscribed(await monthly(1000), { payment_behavior: 'default_incomplete' })
    await stripe.invoices.voidInvoice(made.latest_invoice as string)
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete_expired')
  })
})

test('the page of an emailed invoice shows the invoice, refuses a card that is declined, and accepts a valid card', async () => {
  const { stripe, customer, monthly, url, product } = await customerShop()
  await stripe.products.update(product, { name: '<b>Pro</b>' })
  const items = [{ price: (await monthly(1000)).id }]
  const made = await stripe.subscriptions.create({ customer, items, ...byMail })
  const id = made.latest_invoice as string
  expect((await fetch(`${url}/invoices/${id}`)).status).toBe(404)
  const { hosted_invoice_url: address } = await stripe.invoices.sendInvoice(id)
  expect(address).toBe(`${url}/invoices/${id}`)
  const shown = await (await fetch(address ?? '')).text()
  expect([shown.includes('&lt;b&gt;Pro'), shown.includes('<b>Pro'), shown.includes('10.00')]).toEqual([
    true,
    false,
    true,
  ])
  const pay = (number: string) => fetch(address ?? '', { method: 'POST', body: new URLSearchParams({ number }) })
  for (const number of ['4000 0000 0000 0002', '1234', '']) expect((await pay(number)).status).toBe(400)
  expect((await stripe.invoices.retrieve(id)).status).toBe('open')
  expect((await pay('4242 4242 4242 4242')).status).toBe(200)
  expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: 'paid', amount_paid: 1000 })
  expect((await fetch(`${url}/invoices/in_unknown`)).status).toBe(404)
})

describe('taxes and discounts of invoices:', () => {
  test('exclusive tax rates are added to the total, inclusive tax rates are part of it, and an item’s own tax rates take precedence', async () => {
    const { stripe, customer, monthly, subscribed } = await customerShop()
    const rate = (percentage: number, inclusive: boolean) =>
      stripe.taxRates.create({ display_name: 'VAT', percentage, inclusive })
    const [on, within, gone] = [await rate(19, false), await rate(10, true), await rate(7, false)]
    const [plain, own] = [await monthly(1000), await monthly(1100)]
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price: plain.id }, { price: own.id, tax_rates: [within.id] }],
      default_tax_rates: [on.id],
      discounts: [{ coupon: coupon.id }],
    })
    expect(made.default_tax_rates).toMatchObject([{ id: on.id, percentage: 19 }])
    const invoice = await stripe.invoices.retrieve(made.latest_invoice as string)
    // 1000 + 1100, minus half; plus 19 % of 500 exclusive, and 50 of 550 inclusive.
    expect(invoice).toMatchObject({ subtotal: 2100, total: 1050 + 95, total_excluding_tax: 1000, amount_paid: 1145 })
    expect(invoice.total_taxes?.map(({ amount, tax_behavior }) => [amount, tax_behavior])).toEqual([
      [95, 'exclusive'],
      [50, 'inclusive'],
    ])
    await stripe.taxRates.update(gone.id, { active: false })
    expect((await refusal(subscribed(plain, { default_tax_rates: [gone.id] }))).message).toContain('inactive')
  })

  test('automatic tax requires the customer’s location', async ({
    shop: { stripe, customer, monthly, subscribed },
  }) => {
    const price = await monthly(1000)
    const automatic = { automatic_tax: { enabled: true } }
    expect((await refusal(subscribed(price, automatic))).code).toBe('customer_tax_location_invalid')
    await stripe.customers.update(customer, { address: { country: 'DE' } })
    const made = await subscribed(price, automatic)
    expect(made.automatic_tax).toMatchObject({ enabled: true })
    const invoice = await stripe.invoices.retrieve(made.latest_invoice as string)
    expect(invoice).toMatchObject({ automatic_tax: { enabled: true, status: 'complete' }, total: 1000 })
  })
})

test('a one-time discount of an item reduces only the line of that item, and only on the first invoice', async () => {
  const { stripe, customer, clockId, monthly, invoices } = await customerShop(january)
  const once = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
  const [cheap, dear] = [await monthly(1000), await monthly(3000)]
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: cheap.id, discounts: [{ coupon: once.id }] }, { price: dear.id }],
  })
  // The subtotal is already reduced by the discounts of items.
  expect((await invoices())[0]).toMatchObject({ subtotal: 3500, total: 3500 })
  expect(firstItem(await stripe.subscriptions.retrieve(made.id)).discounts).toEqual([])
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
  expect((await invoices()).at(-1)).toMatchObject({ total: 4000 })
})

test('the phases of a schedule set billing terms, and the subscription has the terms of its current phase', async () => {
  const { stripe, customer, clockId, monthly, invoices } = await customerShop(january)
  const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 20, inclusive: false })
  const forever = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  const [now, next] = [await monthly(1000), await monthly(2000)]
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: now.id, discounts: [{ coupon: forever.id }] }],
    default_tax_rates: [rate.id],
    description: 'Team',
    ...byMail,
  })
  const discount = firstItem(made).discounts[0] as string
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
  expect(schedule).toMatchObject({
    default_settings: {
      collection_method: 'send_invoice',
      description: 'Team',
      invoice_settings: { days_until_due: 14 },
    },
    phases: [{ default_tax_rates: [{ id: rate.id }], items: [{ discounts: [{ discount }] }] }],
  })
  const [first] = schedule.phases
  const same = { default_tax_rates: [rate.id], description: 'Team' }
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        ...same,
        start_date: first?.start_date ?? 0,
        end_date: first?.end_date ?? 0,
        items: [{ price: now.id, discounts: [{ discount }] }],
      },
      {
        ...same,
        collection_method: 'send_invoice',
        invoice_settings: { days_until_due: 30 },
        items: [{ price: next.id, discounts: [{ discount }] }],
      },
    ],
  })
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
  expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
    collection_method: 'send_invoice',
    days_until_due: 30,
    description: 'Team',
    default_tax_rates: [{ id: rate.id }],
    items: { data: [{ price: { id: next.id }, discounts: [discount] }] },
  })
  // 2000 less a tenth, and 20 % on that.
  expect((await invoices()).at(-1)).toMatchObject({ status: 'open', total: 2160 })
})
