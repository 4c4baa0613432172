// Refunds, in full and in parts, never above the charged amount.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { idOf, sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'

const pay = (stripe: Stripe): Promise<Stripe.PaymentIntent> =>
  stripe.paymentIntents.create({ amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' })

test('a charge can be refunded in several parts until the whole amount is refunded', async ({
  sandbox: { stripe },
}) => {
  const intent = await pay(stripe)
  const charge = idOf(intent.latest_charge)
  const part = await stripe.refunds.create({ payment_intent: intent.id, amount: 300, reason: 'requested_by_customer' })
  expect(part).toMatchObject({
    ...{ object: 'refund', amount: 300, charge, payment_intent: intent.id, status: 'succeeded', currency: 'usd' },
    reason: 'requested_by_customer',
  })
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 300, refunded: false })
  await expect(stripe.refunds.create({ charge, amount: 701 })).rejects.toThrow(
    'Refund amount ($7.01) is greater than unrefunded amount on charge ($7.00)',
  )
  expect((await stripe.refunds.create({ charge })).amount).toBe(700)
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 1000, refunded: true })
  await expect(stripe.refunds.create({ charge })).rejects.toMatchObject({ code: 'charge_already_refunded' })
  expect((await stripe.refunds.list({ payment_intent: intent.id })).data.map(({ amount }) => amount)).toEqual([
    700, 300,
  ])
  const [last] = (await stripe.events.list({ type: 'charge.refunded', limit: 1 })).data
  expect(last?.data.previous_attributes).toEqual({ amount_refunded: 300, refunded: false })
  const types = (await stripe.events.list()).data.map(({ type }) => type).toReversed()
  expect(types.slice(-4)).toEqual(['refund.created', 'charge.refunded', 'refund.created', 'charge.refunded'])
})

test('a failed charge cannot be refunded', async ({ sandbox: { stripe } }) => {
  const open = await stripe.paymentIntents.create({ amount: 1000, currency: 'usd' })
  await expect(stripe.refunds.create({ payment_intent: open.id })).rejects.toThrow(
    `This PaymentIntent (${open.id}) does not have a successful charge to refund.`,
  )
  await expect(stripe.refunds.create({})).rejects.toThrow(/^One of the following params should be provided/)
  const declined = stripe.paymentIntents.confirm(open.id, { payment_method: 'pm_card_visa_chargeDeclined' })
  await expect(declined).rejects.toMatchObject({ code: 'card_declined' })
  const [failed] = (await stripe.charges.list({ payment_intent: open.id })).data
  await expect(stripe.refunds.create({ charge: failed?.id ?? '' })).rejects.toMatchObject({
    code: 'charge_not_refundable',
  })
})

test('an update of a refund emits refund.updated and charge.refund.updated; an unsupported refund is refused with the unsupported parameter', async () => {
  const { stripe } = await sandboxForTest()
  const intent = await pay(stripe)
  const { id } = await stripe.refunds.create({ payment_intent: intent.id })
  expect((await stripe.refunds.update(id, { metadata: { order: '7' } })).metadata).toEqual({ order: '7' })
  expect((await stripe.refunds.retrieve(id, { expand: ['charge'] })).charge).toMatchObject({ refunded: true })
  const events = (await stripe.events.list({ limit: 2 })).data
  expect(events.map(({ type, data }): unknown => [type, data.previous_attributes]).toReversed()).toEqual([
    ['refund.updated', { metadata: { order: null } }],
    ['charge.refund.updated', { metadata: { order: null } }],
  ])
  await expect(stripe.refunds.create({ payment_intent: intent.id, reverse_transfer: true })).rejects.toThrow(
    'The sandbox does not support the parameter `reverse_transfer`.',
  )
  await expect(stripe.refunds.cancel(id)).rejects.toThrow(`The sandbox does not support POST /v1/refunds/${id}/cancel.`)
})
