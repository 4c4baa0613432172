import { describe, expect, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)

const monthly = (amount: number, more: Partial<Price> = {}): Price => ({
  id: 'pro_monthly',
  amount,
  currency: 'usd',
  interval: 'month',
  default: true,
  ...more,
})
const shop = (price: Price, version = '1.0.0'): BillingConfig => ({
  version,
  products: [{ id: 'pro', name: 'Pro', prices: [price] }],
})

async function livePrices() {
  return (await stack.stripe.prices.list({ limit: 100 })).data
}

describe('a price whose amount was changed in the document:', () => {
  test('exactly one processor price is active per configuration id', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    await stack.service.push(shop(monthly(1500), '1.1.0'), nobody)
    await stack.service.push(shop(monthly(1500), '1.1.0'), nobody)
    const active = (await livePrices()).filter((price) => price.active)
    expect(active.map((price) => [price.lookup_key, price.unit_amount])).toEqual([['pro_monthly', 1500]])
    const archived = (await stack.stripe.prices.list({ active: false })).data
    expect(archived.map((price) => [price.lookup_key, price.unit_amount])).toEqual([[null, 1000]])
  })

  test('the default price of the product is replaced before the old price is archived', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    await stack.service.push(shop(monthly(1500), '1.1.0'), nobody)
    const product = await stack.stripe.products.retrieve('rc_pro', { expand: ['default_price'] })
    expect(product.default_price).toMatchObject({ unit_amount: 1500, active: true })
  })

  test('the lookup key is transferred by the same request that creates the new price', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    await stack.service.push(shop(monthly(1500), '1.1.0'), nobody)
    const creations = stack.sandbox.control
      .requests()
      .filter((entry) => entry.method === 'POST' && entry.path === '/v1/prices')
    expect(creations.map((entry) => entry.params)).toMatchObject([
      { lookup_key: 'pro_monthly' },
      { lookup_key: 'pro_monthly' },
    ])
    const keyed = (await stack.stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data
    expect(keyed.map((price) => price.unit_amount)).toEqual([1500])
  })

  test('a change back to the earlier amount reactivates the original processor price', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    const [first] = await livePrices()
    await stack.service.push(shop(monthly(1500), '1.1.0'), nobody)
    const back = await stack.service.push(shop(monthly(1000), '1.2.0'), nobody)
    expect(back.details.find((detail) => detail.kind === 'price')).toMatchObject({
      action: 'replace',
      processorIdAfter: first?.id,
    })
    expect((await livePrices()).filter((price) => price.active).map((price) => price.id)).toEqual([first?.id])
  })

  test('a price that changes from free to paid and back keeps its configuration id and its whole history', async () => {
    await stack.service.push(shop(monthly(0)), nobody)
    expect(await livePrices()).toEqual([])
    const paid = await stack.service.push(shop(monthly(900), '1.1.0'), nobody)
    expect(paid.changes.prices.updated).toEqual(['pro_monthly'])
    const [live] = await livePrices()
    expect(await stack.service.convert(live?.id ?? '', { hidden: false })).toMatchObject({
      configId: 'pro_monthly',
      historyCount: 2,
    })
    await stack.service.push(shop(monthly(0), '1.2.0'), nobody)
    expect((await livePrices()).filter((price) => price.active)).toEqual([])
    expect(await stack.service.convert('pro_monthly', { hidden: false })).toMatchObject({
      historyCount: 3,
      processorId: 'pro_monthly',
    })
  })

  test('a change of display hints, visibility or labels writes nothing at the processor', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    const before = stack.writes()
    const outcome = await stack.service.push(
      shop(monthly(1000, { ui: { display_name: 'Monthly' }, public: false }), '1.0.1'),
      nobody,
    )
    expect(outcome.changes.prices.updated).toEqual(['pro_monthly'])
    expect(outcome.writes).toBe(0)
    expect(stack.writes()).toBe(before)
  })

  test('a first change of tax behaviour updates the price in place, and a second change replaces the price', async () => {
    await stack.service.push(shop(monthly(1000)), nobody)
    const [first] = await livePrices()
    const once = await stack.service.push(shop(monthly(1000, { tax_included_in_price: true }), '1.0.1'), nobody)
    expect(once.details).toMatchObject([
      { action: 'update', because: ['tax_included_in_price'], processorIdAfter: first?.id },
    ])
    const twice = await stack.service.push(shop(monthly(1000, { tax_included_in_price: false }), '1.0.2'), nobody)
    expect(twice.details.find((detail) => detail.kind === 'price')?.action).toBe('replace')
  })

  test('an amount in a currency without decimals is not multiplied: 500 yen stay 500', async () => {
    const outcome = await stack.service.push(shop(monthly(500, { currency: 'jpy' })), nobody)
    expect(outcome.details.find((detail) => detail.kind === 'price')?.display.after).toContain('¥500')
    expect((await livePrices())[0]).toMatchObject({ unit_amount: 500, currency: 'jpy' })
  })
})
