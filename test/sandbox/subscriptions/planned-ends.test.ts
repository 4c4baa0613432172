// `cancel_at` in the middle of a period. Source: the SDK's documentation of `cancel_at`.
import { describe, expect, test } from 'vitest'
import { customerShop, day, firstItem, utc, type CustomerShop } from '../customers/customer-shop.ts'

const start = utc('2027-01-01T00:00:00')
/** The middle of January: 15 of its 31 days are over. */
const middle = utc('2027-01-16T00:00:00')
const end = utc('2027-02-01T00:00:00')

async function lastInvoice({ invoices }: CustomerShop) {
  const last = (await invoices()).at(-1)
  return { total: last?.total, lines: last?.lines.data.map(({ amount, description }) => ({ amount, description })) }
}

describe('a cancellation date within the current period', () => {
  test('ends the period on that date, and credits the rest of the period at once', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, customer, monthly, subscribed, invoices } = shop
    const { id } = await subscribed(await monthly(3100))
    const planned = await stripe.subscriptions.update(id, { cancel_at: middle })
    expect(planned).toMatchObject({ cancel_at: middle, cancel_at_period_end: false })
    expect(firstItem(planned).current_period_end).toBe(middle)
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toMatchObject([
      { amount: -1600, period: { start: middle, end }, proration: true },
    ])
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: middle + day })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
    expect((await invoices()).map(({ total }) => total)).toEqual([3100, -1600])
  })

  test('leads to a charge for the rest of the period if the cancellation is revoked', async () => {
    const shop = await customerShop(start)
    const { stripe, customer, monthly, subscribed } = shop
    const { id } = await subscribed(await monthly(3100))
    await stripe.subscriptions.update(id, { cancel_at: middle })
    const kept = await stripe.subscriptions.update(id, { cancel_at: '' })
    expect(kept.cancel_at).toBeNull()
    expect(firstItem(kept).current_period_end).toBe(end)
    const pending = (await stripe.invoiceItems.list({ customer, pending: true })).data
    expect(pending.map(({ amount }) => amount).sort()).toEqual([-1600, 1600])
  })

  test('credits on an immediate invoice with `always_invoice`, and credits nothing with `none`', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, monthly, subscribed, invoices } = shop
    const price = await monthly(3100)
    const { id } = await subscribed(price)
    await stripe.subscriptions.update(id, { cancel_at: middle, proration_behavior: 'always_invoice' })
    expect(await lastInvoice(shop)).toMatchObject({ total: -1600 })
    const free = await subscribed(price)
    await stripe.subscriptions.update(free.id, { cancel_at: middle, proration_behavior: 'none' })
    // A later change of something else does not credit it either.
    await stripe.subscriptions.update(free.id, { metadata: { a: '1' } })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: middle + day })
    expect((await stripe.subscriptions.retrieve(free.id)).status).toBe('canceled')
    expect((await invoices()).map(({ total }) => total)).toEqual([3100, -1600, 3100])
  })

  test('limits the prorations of a later change of items to the time before that date', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, customer, monthly, subscribed } = shop
    const made = await subscribed(await monthly(3100))
    await stripe.subscriptions.update(made.id, { cancel_at: middle })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 5 * day })
    const dear = (await monthly(6200)).id
    await stripe.subscriptions.update(made.id, { items: [{ id: firstItem(made).id, price: dear, quantity: 1 }] })
    const pending = (await stripe.invoiceItems.list({ customer, pending: true })).data
    // 10 of 31 days are left until the end: 10.00 of the old price are credited, 20.00 of the new one charged.
    expect(pending.map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([-1600, -1000, 2000])
  })

  test('makes a new subscription charge only the part of the period before that date', async () => {
    const shop = await customerShop(start)
    const { monthly, subscribed } = shop
    const price = await monthly(3100)
    const made = await subscribed(price, { cancel_at: middle })
    expect(firstItem(made).current_period_end).toBe(middle)
    expect(await lastInvoice(shop)).toMatchObject({ total: 1500 })
    await subscribed(price, { cancel_at: middle, proration_behavior: 'none' })
    expect(await lastInvoice(shop)).toMatchObject({ total: 3100 })
  })
})

describe('a cancellation date at the end of a period', () => {
  test('makes a later change that begins a new period credit the time after that date', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, monthly, subscribed, customer } = shop
    const { id } = await subscribed(await monthly(3100))
    await stripe.subscriptions.update(id, { cancel_at: end })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 10 * day })
    const moved = await stripe.subscriptions.update(id, { billing_cycle_anchor: { type: 'now' } })
    expect(firstItem(moved)).toMatchObject({ current_period_start: start + 10 * day, current_period_end: end })
    // 21 of 31 days are credited, the new period of 31 days is charged, and its last 10 days are credited.
    expect(await lastInvoice(shop)).toMatchObject({ total: 1000 })
    const pending = (await stripe.invoiceItems.list({ customer, pending: true })).data
    expect(pending.map(({ amount }) => amount)).toEqual([-1000])
  })
})

describe('a cancellation date within a later period', () => {
  test('makes the renewal charge only the part of the period before that date, whatever the proration behavior', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, monthly, subscribed, invoices } = shop
    const later = end + 14 * day
    const { id } = await subscribed(await monthly(2800), { cancel_at: later, proration_behavior: 'none' })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: end + day })
    const renewed = await stripe.subscriptions.retrieve(id)
    expect(firstItem(renewed)).toMatchObject({ current_period_start: end, current_period_end: later })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: later + day })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
    expect((await invoices()).map(({ total }) => total)).toEqual([2800, 1400])
  })

  test('prorates nothing if the date is the end of that period', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, monthly, subscribed, invoices } = shop
    const { id } = await subscribed(await monthly(2800))
    await stripe.subscriptions.update(id, { cancel_at: utc('2027-03-01T00:00:00') })
    for (const to of [end + day, utc('2027-03-01T12:00:00')])
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: to })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
    expect((await invoices()).map(({ total }) => total)).toEqual([2800, 2800])
  })
})

describe('a cancellation date of `min_period_end` or `max_period_end`', () => {
  test('is the earliest or the latest period end of the items, and prorates items with longer periods', async () => {
    const shop = await customerShop(start)
    const { stripe, customer, monthly, subscribed, product } = shop
    const base = await monthly(1000)
    const recurring = { interval: 'year' } as const
    const yearly = await stripe.prices.create({ currency: 'usd', product, recurring, unit_amount: 36_500 })
    const { id, items } = await subscribed(base, { items: [{ price: base.id }, { price: yearly.id }] })
    const last = Math.max(...items.data.map((item) => item.current_period_end))
    const first = await stripe.subscriptions.update(id, { cancel_at: 'min_period_end' })
    expect(first.cancel_at).toBe(end)
    expect(first.items.data.map((item) => item.current_period_end)).toEqual([end, end])
    const pending = (await stripe.invoiceItems.list({ customer, pending: true })).data
    expect(pending.map(({ amount }) => amount)).toEqual([-33_400])
    expect((await stripe.subscriptions.update(id, { cancel_at: 'max_period_end' })).cancel_at).toBe(last)
  })
})
