import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

/** Ids of `count` new products, newest first. */
async function fill(stripe: Stripe, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push((await stripe.products.create({ name: `p${index}` })).id)
  return ids.reverse()
}

const idsOf = (list: { readonly data: readonly { readonly id: string }[] }): string[] =>
  list.data.map((item) => item.id)

describe('lists of the sandbox:', () => {
  test('a list returns ten objects, newest first, by default', async ({ sandbox: { stripe } }) => {
    const ids = await fill(stripe, 12)
    const list = await stripe.products.list()
    expect(list).toMatchObject({ object: 'list', has_more: true, url: '/v1/products' })
    expect(idsOf(list)).toEqual(ids.slice(0, 10))
  })

  test('a limit outside of 1–100 is clamped to that range, and not refused', async ({ sandbox: { stripe } }) => {
    const ids = await fill(stripe, 103)
    expect((await stripe.products.list({ limit: 0 })).data).toHaveLength(1)
    const most = await stripe.products.list({ limit: 1000 })
    expect(most.data).toHaveLength(100)
    expect(most.has_more).toBe(true)
    expect(await refusal(stripe.products.list({ limit: 'many' as never }))).toMatchObject({
      param: 'limit',
      message: 'Invalid integer: many',
    })
    const walked: string[] = []
    for await (const product of stripe.products.list({ limit: 100 })) walked.push(product.id)
    expect(walked).toEqual(ids)
  })

  test('paging forward returns each object once and then ends', async ({ sandbox: { stripe } }) => {
    const ids = await fill(stripe, 7)
    const walked: string[] = []
    for await (const product of stripe.products.list({ limit: 3 })) walked.push(product.id)
    expect(walked).toEqual(ids)
    expect(await stripe.products.list({ limit: 7 })).toMatchObject({ has_more: false })
    expect(await stripe.products.list({ starting_after: ids.at(-1) ?? '' })).toMatchObject({
      data: [],
      has_more: false,
    })
  })

  test('paging backward returns the page directly before the cursor, newest first', async ({ sandbox: { stripe } }) => {
    const ids = await fill(stripe, 9)
    const page = await stripe.products.list({ ending_before: ids[6] ?? '', limit: 2 })
    expect(idsOf(page)).toEqual(ids.slice(4, 6))
    expect(page.has_more).toBe(true)
    const first = await stripe.products.list({ ending_before: ids[1] ?? '', limit: 2 })
    expect(idsOf(first)).toEqual(ids.slice(0, 1))
    expect(first.has_more).toBe(false)
  })

  test('an unknown cursor and two cursors together are refused', async ({ sandbox: { stripe } }) => {
    const [one = '', two = ''] = await fill(stripe, 2)
    expect(await refusal(stripe.products.list({ starting_after: 'prod_nope' }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
      param: 'starting_after',
      message: "No such product: 'prod_nope'",
    })
    expect(await refusal(stripe.products.list({ starting_after: one, ending_before: two }))).toMatchObject({
      message: 'Received both starting_after and ending_before parameters. Please pass in only one.',
    })
  })

  test('a cursor marks a position in the list, so the cursor’s object may be deleted or excluded by the filter', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    const [newest = '', middle = '', oldest = ''] = await fill(stripe, 3)
    await stripe.products.del(middle)
    expect(idsOf(await stripe.products.list({ starting_after: middle }))).toEqual([oldest])
    await stripe.products.update(newest, { active: false })
    expect(idsOf(await stripe.products.list({ starting_after: newest, active: true }))).toEqual([oldest])
  })

  test('an unknown filter is refused', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.webhookEndpoints.list({ status: 'enabled' } as never))).toMatchObject({
      code: 'parameter_unknown',
      message: 'Received unknown parameter: status',
    })
  })
})

