import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('coupons of the sandbox:', () => {
  test('a percentage coupon has the default values of the real API', async ({ sandbox: { stripe } }) => {
    const coupon = await stripe.coupons.create({ percent_off: 22.5 })
    expect(coupon).toMatchObject({
      object: 'coupon',
      percent_off: 22.5,
      amount_off: null,
      currency: null,
      duration: 'once',
      duration_in_months: null,
      max_redemptions: null,
      redeem_by: null,
      times_redeemed: 0,
      valid: true,
      metadata: {},
    })
    expect(coupon.id).toMatch(/^[A-Za-z0-9]{8}$/)
    expect(coupon).not.toHaveProperty('applies_to')
    expect(coupon).not.toHaveProperty('currency_options')
  })

  const refused: readonly (readonly [
    string,
    Stripe.CouponCreateParams,
    string,
    string | undefined,
    string | undefined,
  ])[] = [
    ['no discount', { duration: 'once' }, 'Must provide percent_off or amount_off.', 'parameter_missing', undefined],
    [
      'two discounts',
      { percent_off: 10, amount_off: 500, currency: 'usd' },
      'Received both percent_off and amount_off parameters. Please pass in only one.',
      undefined,
      undefined,
    ],
    ['no currency', { amount_off: 500 }, 'You must pass currency when passing amount_off', undefined, 'currency'],
    [
      'repeating for no time',
      { percent_off: 10, duration: 'repeating' },
      'The duration_in_months param must be set when creating a coupon with a repeating duration',
      undefined,
      'duration',
    ],
    [
      'nothing off',
      { percent_off: 0 },
      "This value must be greater than or equal to 0.01 (it currently is '0.0').",
      undefined,
      'percent_off',
    ],
    [
      'more than all off',
      { percent_off: 150 },
      "This value must be less than or equal to 100 (it currently is '150.0').",
      undefined,
      'percent_off',
    ],
    [
      'an end in the past',
      { percent_off: 10, redeem_by: 1000 },
      'The parameter `redeem_by` expects a unix timestamp representing a date and time in the future. ' +
        'You specified the value `1000` which is in the past.',
      undefined,
      'redeem_by',
    ],
    [
      'an end too far off',
      { percent_off: 10, redeem_by: 4_102_444_800 },
      'Invalid timestamp: can be no more than five years in the future.',
      undefined,
      'redeem_by',
    ],
    [
      'a percentage in currencies',
      { percent_off: 5, currency_options: { eur: { amount_off: 4 } } },
      'You may only specify one of these parameters: currency_options, percent_off.',
      undefined,
      'currency_options',
    ],
  ]
  test.each(refused)('an invalid request for a coupon is refused: %s', async (_title, params, message, code, param) => {
    const { stripe } = await sandboxForTest()
    expect(await refusal(stripe.coupons.create(params))).toMatchObject({ status: 400, message, code, param })
  })

  test('an id that the caller chooses must be unique among coupons', async ({ sandbox: { stripe } }) => {
    expect(await stripe.coupons.create({ id: 'TEN', percent_off: 10 })).toMatchObject({ id: 'TEN' })
    expect(await refusal(stripe.coupons.create({ id: 'TEN', percent_off: 5 }))).toMatchObject({
      code: 'resource_already_exists',
      message: 'Coupon already exists.',
    })
  })

  test('the products of a coupon must exist, and are returned if they are expanded', async ({
    sandbox: { stripe },
  }) => {
    const { id } = await stripe.products.create({ name: 'P' })
    const coupon = await stripe.coupons.create({
      percent_off: 10,
      applies_to: { products: [id] },
      expand: ['applies_to'],
    })
    expect(coupon.applies_to).toEqual({ products: [id] })
    const [listed] = (await stripe.coupons.list({ expand: ['data.applies_to'] })).data
    expect(listed?.applies_to).toEqual({ products: [id] })
    expect(
      await refusal(stripe.coupons.create({ percent_off: 10, applies_to: { products: [id, 'prod_nope'] } })),
    ).toMatchObject({ status: 400, code: 'resource_missing', message: "No such product: 'prod_nope'" })
  })

  test('only the name and metadata of a coupon can be changed', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.coupons.create({ amount_off: 500, currency: 'usd' })
    const change = { name: 'Five', metadata: { k: 'v' }, currency_options: { gbp: { amount_off: 300 } } }
    expect(await stripe.coupons.update(id, { ...change, expand: ['currency_options'] })).toMatchObject(change)
    for (const param of ['amount_off', 'percent_off', 'duration', 'max_redemptions', 'redeem_by']) {
      expect(await refusal(stripe.coupons.update(id, { [param]: '5' }))).toMatchObject({
        code: 'parameter_unknown',
        message: `Received unknown parameter: ${param}`,
      })
    }
    const events = (await stripe.events.list({ type: 'coupon.updated' })).data
    expect(events[0]?.data.previous_attributes).toEqual({ name: null, metadata: { k: null } })
  })

  test('a coupon is not valid after its expiry', async ({ sandbox: { stripe, clock } }) => {
    const end = Math.floor(clock.now() / 1000) + 60
    const { id } = await stripe.coupons.create({ percent_off: 10, redeem_by: end })
    expect((await stripe.coupons.retrieve(id)).valid).toBe(true)
    clock.advance(60_000)
    expect((await stripe.coupons.retrieve(id)).valid).toBe(false)
  })

  test('a deleted coupon returns 404, its promotion codes become inactive, and its id can be used again', async ({
    sandbox: { stripe },
  }) => {
    await stripe.coupons.create({ id: 'TEN', percent_off: 10 })
    const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: 'TEN' }, code: 'SAVE' })
    expect(await stripe.coupons.del('TEN')).toEqual({ id: 'TEN', object: 'coupon', deleted: true })
    for (const call of [
      stripe.coupons.retrieve('TEN'),
      stripe.coupons.update('TEN', { name: 'x' }),
      stripe.coupons.del('TEN'),
    ]) {
      expect(await refusal(call)).toMatchObject({ status: 404, param: 'coupon', message: "No such coupon: 'TEN'" })
    }
    expect(await stripe.promotionCodes.retrieve(code.id)).toMatchObject({ active: false, promotion: { coupon: 'TEN' } })
    const [event] = (await stripe.events.list({ type: 'coupon.deleted' })).data
    expect(event?.data.object).toMatchObject({ valid: false })
    expect(await stripe.coupons.create({ id: 'TEN', percent_off: 20 })).toMatchObject({ percent_off: 20 })
  })
})
