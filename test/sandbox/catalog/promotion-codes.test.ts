import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { sandboxForTest, type TestSandbox } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

interface Promotions extends TestSandbox {
  /** Current time in seconds. */
  readonly now: number
  code(params?: Partial<Stripe.PromotionCodeCreateParams>): Promise<Stripe.PromotionCode>
}

async function promotions(coupon: Stripe.CouponCreateParams = { percent_off: 10 }): Promise<Promotions> {
  const sandbox = await sandboxForTest()
  await sandbox.stripe.coupons.create({ id: 'TEN', ...coupon })
  const promotion = { type: 'coupon', coupon: 'TEN' } as const
  return {
    ...sandbox,
    now: Math.floor(sandbox.clock.now() / 1000),
    code: (params = {}) => sandbox.stripe.promotionCodes.create({ promotion, ...params }),
  }
}

describe('promotion codes of the sandbox:', () => {
  test('a promotion code contains its coupon in `promotion`, and gets a random code by default', async () => {
    const { code } = await promotions()
    const made = await code()
    expect(made).toMatchObject({
      object: 'promotion_code',
      promotion: { type: 'coupon', coupon: 'TEN' },
      active: true,
      customer: null,
      expires_at: null,
      max_redemptions: null,
      times_redeemed: 0,
      restrictions: { first_time_transaction: false, minimum_amount: null, minimum_amount_currency: null },
    })
    expect(made.code).toMatch(/^[A-Z0-9]{8}$/)
    expect(made).not.toHaveProperty('coupon')
  })

  test('the coupon in `promotion` can be expanded', async () => {
    const { code, stripe } = await promotions()
    const { id } = await code()
    const seen = await stripe.promotionCodes.retrieve(id, { expand: ['promotion.coupon'] })
    expect(seen.promotion.coupon).toMatchObject({ object: 'coupon', id: 'TEN', percent_off: 10 })
  })

  test('`promotion` is required, and each invalid form of `promotion` has its own error', async () => {
    const { stripe } = await promotions()
    const create = (params: object): Promise<unknown> => stripe.promotionCodes.create(params as never)
    expect(await refusal(create({ code: 'X' }))).toMatchObject({
      code: 'parameter_missing',
      message: 'Missing required param: promotion.',
    })
    expect(await refusal(create({ promotion: { type: 'coupon' } }))).toMatchObject({
      param: 'promotion.coupon',
      message: 'You must pass promotion.coupon when passing promotion',
    })
    expect(await refusal(create({ promotion: { type: 'coupon', coupon: 'NOPE' } }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
      param: 'promotion[coupon]',
      message: "No such coupon: 'NOPE'",
    })
    expect(await refusal(create({ coupon: 'TEN' }))).toMatchObject({
      code: 'parameter_unknown',
      message: 'Received unknown parameter: coupon',
    })
  })

  test('a code consists of letters, digits, dashes and underscores', async () => {
    const { code } = await promotions()
    expect(await code({ code: 'Spring_26-A' })).toMatchObject({ code: 'Spring_26-A' })
    expect(await refusal(code({ code: 'has spaces!' }))).toMatchObject({
      param: 'code',
      message:
        'This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value has spaces!).',
    })
  })

  test('an active code is unique regardless of case, and can be used again once it is deactivated', async () => {
    const { code, stripe } = await promotions()
    const first = await code({ code: 'SAVE' })
    expect(await refusal(code({ code: 'save' }))).toMatchObject({
      status: 400,
      message: 'An active promotion code with `code: save` already exists.',
    })
    await stripe.promotionCodes.update(first.id, { active: false })
    await code({ code: 'Save' })
    expect(await refusal(stripe.promotionCodes.update(first.id, { active: true }))).toMatchObject({
      message: 'An active promotion code with `code: SAVE` already exists.',
    })
  })

  test('promotion codes of several customers can have the same code', async () => {
    const { code, stripe } = await promotions()
    const [a, b] = [await stripe.customers.create(), await stripe.customers.create()]
    await code({ code: 'YOURS', customer: a.id })
    await code({ code: 'YOURS', customer: b.id })
    await expect(code({ code: 'YOURS', customer: a.id })).rejects.toThrow(/already exists/)
    await expect(code({ code: 'YOURS' })).rejects.toThrow(/already exists/)
    expect(await refusal(code({ customer: 'cus_nope' }))).toMatchObject({ code: 'resource_missing', param: 'customer' })
  })

  test('an expiry must be in the future, at most five years ahead, and not after the coupon’s expiry', async () => {
    const { code, now } = await promotions({ percent_off: 10, redeem_by: 1_800_000_000 })
    expect(await refusal(code({ expires_at: 2000 }))).toMatchObject({
      param: 'expires_at',
      message: expect.stringContaining('You specified the value `2000` which is in the past.') as string,
    })
    expect(await refusal(code({ expires_at: 4_102_444_800 }))).toMatchObject({
      message: 'Invalid timestamp: can be no more than five years in the future.',
    })
    expect(await refusal(code({ expires_at: 1_800_000_001 }))).toMatchObject({ param: 'expires_at' })
    expect(await code({ expires_at: now + 60 })).toMatchObject({ expires_at: now + 60 })
  })

  test('a code cannot allow more redemptions than its coupon', async () => {
    const { code } = await promotions({ percent_off: 10, max_redemptions: 5 })
    expect(await refusal(code({ max_redemptions: 6 }))).toMatchObject({ param: 'max_redemptions' })
    expect(await code({ max_redemptions: 5 })).toMatchObject({ max_redemptions: 5 })
  })

  test('a minimum amount requires its currency', async () => {
    const { code } = await promotions()
    expect(await refusal(code({ restrictions: { minimum_amount: 5 } }))).toMatchObject({
      param: 'restrictions[minimum_amount_currency]',
    })
    const restrictions = { first_time_transaction: true, minimum_amount: 1000, minimum_amount_currency: 'usd' }
    expect((await code({ restrictions })).restrictions).toEqual(restrictions)
  })

  test('a code becomes inactive at its expiry and cannot be reactivated', async () => {
    const { code, stripe, clock, now } = await promotions()
    const { id } = await code({ code: 'SOON', expires_at: now + 60 })
    clock.advance(60_000)
    expect((await stripe.promotionCodes.list({ active: true })).data).toEqual([])
    expect(await stripe.promotionCodes.retrieve(id)).toMatchObject({ active: false })
    expect(await refusal(stripe.promotionCodes.update(id, { active: true }))).toMatchObject({ param: 'active' })
    await code({ code: 'SOON' })
  })

  test('a code can be reactivated only while its coupon is valid', async () => {
    const { code, stripe } = await promotions()
    const { id } = await code()
    expect(await stripe.promotionCodes.update(id, { active: false })).toMatchObject({ active: false })
    expect(await stripe.promotionCodes.update(id, { active: true })).toMatchObject({ active: true })
    await stripe.coupons.del('TEN')
    expect(await refusal(stripe.promotionCodes.update(id, { active: true }))).toMatchObject({
      message: 'This promotion code cannot be activated because its coupon is no longer valid.',
    })
  })

  test('only the state and the metadata of a code can be changed', async () => {
    const { code, stripe } = await promotions()
    const { id } = await code({ metadata: { a: '1' } })
    expect(await stripe.promotionCodes.update(id, { metadata: { b: '2' } })).toMatchObject({
      metadata: { a: '1', b: '2' },
    })
    for (const param of ['code', 'customer', 'expires_at', 'max_redemptions', 'promotion']) {
      expect(await refusal(stripe.promotionCodes.update(id, { [param]: 'x' }))).toMatchObject({
        code: 'parameter_unknown',
        param,
      })
    }
  })

  test('the list of promotion codes can be filtered by coupon, customer, state and code (in any case)', async () => {
    const { code, stripe } = await promotions()
    const customer = (await stripe.customers.create()).id
    const one = await code({ code: 'ONE', customer })
    const two = await code({ code: 'TWO', active: false })
    const ids = async (params: Stripe.PromotionCodeListParams): Promise<string[]> =>
      (await stripe.promotionCodes.list(params)).data.map((found) => found.id)
    expect(await ids({ code: 'one' })).toEqual([one.id])
    expect(await ids({ coupon: 'TEN' })).toEqual([two.id, one.id])
    expect(await ids({ coupon: 'TEN', active: true })).toEqual([one.id])
    expect(await ids({ customer })).toEqual([one.id])
    expect(await refusal(stripe.promotionCodes.list({ coupon: 'NOPE' }))).toMatchObject({
      status: 400,
      param: 'coupon',
      message: "No such coupon: 'NOPE'",
    })
  })

  test('a request for an unknown id gets a 404 that names a promotion code', async () => {
    const { stripe } = await promotions()
    expect(await refusal(stripe.promotionCodes.retrieve('promo_nope'))).toMatchObject({
      status: 404,
      param: 'promotion_code',
      message: "No such promotion code: 'promo_nope'",
    })
  })
})
