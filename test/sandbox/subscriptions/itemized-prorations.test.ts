// Discounts of prorations (`billing_mode[flexible][proration_discounts]`). Source: docs.stripe.com/changelog/clover/2025-09-30.
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day, firstItem, utc, type CustomerShop } from '../customers/customer-shop.ts'

const start = utc('2027-04-01T00:00:00')

type Mode = 'included' | 'itemized'

const flexible = (mode: Mode) => ({ flexible: { proration_discounts: mode }, type: 'flexible' as const })

/** A subscription of 10.00 a month with 10 % off its item and 2.00 off the invoice, changed to 20.00 after half of the month. */
async function changed(mode: Mode, behavior: 'always_invoice' | 'create_prorations' = 'always_invoice') {
  const shop = await customerShop(start)
  const { stripe, clockId, customer, monthly, invoices } = shop
  const [low, high] = [await monthly(1000), await monthly(2000)]
  const ofItem = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  const ofInvoice = await stripe.coupons.create({ amount_off: 200, currency: 'usd', duration: 'forever' })
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: low.id, discounts: [{ coupon: ofItem.id }] }],
    discounts: [{ coupon: ofInvoice.id }],
    billing_mode: flexible(mode),
  })
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 15 * day })
  const items = [{ id: firstItem(made).id, price: high.id }]
  const after = await stripe.subscriptions.update(made.id, { items, proration_behavior: behavior })
  const invoice = (await invoices()).at(-1) as Stripe.Invoice
  const shared = idOf(after.discounts[0])
  const own = idOf(firstItem(after).discounts[0])
  return { shop, invoice, made, shared, own }
}

async function prorationsOf({ stripe, customer }: CustomerShop): Promise<Stripe.InvoiceItem[]> {
  return (await stripe.invoiceItems.list({ customer })).data.filter(({ proration }) => proration)
}

