import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import type { TestSandbox } from '../../support/sandbox.ts'
import { refusal } from '../../support/stripe-refusal.ts'

type Params = Partial<Stripe.PriceCreateParams>

interface Shop extends TestSandbox {
  readonly product: string
  /** A price of the product; 10 dollars once, unless said otherwise. */
  price(params?: Params): Promise<Stripe.Price>
}

async function shop(): Promise<Shop> {
  const sandbox = await sandboxForTest()
  const product = (await sandbox.stripe.products.create({ name: 'P' })).id
  return {
    ...sandbox,
    product,
    price: (params = { unit_amount: 1000 }) => sandbox.stripe.prices.create({ currency: 'usd', product, ...params }),
  }
}

/** The SDK's types ask for its own decimal class; on the wire and at run time a text is as good. */
function decimal(text: string): Stripe.Decimal {
  return text as unknown as Stripe.Decimal
}

const monthly = { interval: 'month' } as const
const tiered = { billing_scheme: 'tiered', tiers_mode: 'graduated', recurring: monthly } as const

describe('prices of the sandbox', () => {
  test('a one-time price has the defaults of the real API', async () => {
    const { price, product } = await shop()
    const made = await price()
    expect(made).toMatchObject({
      object: 'price',
      type: 'one_time',
      billing_scheme: 'per_unit',
      active: true,
      recurring: null,
      tax_behavior: 'unspecified',
      unit_amount: 1000,
      lookup_key: null,
      product,
      livemode: false,
    })
    expect(String(made.unit_amount_decimal)).toBe('1000')
    expect(made).not.toHaveProperty('tiers')
    expect(made).not.toHaveProperty('currency_options')
  })

  test('a recurring price counts one interval and is licensed unless said otherwise', async () => {
    const { price } = await shop()
    expect((await price({ unit_amount: 0, recurring: monthly })).recurring).toEqual({
      interval: 'month',
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    })
  })

  test('a fraction leaves unit_amount null, a whole decimal fills both', async () => {
    const { price } = await shop()
    const fraction = await price({ unit_amount_decimal: decimal('123.45') })
    expect([fraction.unit_amount, String(fraction.unit_amount_decimal)]).toEqual([null, '123.45'])
    const whole = await price({ unit_amount_decimal: decimal('500.000') })
    expect([whole.unit_amount, String(whole.unit_amount_decimal)]).toEqual([500, '500'])
    const tiny = await price({ unit_amount_decimal: decimal('0.000000000001') })
    expect(String(tiny.unit_amount_decimal)).toBe('0.000000000001')
  })

  test('an amount is required, once, whole, and not below zero', async () => {
    const { price } = await shop()
    const missing = { message: 'Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.' }
    expect(await refusal(price({}))).toMatchObject(missing)
    expect(await refusal(price({ recurring: monthly }))).toMatchObject(missing)
    expect(await refusal(price({ unit_amount: 1, unit_amount_decimal: decimal('1') }))).toMatchObject({
      message: 'You may only specify one of these parameters: unit_amount, unit_amount_decimal.',
    })
    expect(await refusal(price({ unit_amount: -1 }))).toMatchObject({
      code: 'parameter_invalid_integer',
      param: 'unit_amount',
      message: 'Invalid non-negative integer',
    })
    expect(await refusal(price({ unit_amount: 1.5 }))).toMatchObject({
      param: 'unit_amount',
      message: 'Invalid integer: 1.5',
    })
    expect(await refusal(price({ unit_amount_decimal: decimal('0.0000000000001') }))).toMatchObject({
      param: 'unit_amount_decimal',
    })
  })

  test('a product or the data of a new one is required, and not both', async () => {
    const { stripe, product } = await shop()
    expect(await refusal(stripe.prices.create({ currency: 'usd', unit_amount: 1 }))).toMatchObject({
      message: 'You must specify either `product` or `product_data` when creating a price.',
    })
    const both = { currency: 'usd', unit_amount: 1, product, product_data: { name: 'x' } }
    expect(await refusal(stripe.prices.create(both))).toMatchObject({
      param: 'product',
      message: 'You may only specify one of these parameters: product, product_data.',
    })
    expect(await refusal(stripe.prices.create({ currency: 'usd', unit_amount: 1, product: 'prod_nope' }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
      param: 'product',
      message: "No such product: 'prod_nope'",
    })
    const inline = await stripe.prices.create({
      currency: 'usd',
      unit_amount: 1,
      product_data: { name: 'inline' },
      expand: ['product'],
    })
    expect(inline.product).toMatchObject({ object: 'product', name: 'inline' })
  })

  test('a currency is kept in lower case, and an unknown one is refused with the list', async () => {
    const { price } = await shop()
    expect(await price({ currency: 'EUR', unit_amount: 1 })).toMatchObject({ currency: 'eur' })
    const refused = await refusal(price({ currency: 'xyz', unit_amount: 1 }))
    expect(refused.param).toBe('currency')
    expect(refused.message).toMatch(/^Invalid currency: xyz\. Stripe currently supports these currencies: usd, aed, afn/)
  })

  test.each([
    ['day', 1095, 'daily'],
    ['week', 156, 'weekly'],
    ['month', 36, 'monthly'],
    ['year', 3, 'yearly'],
  ] as const)('a price recurs at most every three years: %s', async (interval, most, name) => {
    const { price } = await shop()
    await price({ unit_amount: 1, recurring: { interval, interval_count: most } })
    expect(await refusal(price({ unit_amount: 1, recurring: { interval, interval_count: most + 1 } }))).toMatchObject({
      param: 'recurring[interval_count]',
      message: `The interval_count for ${name} prices can't be greater than ${most}`,
    })
  })

  test('an unknown interval is answered with all that are known', async () => {
    const { price } = await shop()
    expect(await refusal(price({ unit_amount: 1, recurring: { interval: 'fortnight' } }))).toMatchObject({
      param: 'recurring[interval]',
      message: 'Invalid recurring[interval]: must be one of day, week, month, or year',
    })
    expect(await refusal(price({ unit_amount: 1, recurring: { interval_count: 2 } as never }))).toMatchObject({
      code: 'parameter_missing',
      param: 'recurring[interval]',
      message: 'Missing required param: recurring[interval].',
    })
  })

  test('a metered price needs an active meter', async () => {
    const { price, stripe } = await shop()
    const metered = { ...monthly, usage_type: 'metered' } as const
    expect(await refusal(price({ unit_amount: 5, recurring: metered }))).toMatchObject({
      message: 'Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.',
    })
    const { id } = await stripe.billing.meters.create({
      display_name: 'calls',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    })
    expect(await price({ unit_amount: 5, recurring: { ...metered, meter: id } })).toMatchObject({ recurring: { meter: id } })
    expect(await refusal(price({ unit_amount: 5, recurring: { ...monthly, meter: id } }))).toMatchObject({
      param: 'recurring[meter]',
    })
    await stripe.billing.meters.deactivate(id)
    expect(await refusal(price({ unit_amount: 5, recurring: { ...metered, meter: id } }))).toMatchObject({
      status: 400,
      param: 'recurring[meter]',
    })
    expect(await refusal(price({ unit_amount: 5, recurring: { ...metered, meter: 'mtr_nope' } }))).toMatchObject({
      code: 'resource_missing',
    })
  })

  test('tiers come back only when asked for, the last one open', async () => {
    const { price, stripe } = await shop()
    const made = await price({
      ...tiered,
      tiers: [
        { up_to: 5, unit_amount: 500, flat_amount: 100 },
        { up_to: 'inf', unit_amount_decimal: decimal('0.5') },
      ],
    })
    expect(made).toMatchObject({ unit_amount: null, unit_amount_decimal: null, tiers_mode: 'graduated' })
    expect(made).not.toHaveProperty('tiers')
    const { tiers } = await stripe.prices.retrieve(made.id, { expand: ['tiers'] })
    expect(tiers?.map(({ up_to, unit_amount, flat_amount }) => ({ up_to, unit_amount, flat_amount }))).toEqual([
      { up_to: 5, unit_amount: 500, flat_amount: 100 },
      { up_to: null, unit_amount: null, flat_amount: null },
    ])
    expect(String(tiers?.[1]?.unit_amount_decimal)).toBe('0.5')
    const [listed] = (await stripe.prices.list({ expand: ['data.tiers'] })).data
    expect(listed?.tiers).toHaveLength(2)
  })

  test('tiers must recur, have a mode, end open and rise', async () => {
    const { price } = await shop()
    const open = { up_to: 'inf', unit_amount: 1 } as const
    const once = { billing_scheme: 'tiered', tiers_mode: 'volume' } as const
    expect(await refusal(price({ ...once, tiers: [open] }))).toMatchObject({
      param: 'interval',
      message: 'Prices with `type=one_time` are not supported with tiered billing.',
    })
    expect(await refusal(price({ billing_scheme: 'tiered', recurring: monthly, tiers: [open] }))).toMatchObject({
      code: 'parameter_missing',
      param: 'tiers_mode',
    })
    expect(await refusal(price({ ...tiered }))).toMatchObject({ code: 'parameter_missing', param: 'tiers' })
    expect(await refusal(price({ ...tiered, tiers: [{ up_to: 5, unit_amount: 1 }] }))).toMatchObject({
      param: 'tiers[0][up_to]',
    })
    expect(await refusal(price({ ...tiered, tiers: [open, open] }))).toMatchObject({ param: 'tiers[0][up_to]' })
    const falling = [{ up_to: 5, unit_amount: 1 }, { up_to: 5, unit_amount: 1 }, open]
    expect(await refusal(price({ ...tiered, tiers: falling }))).toMatchObject({ param: 'tiers[1][up_to]' })
    expect(await refusal(price({ ...tiered, tiers: [{ up_to: 'inf' }] }))).toMatchObject({ param: 'tiers[0]' })
    expect(await refusal(price({ ...tiered, unit_amount: 5, tiers: [open] }))).toMatchObject({
      message: 'You may only specify one of these parameters: unit_amount, tiers.',
    })
    expect(await refusal(price({ unit_amount: 5, tiers: [open] }))).toMatchObject({ param: 'tiers' })
    const packs = { divide_by: 2, round: 'up' } as const
    expect(await refusal(price({ ...tiered, tiers: [open], transform_quantity: packs }))).toMatchObject({
      param: 'transform_quantity',
    })
  })

  test('other currencies come back when asked for, together with the price’s own', async () => {
    const { price, stripe } = await shop()
    const made = await price({ unit_amount: 1000, currency_options: { eur: { unit_amount: 900 } } })
    expect(made).not.toHaveProperty('currency_options')
    const seen = await stripe.prices.retrieve(made.id, { expand: ['currency_options'] })
    expect(Object.keys(seen.currency_options ?? {}).sort()).toEqual(['eur', 'usd'])
    expect(seen.currency_options?.['eur']).toMatchObject({ unit_amount: 900, tax_behavior: 'unspecified' })
    expect(await refusal(price({ unit_amount: 1, currency_options: { usd: { unit_amount: 1 } } }))).toMatchObject({
      param: 'currency_options[usd]',
    })
    expect(await refusal(price({ unit_amount: 1, currency_options: { EUR: { unit_amount: 1 } } }))).toMatchObject({
      message: 'Currencies must be lowercase when used as keys in a map. Use `eur` instead of `EUR`.',
    })
  })

  test('a lookup key is taken by an archived price as well', async () => {
    const { price, stripe } = await shop()
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

  test('a lookup key handed over leaves its holder, which stays active', async () => {
    const { price, stripe } = await shop()
    const holder = await price({ unit_amount: 1, lookup_key: 'pro' })
    const taker = await price({ unit_amount: 2, lookup_key: 'pro', transfer_lookup_key: true })
    expect(taker.lookup_key).toBe('pro')
    expect(await stripe.prices.retrieve(holder.id)).toMatchObject({ lookup_key: null, active: true })
    const updates = (await stripe.events.list({ type: 'price.updated' })).data
    expect(updates.map((event) => event.data.previous_attributes)).toEqual([{ lookup_key: 'pro' }])
    await stripe.prices.update(holder.id, { lookup_key: 'pro', transfer_lookup_key: true })
    expect(await stripe.prices.retrieve(taker.id)).toMatchObject({ lookup_key: null })
  })

  test('a key sent again to its own holder is no conflict', async () => {
    const { price, stripe } = await shop()
    const { id } = await price({ unit_amount: 1, lookup_key: 'pro' })
    expect(await stripe.prices.update(id, { lookup_key: 'pro' })).toMatchObject({ lookup_key: 'pro' })
  })

  test.each(['unit_amount', 'currency', 'product', 'recurring', 'tiers', 'billing_scheme', 'tiers_mode'])(
    'the %s of a price is fixed',
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

  test('name, key, state and metadata of a price change in place', async () => {
    const { price, stripe } = await shop()
    const { id } = await price({ unit_amount: 1, metadata: { a: '1', b: '2' } })
    const change = { nickname: 'n', lookup_key: 'k', active: false, metadata: { b: '', c: '3' } }
    expect(await stripe.prices.update(id, change)).toMatchObject({ nickname: 'n', lookup_key: 'k', active: false })
    expect((await stripe.prices.retrieve(id)).metadata).toEqual({ a: '1', c: '3' })
    expect(await stripe.prices.update(id, { active: true })).toMatchObject({ active: true })
  })

  test('the tax behaviour is set once', async () => {
    const { price, stripe } = await shop()
    const { id } = await price()
    expect(await stripe.prices.update(id, { tax_behavior: 'inclusive' })).toMatchObject({ tax_behavior: 'inclusive' })
    expect(await refusal(stripe.prices.update(id, { tax_behavior: 'exclusive' }))).toMatchObject({
      param: 'tax_behavior',
      message: 'Once `tax_behavior` is set to `inclusive` or `exclusive`, it cannot be changed.',
    })
    await stripe.prices.update(id, { tax_behavior: 'inclusive' })
  })

  test('the default price of a product cannot be archived until it is replaced', async () => {
    const { price, product, stripe } = await shop()
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

  test('an unknown price is a 404 that names the price', async () => {
    const { stripe } = await shop()
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

  test('the list filters by state, product, keys, currency, kind and recurrence', async () => {
    const { price, stripe, product } = await shop()
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

  test('a price has no DELETE', async () => {
    const { url, apiKey } = await sandboxForTest()
    const reply = await fetch(`${url}/v1/prices/price_1`, { method: 'DELETE', headers: { Authorization: `Bearer ${apiKey}` } })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({
      error: { message: expect.stringContaining('Unrecognized request URL (DELETE: /v1/prices/price_1)') as string },
    })
  })
})
