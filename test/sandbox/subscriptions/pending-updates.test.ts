import { describe, expect, test } from 'vitest'
import type Stripe from 'stripe'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, firstItem, utc, type CustomerShop } from '../customers/customer-shop.ts'

const january = utc('2027-01-01T00:00:00')

/** A subscription of 10.00, whose customer's card is declined from now on, and its update to 31.00 with `pending_if_incomplete`. */
async function unpaidUpdate() {
  const shop = await customerShop(january)
  const { stripe, customer, subscribed, monthly } = shop
  const made = await subscribed(await monthly(1000))
  const dear = await monthly(4100)
  const { id: bad } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: bad } })
  const update = { items: [{ id: firstItem(made).id, price: dear.id, quantity: 1 }] }
  const params = { ...update, proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const
  const updated = await stripe.subscriptions.update(made.id, { ...params, expand: ['latest_invoice'] })
  return { shop, made, dear, update, updated, invoice: updated.latest_invoice as Stripe.Invoice }
}

const read = ({ stripe }: CustomerShop, id: string) => stripe.subscriptions.retrieve(id)

describe('a subscription update with pending_if_incomplete', () => {
  test('leaves the subscription unchanged if its invoice is not paid', async () => {
    const { made, dear, updated, invoice } = await unpaidUpdate()
    expect(updated).toMatchObject({
      status: 'active',
      items: { data: [{ price: { unit_amount: 1000 } }] },
      pending_update: { expires_at: january + 23 * 3600, subscription_items: [{ price: { id: dear.id } }] },
    })
    expect(firstItem(updated)).toEqual(firstItem(made))
    expect(invoice).toMatchObject({ status: 'open', total: 3100, next_payment_attempt: null })
  })

  test('takes effect when its open invoice is paid', async () => {
    const { shop, made, dear, invoice } = await unpaidUpdate()
    const { stripe, customer } = shop
    const { id: good } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    await stripe.invoices.pay(invoice.id, { payment_method: good })
    const after = await read(shop, made.id)
    expect(after).toMatchObject({ status: 'active', pending_update: null })
    expect(firstItem(after).price.id).toBe(dear.id)
    const events = await stripe.events.list({ type: 'customer.subscription.pending_update_applied' })
    expect(events.data).toHaveLength(1)
  })

  test('adds and removes items only after its invoice is paid', async () => {
    const { shop, made } = await unpaidUpdate()
    const { stripe, customer } = shop
    await stripe.invoices.voidInvoice((await read(shop, made.id)).latest_invoice as string)
    const [other, third] = [await shop.monthly(500), await shop.monthly(700)]
    const updated = await stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, deleted: true }, { price: other.id }, { price: third.id }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    })
    // Two new items of 12.00 in all, less the old one of 10.00.
    expect(await stripe.invoices.retrieve(updated.latest_invoice as string)).toMatchObject({
      total: 200,
      status: 'open',
    })
    expect(updated.items.data.map(({ id }) => id)).toEqual([firstItem(made).id])
    const { id: good } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    await stripe.invoices.pay(updated.latest_invoice as string, { payment_method: good })
    const after = await read(shop, made.id)
    expect(after.items.data.map(({ price }) => price.unit_amount)).toEqual([500, 700])
  })

  test('is discarded when its invoice is voided, or after 23 hours', async () => {
    const voided = await unpaidUpdate()
    await voided.shop.stripe.invoices.voidInvoice(voided.invoice.id)
    expect(await read(voided.shop, voided.made.id)).toMatchObject({ pending_update: null, status: 'active' })
    const late = await unpaidUpdate()
    const { stripe, clockId } = late.shop
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: january + 24 * 3600 })
    const after = await read(late.shop, late.made.id)
    expect([after.pending_update, firstItem(after).price.unit_amount]).toEqual([null, 1000])
    expect(await stripe.invoices.retrieve(late.invoice.id)).toMatchObject({ status: 'void' })
  })

  test('takes effect immediately, like any other update, if its invoice is paid immediately', async () => {
    const shop = await customerShop(january)
    const made = await shop.subscribed(await shop.monthly(1000))
    const dear = await shop.monthly(4100)
    const after = await shop.stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, price: dear.id }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    })
    expect([after.pending_update, firstItem(after).price.id]).toEqual([null, dear.id])
  })

  test('is refused together with parameters that Stripe does not allow beside it, and for customers who pay by invoice', async () => {
    const shop = await customerShop(january)
    const made = await shop.subscribed(await shop.monthly(1000))
    const behavior = { payment_behavior: 'pending_if_incomplete' } as const
    expect(await refusal(shop.stripe.subscriptions.update(made.id, { ...behavior, description: 'x' }))).toMatchObject({
      param: 'description',
    })
    const mailed = await shop.subscribed(await shop.monthly(900), {
      collection_method: 'send_invoice',
      days_until_due: 7,
    })
    expect(await refusal(shop.stripe.subscriptions.update(mailed.id, behavior))).toMatchObject({
      param: 'payment_behavior',
    })
  })
})

describe('a preview of a subscription change', () => {
  test('in the mode `recurring` contains neither prorations nor the invoice of the change itself', async () => {
    const shop = await customerShop(january)
    const made = await shop.subscribed(await shop.monthly(1000))
    const dear = await shop.monthly(4100)
    const preview = await shop.stripe.invoices.createPreview({
      subscription: made.id,
      preview_mode: 'recurring',
      subscription_details: { items: [{ id: firstItem(made).id, price: dear.id }], proration_behavior: 'none' },
    })
    expect(preview).toMatchObject({ total: 4100, lines: { data: [{ amount: 4100 }] } })
  })
})
