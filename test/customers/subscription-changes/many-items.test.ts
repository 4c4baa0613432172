// Stripe keeps at most 20 items in a subscription, and 500 characters in a metadata value, which have space for about 14 items.
import { expect, onTestFinished, test } from 'vitest'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'

const ids = Array.from({ length: 20 }, (_, index) => `extra_${String(index)}`)

test('a scheduled change of all items of a subscription can be undone', async () => {
  const shop = await startChangingShop(
    {},
    planDocument('1.0.0', ({ products }) => {
      const terms = { amount: 600, currency: 'usd', interval: 'month' } as const
      products.push(...ids.map((id) => ({ id, name: id, prices: [{ id, ...terms }] })))
    }),
  )
  onTestFinished(() => shop.close())
  const quantities = async (subscription: string) => {
    const { data } = await shop.stripe.subscriptionItems.list({ subscription, limit: 100 })
    return data.map(({ quantity }) => quantity)
  }
  const before = Object.fromEntries(ids.map((id) => [id, 7]))
  const buyer = await shop.subscriber('many', before)
  const fewer = { items: ids.map((price_id) => ({ price_id, quantity: 1 })), replaces: ids[0] }
  expect(await buyer.change(fewer)).toMatchObject({ status: 'scheduled' })
  const { schedule } = await buyer.live()
  const { metadata } = await shop.stripe.subscriptionSchedules.retrieve(schedule as string)
  expect(Object.values(metadata ?? {}).join('').length).toBeGreaterThan(1000)
  expect(await buyer.ask('resume')).toMatchObject({ scheduled: null })
  await buyer.pass(31)
  expect(await quantities(buyer.subscription)).toEqual(ids.map(() => 7))

  // A shorter change in the same schedule leaves nothing of a longer one.
  await buyer.change(fewer)
  await buyer.change({ items: ids.slice(0, 3).map((price_id) => ({ price_id, quantity: 2 })), replaces: ids[0] })
  expect(await buyer.ask('resume')).toMatchObject({ scheduled: null })
  await buyer.pass(31)
  expect(await quantities(buyer.subscription)).toEqual(ids.map(() => 7))
})
