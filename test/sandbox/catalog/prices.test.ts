import { describe, expect } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { decimal, shop, shopTest as test } from '../shop.ts'

const monthly = { interval: 'month' } as const
const tiered = { billing_scheme: 'tiered', tiers_mode: 'graduated', recurring: monthly } as const

describe('prices of the sandbox:', () => {
  test('a one-time price has the default values of the real API', async ({ shop: { price, product } }) => {
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

  test('a recurring price has interval_count 1 and usage type licensed by default', async ({ shop: { price } }) => {
    expect((await price({ unit_amount: 0, recurring: monthly })).recurring).toEqual({
      interval: 'month',
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    })
  })

  test('a price in fractions of a cent has no unit_amount, and a whole decimal amount sets both fields', async ({
    shop: { price },
  }) => {
    const fraction = await price({ unit_amount_decimal: decimal('123.45') })
    expect([fraction.unit_amount, String(fraction.unit_amount_decimal)]).toEqual([null, '123.45'])
    const whole = await price({ unit_amount_decimal: decimal('500.000') })
    expect([whole.unit_amount, String(whole.unit_amount_decimal)]).toEqual([500, '500'])
    const tiny = await price({ unit_amount_decimal: decimal('0.000000000001') })
    expect(String(tiny.unit_amount_decimal)).toBe('0.000000000001')
  })

  test('a price requires exactly one amount, which must be whole and not negative', async ({ shop: { price } }) => {
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

  test('a price requires either a product or product_data', async ({ shop: { stripe, product } }) => {
    expect(await refusal(stripe.prices.create({ currency: 'usd', unit_amount: 1 }))).toMatchObject({
      message: 'You must specify either `product` or `product_data` when creating a price.',
    })
    const both = { currency: 'usd', unit_amount: 1, product, product_data: { name: 'x' } }
    expect(await refusal(stripe.prices.create(both))).toMatchObject({
      param: 'product',
      message: 'You may only specify one of these parameters: product, product_data.',
    })
    expect(
      await refusal(stripe.prices.create({ currency: 'usd', unit_amount: 1, product: 'prod_nope' })),
    ).toMatchObject({
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

  test('a currency is stored in lower case, and an unknown currency is refused with the list of known currencies', async ({
    shop,
  }) => {
    const { price } = shop
    expect(await price({ currency: 'EUR', unit_amount: 1 })).toMatchObject({ currency: 'eur' })
    const refused = await refusal(price({ currency: 'xyz', unit_amount: 1 }))
    expect(refused.param).toBe('currency')
    expect(refused.message).toMatch(
      /^Invalid currency: xyz\. Stripe currently supports these currencies: usd, aed, afn/,
    )
  })

  test.each([
    ['day', 1095, 'daily'],
    ['week', 156, 'weekly'],
    ['month', 36, 'monthly'],
    ['year', 3, 'yearly'],
  ] as const)('a billing interval has at most three years: %s', async (interval, most, name) => {
    const { price } = await shop()
    await price({ unit_amount: 1, recurring: { interval, interval_count: most } })
    expect(await refusal(price({ unit_amount: 1, recurring: { interval, interval_count: most + 1 } }))).toMatchObject({
      param: 'recurring[interval_count]',
      message: `The interval_count for ${name} prices can't be greater than ${most}`,
    })
  })

  test('an unknown interval is refused with the list of known intervals', async ({ shop: { price } }) => {
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

  test('a metered price requires an active meter', async ({ shop: { price, stripe } }) => {
    const metered = { ...monthly, usage_type: 'metered' } as const
    expect(await refusal(price({ unit_amount: 5, recurring: metered }))).toMatchObject({
      message: 'Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.',
    })
    const { id } = await stripe.billing.meters.create({
      display_name: 'calls',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    })
    expect(await price({ unit_amount: 5, recurring: { ...metered, meter: id } })).toMatchObject({
      recurring: { meter: id },
    })
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

  test('tiers are returned only if they are expanded, and `up_to` of the last tier is null', async ({
    shop: { price, stripe },
  }) => {
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

  test('tiers are refused unless the price recurs, has a tiers_mode, and the tiers ascend to an open last tier', async ({
    shop: { price },
  }) => {
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

  test('amounts in other currencies are returned if they are expanded, together with the price’s own currency', async ({
    shop,
  }) => {
    const { price, stripe } = shop
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
})
