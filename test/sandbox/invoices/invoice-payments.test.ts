import { describe, expect, test } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop } from '../customers/customer-shop.ts'

describe('payments of an invoice in the sandbox', () => {
  test('are returned if they are expanded, also in lists of invoices, and contain the payment intent', async () => {
    const { stripe, subscribed, monthly, customer } = await customerShop()
    await subscribed(await monthly(900))
    const [intent] = (await stripe.paymentIntents.list()).data
    const [plain] = (await stripe.invoices.list({ customer })).data
    expect(plain?.payments).toBeUndefined()
    const [invoice] = (await stripe.invoices.list({ customer, expand: ['data.payments'] })).data
    expect(invoice?.payments?.data).toMatchObject([
      {
        object: 'invoice_payment',
        amount_paid: 900,
        amount_requested: 900,
        status: 'paid',
        is_default: true,
        payment: { type: 'payment_intent', payment_intent: intent?.id },
      },
    ])
    const one = await stripe.invoices.retrieve(plain?.id ?? '', { expand: ['payments'] })
    expect(one.payments).toEqual(invoice?.payments)
  })

  test('can be listed by invoice and status', async () => {
    const { stripe, subscribed, monthly, invoices } = await customerShop()
    await subscribed(await monthly(900))
    const [invoice] = await invoices()
    const of = { invoice: invoice?.id ?? '' }
    expect((await stripe.invoicePayments.list(of)).data).toMatchObject([{ status: 'paid' }])
    expect((await stripe.invoicePayments.list({ ...of, status: 'open' })).data).toEqual([])
    expect(await refusal(stripe.invoicePayments.list({ invoice: 'in_none' }))).toMatchObject({
      code: 'resource_missing',
      param: 'invoice',
    })
  })
})

describe('a subscription in the sandbox', () => {
  test('contains its first ten items, and the list of its items contains all of them', async () => {
    const { stripe, subscribed, monthly } = await customerShop()
    const prices = []
    for (let index = 0; index < 12; index++) prices.push(await monthly(100 + index))
    const [first] = prices
    if (first === undefined) throw new Error('no price')
    const { id, items } = await subscribed(first, { items: prices.map((price) => ({ price: price.id })) })
    expect(items.data).toHaveLength(10)
    expect(items.has_more).toBe(true)
    const all = await stripe.subscriptionItems.list({ subscription: id, limit: 100 })
    expect(all.data).toHaveLength(12)
    const shown = await stripe.subscriptions.retrieve(id)
    expect(shown.items.data.map((item) => item.id)).toEqual(items.data.map((item) => item.id))
  })
})