describe('expand in the sandbox:', () => {
  test('references and fields that are hidden by default can be expanded along a path of up to four levels', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    await stripe.products.create({ id: 'p', name: 'P', default_price_data: { currency: 'usd', unit_amount: 1 } })
    const [price] = (await stripe.prices.list({ expand: ['data.product.default_price.currency_options'] })).data
    expect(price?.product).toMatchObject({
      object: 'product',
      id: 'p',
      default_price: { object: 'price', currency_options: { usd: { unit_amount: 1 } } },
    })
    expect(await refusal(stripe.products.retrieve('p', { expand: ['a.b.c.d.e'] }))).toMatchObject({
      message: 'You cannot expand more than 4 levels of a property. Property: a.b.c.d.e',
    })
  })

  test('the tiers of each currency can be expanded through currency_options', async ({ sandbox: { stripe } }) => {
    const { id: product } = await stripe.products.create({ name: 'P' })
    const tiers = [{ up_to: 'inf' as const, unit_amount: 5 }]
    const { id } = await stripe.prices.create({
      product,
      currency: 'usd',
      billing_scheme: 'tiered',
      tiers_mode: 'volume',
      recurring: { interval: 'month' },
      tiers,
      currency_options: { eur: { tiers } },
    })
    const plain = await stripe.prices.retrieve(id, { expand: ['currency_options'] })
    expect(plain.currency_options?.['eur']).not.toHaveProperty('tiers')
    const full = await stripe.prices.retrieve(id, { expand: ['currency_options.tiers'] })
    expect(full.currency_options?.['eur']?.tiers).toHaveLength(1)
    expect(full.currency_options?.['usd']?.tiers).toHaveLength(1)
    const one = await stripe.prices.retrieve(id, { expand: ['currency_options.eur.tiers'] })
    expect(one.currency_options?.['eur']?.tiers).toHaveLength(1)
    expect(one.currency_options?.['usd']).not.toHaveProperty('tiers')
  })

  test('an expansion of a field that cannot be expanded is refused, and for lists the error contains a hint', async ({
    sandbox: { stripe },
  }) => {
    expect(await refusal(stripe.products.create({ name: 'P', expand: ['name'] }))).toMatchObject({
      message: 'This property cannot be expanded (name).',
    })
    expect((await stripe.products.list()).data).toEqual([])
    expect(await refusal(stripe.prices.list({ expand: ['tiers'] }))).toMatchObject({
      message: "This property cannot be expanded (tiers). You may want to try expanding 'data.tiers' instead.",
    })
  })
})

describe('metadata in the sandbox:', () => {
  test('an update merges keys, an empty value removes its key, and empty metadata removes all keys', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    const { id } = await stripe.products.create({ name: 'P', metadata: { a: '1', b: '2', 0: 'zero' } })
    expect((await stripe.products.update(id, { metadata: { b: '', c: 3 } })).metadata).toEqual({
      0: 'zero',
      a: '1',
      c: '3',
    })
    expect((await stripe.products.update(id, { metadata: '' })).metadata).toEqual({})
  })

  test('more than 50 metadata keys, keys over 40 and values over 500 characters are refused', async ({
    sandbox: { stripe },
  }) => {
    const make = (metadata: Record<string, string>): Promise<unknown> => stripe.products.create({ name: 'P', metadata })
    expect(await refusal(make({ k: 'v'.repeat(501) }))).toMatchObject({
      param: 'metadata[k]',
      message: expect.stringMatching(
        /^Metadata values can have up to 500 characters, but you passed in a value that is 501/,
      ) as string,
    })
    expect(await refusal(make({ ['k'.repeat(41)]: 'v' }))).toMatchObject({
      message: expect.stringMatching(/^Metadata keys can have up to 40 characters/) as string,
    })
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'v']))
    const { id } = await stripe.products.create({ name: 'P', metadata: fifty })
    expect(await refusal(stripe.products.update(id, { metadata: { another: 'v' } }))).toMatchObject({
      param: 'metadata',
    })
    await stripe.products.update(id, { metadata: { k0: '', another: 'v' } })
  })

  test('any text can be a key, e.g. `constructor` or `toString`', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.products.create({ name: 'P', metadata: { constructor: 'c', toString: 't' } })
    expect((await stripe.products.retrieve(id)).metadata).toEqual({ constructor: 'c', toString: 't' })
  })
})
