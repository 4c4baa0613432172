import { describe, expect, test } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day } from '../customers/customer-shop.ts'

describe('balance transactions of the sandbox', () => {
  test('exist for a charge and for its refund, and can be expanded', async () => {
    const { stripe, clock, subscribed, monthly } = await customerShop()
    await subscribed(await monthly(900))
    const [charge] = (await stripe.charges.list({ expand: ['data.balance_transaction'] })).data
    const made = Math.floor(clock.now() / 1000)
    expect(charge?.balance_transaction).toMatchObject({
      object: 'balance_transaction',
      amount: 900,
      available_on: made + 2 * day,
      fee: 0,
      net: 900,
      reporting_category: 'charge',
      source: charge?.id,
      status: 'pending',
      type: 'charge',
    })
    const refund = await stripe.refunds.create({ charge: charge?.id ?? '', amount: 400 })
    expect((await stripe.balanceTransactions.list({ source: refund.id })).data).toMatchObject([
      { id: refund.balance_transaction, amount: -400, net: -400, type: 'refund', status: 'available' },
    ])
    expect((await stripe.balanceTransactions.list({ type: 'charge' })).data).toHaveLength(1)
    clock.advance(3 * day * 1000)
    const [later] = (await stripe.balanceTransactions.list({ type: 'charge', currency: 'usd' })).data
    expect(later).toMatchObject({ status: 'available' })
    expect(await stripe.balanceTransactions.retrieve(later?.id ?? '')).toEqual(later)
  })

  test('do not exist for a failed charge', async () => {
    const { stripe } = await customerShop()
    const failed = await refusal(
      stripe.paymentIntents.create({
        amount: 1000,
        currency: 'usd',
        payment_method: 'pm_card_chargeDeclined',
        confirm: true,
        return_url: 'https://shop.example/done',
      }),
    )
    expect(failed.status).toBe(402)
    expect((await stripe.charges.list()).data).toMatchObject([{ status: 'failed', balance_transaction: null }])
    expect((await stripe.balanceTransactions.list()).data).toEqual([])
    expect(await refusal(stripe.balanceTransactions.retrieve('txn_none'))).toMatchObject({
      status: 404,
      code: 'resource_missing',
    })
  })
})

describe('invoice payments of the sandbox', () => {
  test('are retrieved by id, and listed for all invoices, for one payment intent, or for a time range', async () => {
    const { stripe, clock, subscribed, monthly } = await customerShop()
    await subscribed(await monthly(900))
    await subscribed(await monthly(1800))
    const all = (await stripe.invoicePayments.list()).data
    expect(all.map(({ amount_paid }) => amount_paid)).toEqual([1800, 900])
    const [last] = all
    if (last === undefined) throw new Error('no payment')
    const intent = idOf(last.payment.payment_intent)
    const payment = { type: 'payment_intent' as const, payment_intent: intent }
    expect((await stripe.invoicePayments.list({ payment })).data).toEqual([last])
    const future = Math.floor(clock.now() / 1000) + 1
    expect((await stripe.invoicePayments.list({ created: { gte: future } })).data).toEqual([])
    expect(await stripe.invoicePayments.retrieve(last.id)).toEqual(last)
    const expanded = await stripe.invoicePayments.retrieve(last.id, {
      expand: ['invoice', 'payment.payment_intent.latest_charge'],
    })
    expect(expanded).toMatchObject({
      invoice: { object: 'invoice', total: 1800 },
      payment: { payment_intent: { id: intent, latest_charge: { object: 'charge', amount: 1800 } } },
    })
    expect(await refusal(stripe.invoicePayments.retrieve('inpay_none'))).toMatchObject({
      status: 404,
      code: 'resource_missing',
    })
  })
})
