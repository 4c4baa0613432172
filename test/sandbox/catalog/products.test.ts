import { describe, expect } from 'vitest'
import { sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('products of the sandbox:', () => {
  test('a new product has the default values of the real API', async ({ sandbox: { stripe, clock } }) => {
    const product = await stripe.products.create({ name: 'Solo' })
    const now = Math.floor(clock.now() / 1000)
    expect(product).toMatchObject({
      object: 'product',
      active: true,
      created: now,
      updated: now,
      default_price: null,
      description: null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: {},
      shippable: null,
      type: 'service',
      url: null,
    })
    expect(product.id).toMatch(/^prod_[A-Za-z0-9]{14}$/)
  })

  test('each parameter of a new product is returned', async ({ sandbox: { stripe } }) => {
    const given = {
      id: 'full',
      name: 'Full',
      active: false,
      description: 'd',
      images: ['https://example.test/i.png'],
      marketing_features: [{ name: 'one' }, { name: 'two' }],
      metadata: { k: 'v' },
      package_dimensions: { height: 1.5, length: 2, weight: 3, width: 4 },
      shippable: true,
      statement_descriptor: 'FULL DESC',
      tax_code: 'txcd_10103000',
      type: 'good' as const,
      unit_label: 'seat',
      url: 'https://example.test/full',
    }
    await stripe.products.create(given)
    expect(await stripe.products.retrieve('full')).toMatchObject(given)
  })

  test('the id of an archived product cannot be used for a new product', async ({ sandbox: { stripe } }) => {
    await stripe.products.create({ id: 'solo', name: 'Solo' })
    await stripe.products.update('solo', { active: false })
    expect(await refusal(stripe.products.create({ id: 'solo', name: 'Again' }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: 'resource_already_exists',
      param: 'id',
      message: 'Product already exists.',
    })
  })

  test('the error about a missing name contains the parameter `name`', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.products.create({} as never))).toMatchObject({
      status: 400,
      code: 'parameter_missing',
      param: 'name',
      message: 'Missing required param: name.',
    })
  })

  test('a field that cannot be updated is refused as an unknown parameter', async ({ sandbox: { stripe } }) => {
    await stripe.products.create({ id: 'solo', name: 'Solo' })
    for (const [param, value] of [
      ['id', 'other'],
      ['type', 'good'],
    ] as const) {
      expect(await refusal(stripe.products.update('solo', { [param]: value }))).toMatchObject({
        status: 400,
        code: 'parameter_unknown',
        param,
        message: `Received unknown parameter: ${param}`,
      })
    }
  })

  test('several unknown parameters are all named in one error', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.products.create({ name: 'x', foo: 1, bar: 2 } as never))).toMatchObject({
      message: 'Received unknown parameters: foo, bar',
    })
  })

  test('a text that is longer than Stripe allows is refused', async ({ sandbox: { stripe } }) => {
    const label = await refusal(stripe.products.create({ name: 'x', unit_label: 'thirteen long' }))
    expect(label).toMatchObject({
      param: 'unit_label',
      message: 'Invalid string: thirteen long; must be at most 12 characters',
    })
    const descriptor = await refusal(stripe.products.create({ name: 'x', statement_descriptor: 'A'.repeat(23) }))
    expect(descriptor).toMatchObject({ param: 'statement_descriptor' })
    const name = await refusal(stripe.products.create({ name: 'n'.repeat(5001) }))
    expect(name).toMatchObject({ param: 'name' })
    await stripe.products.create({ name: 'n'.repeat(5000), description: 'd'.repeat(40_000) })
  })

  test('an empty text clears an optional field and is refused for a required field', async ({
    sandbox: { stripe },
  }) => {
    await stripe.products.create({ id: 'solo', name: 'Solo', description: 'd', unit_label: 'seat' })
    expect(await stripe.products.update('solo', { description: '', unit_label: '' })).toMatchObject({
      description: null,
      unit_label: null,
    })
    expect(await refusal(stripe.products.update('solo', { name: '' }))).toMatchObject({
      code: 'parameter_invalid_empty',
      param: 'name',
      message:
        "You passed an empty string for 'name'. We assume empty values are an attempt to unset a parameter; " +
        "however 'name' cannot be unset. You should remove 'name' from your request or supply a non-empty value.",
    })
  })

  test('an update that changes no value does not change `updated`, and emits no event', async ({ sandbox }) => {
    const { stripe, clock } = sandbox
    const product = await stripe.products.create({ name: 'Solo' })
    clock.advance(5000)
    expect(await stripe.products.update(product.id, { name: 'Solo' })).toMatchObject({ updated: product.updated })
    expect((await stripe.events.list({ type: 'product.updated' })).data).toEqual([])
    const later = await stripe.products.update(product.id, { name: 'Solo 2' })
    expect(later.updated).toBe(product.updated + 5)
  })

  test('archived products keep their prices active', async ({ sandbox: { stripe } }) => {
    const product = await stripe.products.create({ name: 'Solo' })
    const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 100 })
    expect(await stripe.products.update(product.id, { active: false })).toMatchObject({ active: false })
    expect(await stripe.prices.retrieve(price.id)).toMatchObject({ active: true })
  })

  test('a product with prices cannot be deleted', async ({ sandbox: { stripe } }) => {
    const product = await stripe.products.create({ name: 'Solo' })
    await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 100 })
    expect(await refusal(stripe.products.del(product.id))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: undefined,
      param: undefined,
      message: 'This product cannot be deleted because it has one or more user-created prices.',
    })
    expect(await stripe.products.retrieve(product.id)).toMatchObject({ id: product.id })
  })

  test('a deleted product returns 404, its event shows it as inactive, and its id can be used again', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    await stripe.products.create({ id: 'gone', name: 'Gone' })
    expect(await stripe.products.del('gone')).toEqual({ id: 'gone', object: 'product', deleted: true })
    expect(await refusal(stripe.products.retrieve('gone'))).toMatchObject({
      status: 404,
      code: 'resource_missing',
      param: 'id',
      message: "No such product: 'gone'",
    })
    const [event] = (await stripe.events.list({ type: 'product.deleted' })).data
    expect(event?.data.object).toMatchObject({ id: 'gone', active: false })
    expect(await stripe.products.create({ id: 'gone', name: 'Back' })).toMatchObject({ name: 'Back' })
    expect((await stripe.products.list()).data).toHaveLength(1)
  })

  test('a default price must exist, be active and belong to the product', async ({ sandbox: { stripe } }) => {
    const [one, two] = [await stripe.products.create({ name: 'one' }), await stripe.products.create({ name: 'two' })]
    const foreign = await stripe.prices.create({ product: two.id, currency: 'usd', unit_amount: 100 })
    const archived = await stripe.prices.create({ product: one.id, currency: 'usd', unit_amount: 100, active: false })
    expect(await refusal(stripe.products.update(one.id, { default_price: 'price_nope' }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
      param: 'default_price',
      message: "No such price: 'price_nope'",
    })
    expect(await refusal(stripe.products.update(one.id, { default_price: foreign.id }))).toMatchObject({
      status: 400,
      param: 'default_price',
    })
    expect(await refusal(stripe.products.update(one.id, { default_price: archived.id }))).toMatchObject({
      message: 'The price specified is inactive. This field only accepts active prices.',
    })
  })

  test('a product can be archived and lose its default price in one request', async ({ sandbox: { stripe } }) => {
    const product = await stripe.products.create({
      name: 'Solo',
      default_price_data: { currency: 'eur', unit_amount: 900, recurring: { interval: 'month' } },
    })
    expect(await stripe.products.update(product.id, { active: false, default_price: '' })).toMatchObject({
      active: false,
      default_price: null,
    })
  })

  test('a product that is created with a price emits product.created first, with the price’s id, and then price.created', async () => {
    const { stripe } = await sandboxForTest()
    const product = await stripe.products.create({
      name: 'Solo',
      default_price_data: { currency: 'eur', unit_amount: 900 },
      expand: ['default_price'],
    })
    expect(product.default_price).toMatchObject({ object: 'price', unit_amount: 900, product: product.id })
    const events = (await stripe.events.list()).data
    expect(events.map((event) => event.type)).toEqual(['price.created', 'product.created'])
    const priceId = typeof product.default_price === 'object' ? product.default_price?.id : ''
    expect(events[1]?.data.object).toMatchObject({ default_price: priceId })
  })

  test('the list of products can be filtered by state, ids, url, type and time', async ({
    sandbox: { stripe, clock },
  }) => {
    await stripe.products.create({ id: 'a', name: 'a', shippable: true, url: 'https://example.test/a', type: 'good' })
    clock.advance(60_000)
    await stripe.products.create({ id: 'b', name: 'b', active: false })
    const ids = async (params: Parameters<typeof stripe.products.list>[0]): Promise<string[]> =>
      (await stripe.products.list(params)).data.map((product) => product.id)
    expect(await ids({})).toEqual(['b', 'a'])
    expect(await ids({ active: true })).toEqual(['a'])
    expect(await ids({ active: false })).toEqual(['b'])
    expect(await ids({ ids: ['a', 'nope'] })).toEqual(['a'])
    expect(await ids({ shippable: true })).toEqual(['a'])
    expect(await ids({ url: 'https://example.test/a' })).toEqual(['a'])
    expect(await ids({ type: 'service' })).toEqual(['b'])
    const now = Math.floor(clock.now() / 1000)
    expect(await ids({ created: { gte: now } })).toEqual(['b'])
    expect(await ids({ created: { lt: now } })).toEqual(['a'])
    expect(await ids({ created: now })).toEqual(['b'])
  })

  test('an invalid enum value is refused with the list of allowed values', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.products.create({ name: 'x', type: 'thing' }))).toMatchObject({
      param: 'type',
      message: 'Invalid type: must be one of good or service',
    })
  })
})