describe('itemized discounts of prorations in the sandbox:', () => {
  test('proration lines contain the amount before discounts, and each discount with its amount', async () => {
    const { invoice, made, own, shared } = await changed('itemized')
    expect(made.billing_mode).toMatchObject({ flexible: { proration_discounts: 'itemized' }, type: 'flexible' })
    // 10.00 and 20.00 for half of the month; the item's 10 % are 0.50 and 1.00, the invoice's 2.00 are 1.00 each.
    expect(invoice.lines.data).toMatchObject([
      {
        amount: -500,
        discountable: false,
        discount_amounts: [
          { amount: -50, discount: own },
          { amount: -100, discount: shared },
        ],
        subtotal: -500,
      },
      {
        amount: 1000,
        discountable: false,
        discount_amounts: [
          { amount: 100, discount: own },
          { amount: 100, discount: shared },
        ],
        subtotal: 1000,
      },
    ])
  })

  test('the subtotal of the invoice is reduced by item discounts, and its total by all discounts', async () => {
    const { invoice, own, shared } = await changed('itemized')
    expect(invoice).toMatchObject({ subtotal: 450, total: 450 })
    expect(invoice.total_discount_amounts).toEqual([
      { amount: 50, discount: own },
      { amount: 0, discount: shared },
    ])
  })

  test('proration invoice items contain the amount before discounts and the net amount', async () => {
    const { shop, own, shared } = await changed('itemized', 'create_prorations')
    const [charge, credit] = await prorationsOf(shop)
    expect(charge).toMatchObject({
      amount: 1000,
      net_amount: 800,
      proration_details: {
        credited_items: null,
        discount_amounts: [
          { amount: 100, discount: own },
          { amount: 100, discount: shared },
        ],
      },
    })
    expect(credit).toMatchObject({
      amount: -500,
      net_amount: -350,
      proration_details: { credited_items: { type: 'invoice_line_items' } },
    })
  })

  test('prorations in the modes itemized and included have the same totals, also for odd fractions of a period', async () => {
    const totals = async (mode: Mode) => {
      const shop = await customerShop(start)
      const { stripe, clockId, customer, monthly, invoices } = shop
      const [low, high] = [await monthly(999), await monthly(2777)]
      const coupons = await Promise.all(
        [33.33, 12.5].map((percent_off) => stripe.coupons.create({ percent_off, duration: 'forever' })),
      )
      const made = await stripe.subscriptions.create({
        customer,
        items: [{ price: low.id, quantity: 3 }],
        discounts: coupons.map(({ id: coupon }) => ({ coupon })),
        billing_mode: flexible(mode),
      })
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 11 * day + 12_345 })
      const items = [{ id: firstItem(made).id, price: high.id, quantity: 2 }]
      await stripe.subscriptions.update(made.id, { items })
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 17 * day + 54_321 })
      await stripe.subscriptions.cancel(made.id, { invoice_now: true, prorate: true })
      return (await invoices()).map(({ total }) => total)
    }
    expect(await totals('itemized')).toEqual(await totals('included'))
  })

  test('a credit is reduced by the discounts that reduced the credited charge', async () => {
    const { stripe, clockId, customer, monthly, invoices } = await customerShop(start)
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price: (await monthly(1000)).id }],
      discounts: [{ coupon: coupon.id }],
      billing_mode: flexible('itemized'),
    })
    const used = (await invoices())[0]?.total_discount_amounts?.[0]?.discount
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 15 * day })
    await stripe.subscriptions.cancel(made.id, { invoice_now: true, prorate: true })
    expect((await invoices()).at(-1)).toMatchObject({
      lines: { data: [{ amount: -500, discount_amounts: [{ amount: -250, discount: used }] }] },
      total: -250,
    })
  })

  test('proration lines keep their discounts when another line is added to their draft invoice', async () => {
    const { shop, invoice: first } = await changed('itemized', 'create_prorations')
    const { stripe, clockId, customer, invoices } = shop
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-05-01T00:30:00') })
    const draft = (await invoices()).at(-1) as Stripe.Invoice
    expect(draft.id).not.toBe(first.id)
    await stripe.invoiceItems.create({
      customer,
      invoice: draft.id,
      amount: 1000,
      currency: 'usd',
      discountable: false,
    })
    const after = await stripe.invoices.retrieve(draft.id)
    const prorated = (invoice: Stripe.Invoice) =>
      invoice.lines.data.filter(({ parent }) => parent?.subscription_item_details?.proration === true)
    expect(prorated(after)).toEqual(prorated(draft))
    expect(after.total - draft.total).toBe(1000)
  })

  test('a preview and a schedule accept the mode itemized, and a subscription in classic billing mode refuses it', async () => {
    const { stripe, customer, monthly, subscribed } = await customerShop(start)
    const price = await monthly(1000)
    const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const made = await subscribed(price, { discounts: [{ coupon: coupon.id }] })
    const seen = await stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: {
        billing_mode: flexible('itemized'),
        items: [{ id: firstItem(made).id, quantity: 2 }],
        proration_behavior: 'always_invoice',
      },
    })
    expect(seen.lines.data.map(({ amount }) => amount)).toEqual([-1000, 2000])
    const schedule = await stripe.subscriptionSchedules.create({
      customer,
      start_date: 'now',
      billing_mode: flexible('itemized'),
      phases: [{ items: [{ price: price.id }], duration: { interval: 'month' } }],
    })
    expect(schedule.billing_mode).toMatchObject(flexible('itemized'))
    const classic = { ...flexible('itemized'), type: 'classic' as const }
    expect(await refusal(subscribed(price, { billing_mode: classic }))).toMatchObject({
      param: 'billing_mode[flexible]',
      status: 400,
    })
  })
})

describe('included discounts of prorations in the sandbox:', () => {
  test('proration lines contain the amount after discounts, and list the invoice’s discounts with the amount 0', async () => {
    const { invoice, shared } = await changed('included')
    expect(invoice.lines.data).toMatchObject([
      { amount: -350, discount_amounts: [{ amount: 0, discount: shared }] },
      { amount: 800, discount_amounts: [{ amount: 0, discount: shared }] },
    ])
    expect(invoice).toMatchObject({ subtotal: 450, total: 450, total_discount_amounts: [] })
  })

  test('proration invoice items list all discounts with the amount 0', async () => {
    const { shop, own, shared } = await changed('included', 'create_prorations')
    for (const item of await prorationsOf(shop)) {
      expect(item.net_amount).toBe(item.amount)
      expect(item.proration_details?.discount_amounts).toEqual([
        { amount: 0, discount: own },
        { amount: 0, discount: shared },
      ])
    }
  })

  test('the credit of a charge that is still pending contains the id of the charge’s invoice item', async () => {
    const { shop, made } = await changed('included', 'create_prorations')
    const { stripe, clockId } = shop
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 20 * day })
    const third = await shop.monthly(3000)
    await stripe.subscriptions.update(made.id, { items: [{ id: firstItem(made).id, price: third.id }] })
    const [, credit, charge] = await prorationsOf(shop)
    expect(credit?.amount).toBeLessThan(0)
    expect(credit?.proration_details?.credited_items).toEqual({ invoice_item: charge?.id, type: 'invoice_item' })
  })
})
