import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { shop, shopTest as test } from '../shop.ts'

describe('updates of prices in the sandbox:', () => {
  test('an archived price keeps its lookup key', async ({ shop: { price, stripe } }) => {
    const holder = await price({ unit_amount: 1, lookup_key: 'pro' })
    await stripe.prices.update(holder.id, { active: false })
    expect(await refusal(price({ unit_amount: 2, lookup_key: 'pro' }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: undefined,
      param: 'lookup_key',
      message: `A price (\`${holder.id}\`) already uses that lookup key.`,
    })
  })

  test('a lookup key that is transferred to another price is removed from its former price, which stays active', async ({
    shop: { price, stripe },
  }) => {
    const holder = await price({ unit_amount: 1, lookup_key: 'pro' })
    const taker = await price({ unit_amount: 2, lookup_key: 'pro', transfer_lookup_key: true })
    expect(taker.lookup_key).toBe('pro')
    expect(await stripe.prices.retrieve(holder.id)).toMatchObject({ lookup_key: null, active: true })
    const updates = (await stripe.events.list({ type: 'price.updated' })).data
    expect(updates.map((event) => event.data.previous_attributes)).toEqual([{ lookup_key: 'pro' }])
    await stripe.prices.update(holder.id, { lookup_key: 'pro', transfer_lookup_key: true })
    expect(await stripe.prices.retrieve(taker.id)).toMatchObject({ lookup_key: null })
  })

  test('an update may contain the lookup key that the price already has', async ({ shop: { price, stripe } }) => {
    const { id } = await price({ unit_amount: 1, lookup_key: 'pro' })
    expect(await stripe.prices.update(id, { lookup_key: 'pro' })).toMatchObject({ lookup_key: 'pro' })
  })

  test.each(['unit_amount', 'currency', 'product', 'recurring', 'tiers', 'billing_scheme', 'tiers_mode'])(
    'the field %s of a price cannot be changed',
    async (param) => {
      const { price, stripe } = await shop()
      const { id } = await price()
      expect(await refusal(stripe.prices.update(id, { [param]: '5' }))).toMatchObject({
        code: 'parameter_unknown',
        param,
        message: `Received unknown parameter: ${param}`,
      })
    },
  )

  test('nickname, lookup key, state and metadata of a price can be changed', async ({ shop: { price, stripe } }) => {
    const { id } = await price({ unit_amount: 1, metadata: { a: '1', b: '2' } })
    const change = { nickname: 'n', lookup_key: 'k', active: false, metadata: { b: '', c: '3' } }
    expect(await stripe.prices.update(id, change)).toMatchObject({ nickname: 'n', lookup_key: 'k', active: false })
    expect((await stripe.prices.retrieve(id)).metadata).toEqual({ a: '1', c: '3' })
    expect(await stripe.prices.update(id, { active: true })).toMatchObject({ active: true })
  })

  test('the tax behavior of a price can be set only once', async ({ shop: { price, stripe } }) => {
    const { id } = await price()
    expect(await stripe.prices.update(id, { tax_behavior: 'inclusive' })).toMatchObject({ tax_behavior: 'inclusive' })
    expect(await refusal(stripe.prices.update(id, { tax_behavior: 'exclusive' }))).toMatchObject({
      param: 'tax_behavior',
      message: 'Once `tax_behavior` is set to `inclusive` or `exclusive`, it cannot be changed.',
    })
    await stripe.prices.update(id, { tax_behavior: 'inclusive' })
  })

  test('a price cannot be archived while it is the default price of its product', async ({ shop }) => {
    const { price, product, stripe } = shop
    const { id } = await price()
    await stripe.products.update(product, { default_price: id })
    expect(await refusal(stripe.prices.update(id, { active: false }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: undefined,
      param: undefined,
      message: 'This price cannot be archived because it is the default price of its product.',
    })
    await stripe.products.update(product, { default_price: (await price()).id })
    expect(await stripe.prices.update(id, { active: false })).toMatchObject({ active: false })
  })

  test('a request for an unknown price gets a 404 that names the price', async ({ shop: { stripe } }) => {
    for (const call of [stripe.prices.retrieve('price_nope'), stripe.prices.update('price_nope', { active: false })]) {
      expect(await refusal(call)).toEqual({
        status: 404,
        type: 'invalid_request_error',
        code: 'resource_missing',
        param: 'price',
        message: "No such price: 'price_nope'",
      })
    }
  })

  test('the list of prices can be filtered by state, product, lookup keys, currency, type and recurrence', async ({
    shop,
  }) => {
    const { price, stripe, product } = shop
    const one = await price({ unit_amount: 1, lookup_key: 'k1' })
    const two = await price({ unit_amount: 2, currency: 'eur', recurring: { interval: 'year' }, active: false })
    const ids = async (params: Stripe.PriceListParams): Promise<string[]> =>
      (await stripe.prices.list(params)).data.map((found) => found.id)
    expect(await ids({})).toEqual([two.id, one.id])
    expect(await ids({ active: true })).toEqual([one.id])
    expect(await ids({ active: false, product })).toEqual([two.id])
    expect(await ids({ lookup_keys: ['k1', 'nope'] })).toEqual([one.id])
    expect(await ids({ currency: 'eur' })).toEqual([two.id])
    expect(await ids({ type: 'recurring' })).toEqual([two.id])
    expect(await ids({ recurring: { interval: 'year', usage_type: 'licensed' } })).toEqual([two.id])
    expect(await ids({ recurring: { interval: 'month' } })).toEqual([])
    expect(await refusal(stripe.prices.list({ product: 'prod_nope' }))).toMatchObject({
      status: 400,
      message: "No such product: 'prod_nope'",
    })
    const keys = Array.from({ length: 11 }, (_, index) => `k${index}`)
    expect(await refusal(stripe.prices.list({ lookup_keys: keys }))).toMatchObject({
      message: 'Array lookup_keys exceeded maximum 10 allowed elements.',
    })
  })

  test('a price cannot be deleted', async () => {
    const { url, apiKey } = await sandboxForTest()
    const reply = await fetch(`${url}/v1/prices/price_1`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${apiKey}` },
    })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({
      error: { message: expect.stringContaining('Unrecognized request URL (DELETE: /v1/prices/price_1)') as string },
    })
  })
})
