import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { contractVersion } from '../../support/stripe-contract.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('events of the sandbox:', () => {
  test('each change creates an event with the object and the id of the request', async ({
    sandbox: { stripe, clock },
  }) => {
    const product = await stripe.products.create({ name: 'P' }, { idempotencyKey: 'key-1' })
    const [event] = (await stripe.events.list()).data
    expect(event).toMatchObject({
      object: 'event',
      type: 'product.created',
      api_version: contractVersion,
      created: Math.floor(clock.now() / 1000),
      livemode: false,
      request: { id: product.lastResponse.requestId, idempotency_key: 'key-1' },
    })
    expect(event?.data.object).toMatchObject({ id: product.id, name: 'P' })
    expect(await stripe.events.retrieve(event?.id ?? '')).toMatchObject({ id: event?.id })
  })

  test('the event of an update contains the previous values, and of metadata only the changed keys', async ({
    sandbox: { stripe },
  }) => {
    const { id } = await stripe.products.create({ name: 'P', metadata: { a: '1', b: '2' } })
    await stripe.products.update(id, { description: 'd', metadata: { a: 'x', b: '', c: '3' } })
    const [event] = (await stripe.events.list({ type: 'product.updated' })).data
    expect(event?.data.previous_attributes).toEqual({ description: null, metadata: { a: '1', b: '2', c: null } })
  })

  test('a refused request creates no event', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.products.create({ id: 'p', name: 'P' })
    await expect(stripe.products.create({ id, name: 'P' })).rejects.toThrow()
    expect((await stripe.events.list()).data).toHaveLength(1)
  })

  test('if the price of a new product is refused, neither the product nor its event is kept', async ({
    sandbox: { stripe },
  }) => {
    const params = { currency: 'usd', unit_amount: 1, lookup_key: 'k' }
    await stripe.prices.create({ ...params, product_data: { name: 'one' } })
    await expect(stripe.prices.create({ ...params, product_data: { name: 'two' } })).rejects.toThrow(/lookup key/)
    expect((await stripe.products.list()).data.map((product) => product.name)).toEqual(['one'])
    expect((await stripe.events.list()).data).toHaveLength(2)
  })

  test('the list of events can be filtered by type, types, pattern and time', async ({
    sandbox: { stripe, clock },
  }) => {
    const { id } = await stripe.products.create({ name: 'P' })
    await stripe.prices.create({ product: id, currency: 'usd', unit_amount: 1 })
    clock.advance(60_000)
    await stripe.products.update(id, { name: 'Q' })
    const types = async (params: Parameters<typeof stripe.events.list>[0]): Promise<string[]> =>
      (await stripe.events.list(params)).data.map((event) => event.type)
    expect(await types({ type: 'price.created' })).toEqual(['price.created'])
    expect(await types({ types: ['price.created', 'product.updated'] })).toEqual(['product.updated', 'price.created'])
    expect(await types({ type: 'product.*' })).toEqual(['product.updated', 'product.created'])
    expect(await types({ created: { gte: Math.floor(clock.now() / 1000) } })).toEqual(['product.updated'])
    expect(await types({ delivery_success: false })).toEqual([])
    expect(await refusal(stripe.events.list({ type: 'a', types: ['b'] }))).toMatchObject({
      message: 'You may only specify one of these parameters: type, types.',
    })
  })
})
