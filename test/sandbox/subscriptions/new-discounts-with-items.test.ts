import { expect, test } from 'vitest'
import { customerShop, day, utc } from '../customers/customer-shop.ts'

const april = utc('2027-04-01T00:00:00')

test.each(['classic', 'flexible'] as const)(
  'a discount that is added together with new items does not reduce the credit for the earlier items (%s)',
  async (type) => {
    const shop = await customerShop(april)
    const { stripe, subscribed, monthly } = shop
    const kept = await stripe.coupons.create({ percent_off: 20, duration: 'forever' })
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    const made = await subscribed(await monthly(1000), { billing_mode: { type }, discounts: [{ coupon: kept.id }] })
    await stripe.testHelpers.testClocks.advance(shop.clockId, { frozen_time: april + 15 * day })
    const change = {
      items: [{ id: made.items.data[0]?.id ?? '', price: (await monthly(2000)).id }],
      proration_behavior: 'always_invoice' as const,
    }
    const discounts = [{ coupon: coupon.id }]
    const after = await stripe.subscriptions.update(made.id, { ...change, discounts, expand: ['latest_invoice'] })
    const invoice = after.latest_invoice
    if (invoice === null || typeof invoice === 'string') throw new Error('no invoice')
    // Half a period: the old item had cost 8.00 for the whole period, the new one costs 10.00.
    expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-400, 500])
  },
)
