// Behaviour that the documentation states about products, prices, coupons and promotion codes: limits, exclusions, amounts. “types” is the
// documentation in the SDK’s types.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, day, meteredPrice } from '../customers/customer-shop.ts'
import { decimal } from '../shop.ts'

const month = { interval: 'month' as const }
const tiers = [
  { up_to: 5, unit_amount: 100 },
  { up_to: 'inf' as const, unit_amount: 80, flat_amount: 50 },
]

describe('products in the sandbox behave as Stripe documents:', () => {
  // Source: types, Product.marketing_features (“a list of up to 15”) and MarketingFeature.name (“up to 80 characters”)
  test('a product with more than 15 marketing features, or one of more than 80 characters, is refused', async ({
    shop: { stripe },
  }) => {
    const features = (count: number, length = 1) => Array.from({ length: count }, () => ({ name: 'x'.repeat(length) }))
    const create = (marketing_features: { name: string }[]) => stripe.products.create({ name: 'A', marketing_features })
    expect(await refusal(create(features(16)))).toMatchObject({ status: 400, param: 'marketing_features' })
    expect(await refusal(create(features(1, 81)))).toMatchObject({ status: 400 })
    expect((await create(features(15, 80))).marketing_features).toHaveLength(15)
  })

  // Source: types, Product.images (“up to 8 URLs”)
  test('a product with more than 8 images is refused', async ({ shop: { stripe } }) => {
    const images = Array.from({ length: 9 }, (_, index) => `https://shop.example/${index}.png`)
    expect(await refusal(stripe.products.create({ name: 'A', images }))).toMatchObject({ status: 400, param: 'images' })
  })

  // Source: types, ProductCreateParams.statement_descriptor
  test('a statement descriptor requires a letter, and must not contain <, >, \\, " or \'', async ({
    shop: { stripe },
  }) => {
    const create = (statement_descriptor: string) => stripe.products.create({ name: 'A', statement_descriptor })
    for (const text of ['A<B', 'A>B', 'A\\B', 'A"B', "A'B", '123'])
      expect(await refusal(create(text)), text).toMatchObject({ status: 400, param: 'statement_descriptor' })
    expect(await create('SHOP 123')).toMatchObject({ statement_descriptor: 'SHOP 123' })
  })

  // Source: types, ProductListParams.ids (“cannot be used with starting_after or ending_before”)
  test('a list of products by ids refuses a page cursor', async ({ shop: { stripe, product } }) => {
    const wrong = stripe.products.list({ ids: [product], starting_after: product })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, ProductListParams.shippable
  test('products can be listed by whether they are shippable', async ({ shop: { stripe } }) => {
    const { id } = await stripe.products.create({ name: 'Box', shippable: true })
    expect((await stripe.products.list({ shippable: true })).data).toMatchObject([{ id }])
  })

  // Source: types, ProductUpdateParams.metadata (“individual keys can be unset by posting an empty value”) and Event.previous_attributes
  test('the event of a product update contains the previous values of changed fields only', async ({
    shop: { stripe, product },
  }) => {
    await stripe.products.update(product, { metadata: { a: '1', b: '2' } })
    await stripe.products.update(product, { metadata: { a: '3' }, name: 'P' })
    const [event] = (await stripe.events.list({ type: 'product.updated' })).data
    expect(event?.data.previous_attributes).toMatchObject({ metadata: { a: '1' } })
    expect(event?.data.previous_attributes).not.toHaveProperty('name')
  })
})

describe('prices in the sandbox behave as Stripe documents:', () => {
  // Source: types, PriceCreateParams.transform_quantity (“cannot be combined with tiers”)
  test('a price with both transform_quantity and tiers is refused', async ({ shop: { price } }) => {
    const transform_quantity = { divide_by: 5, round: 'up' as const }
    const both = { billing_scheme: 'tiered' as const, tiers_mode: 'volume' as const, tiers, transform_quantity }
    expect(await refusal(price({ recurring: month, ...both }))).toMatchObject({ status: 400 })
  })

  // Source: docs.stripe.com/billing/subscriptions/usage-based/transform-quantities
  test('transform_quantity rounds the quantity before it is multiplied by the amount', async ({ shop }) => {
    const { stripe, customer, monthly } = shop
    const total = async (round: 'up' | 'down') => {
      const { id } = await monthly(300, { transform_quantity: { divide_by: 5, round } })
      const items = [{ price: id, quantity: 11 }]
      return (await stripe.invoices.createPreview({ customer, subscription_details: { items } })).total
    }
    expect([await total('up'), await total('down')]).toEqual([900, 600])
  })

  // Source: types, Price.tiers_mode
  test('graduated tiers charge each unit at its own tier, and volume tiers charge all units at the tier of the last unit', async ({
    shop,
  }) => {
    const { stripe, customer, price } = shop
    const total = async (tiers_mode: 'graduated' | 'volume', quantity: number) => {
      const { id } = await price({ recurring: month, billing_scheme: 'tiered', tiers_mode, tiers })
      const items = [{ price: id, quantity }]
      return (await stripe.invoices.createPreview({ customer, subscription_details: { items } })).total
    }
    expect([await total('graduated', 5), await total('graduated', 7)]).toEqual([500, 500 + 160 + 50])
    expect([await total('volume', 5), await total('volume', 7)]).toEqual([500, 560 + 50])
  })

  // Source: types, Price.lookup_key (“up to 200 characters”)
  test('a lookup key of more than 200 characters is refused', async ({ shop: { price } }) => {
    const keyed = (length: number) => price({ unit_amount: 1, lookup_key: 'k'.repeat(length) })
    expect(await refusal(keyed(201))).toMatchObject({ status: 400, param: 'lookup_key' })
    expect((await keyed(200)).lookup_key).toHaveLength(200)
  })

  // Source: types, PriceCreateParams.unit_amount_decimal (“at most 12 decimal places. Only one of … can be set”)
  test('a decimal amount with more than 12 decimal places, or beside a whole amount, is refused', async ({
    shop: { price },
  }) => {
    const wrong = price({ unit_amount_decimal: decimal('0.1234567890123') })
    expect(await refusal(wrong)).toMatchObject({ status: 400, param: 'unit_amount_decimal' })
    expect(await refusal(price({ unit_amount: 1, unit_amount_decimal: decimal('1') }))).toMatchObject({ status: 400 })
    expect(String((await price({ unit_amount_decimal: decimal('0.123456789012') })).unit_amount_decimal)).toBe(
      '0.123456789012',
    )
  })

  // Source: types, PriceUpdateParams.tax_behavior (“once specified as either inclusive or exclusive, it cannot be changed”)
  test('the tax behavior of a price can be set only once', async ({ shop: { stripe, price } }) => {
    const { id } = await price()
    expect(await stripe.prices.update(id, { tax_behavior: 'exclusive' })).toMatchObject({ tax_behavior: 'exclusive' })
    expect(await refusal(stripe.prices.update(id, { tax_behavior: 'inclusive' }))).toMatchObject({ status: 400 })
  })

  // Source: types, Price.currency_options, SubscriptionCreateParams.currency
  test('a subscription in another currency of a price is charged the amount in that currency', async ({ shop }) => {
    const { subscribed, monthly, invoices } = shop
    const price = await monthly(1000, { currency_options: { eur: { unit_amount: 900 } } })
    await subscribed(price, { currency: 'eur' })
    expect(await invoices()).toMatchObject([{ currency: 'eur', total: 900 }])
  })

  // Source: types, PriceUpdateParams.currency_options, SubscriptionCreateParams.currency
  test('a currency can be added to a price later, and a subscription in a currency that the price lacks is refused', async ({
    shop,
  }) => {
    const { stripe, subscribed, monthly } = shop
    const price = await monthly(1000)
    expect(await refusal(subscribed(price, { currency: 'eur' }))).toMatchObject({ status: 400 })
    await stripe.prices.update(price.id, { currency_options: { eur: { unit_amount: 900 } } })
    expect(await subscribed(price, { currency: 'eur' })).toMatchObject({ currency: 'eur' })
  })

  // Source: types, PriceListParams.recurring, PriceListParams.currency
  test('prices can be listed by interval, usage type and currency', async ({ shop }) => {
    const { stripe, monthly } = shop
    const licensed = await monthly(100)
    const yearly = await monthly(100, { recurring: { interval: 'year' }, currency: 'eur' })
    const metered = await meteredPrice(shop)
    const listed = async (params: Stripe.PriceListParams) => (await stripe.prices.list(params)).data.map(({ id }) => id)
    expect(await listed({ recurring: { interval: 'year' } })).toEqual([yearly.id])
    expect(await listed({ recurring: { usage_type: 'metered' } })).toEqual([metered.id])
    expect(await listed({ recurring: { meter: metered.recurring?.meter ?? '' } })).toEqual([metered.id])
    expect(await listed({ currency: 'usd', recurring: { usage_type: 'licensed' } })).toEqual([licensed.id])
  })

  // Source: types, Price.active (“whether the price can be used for new purchases”)
  test('an archived price cannot be sold, but its subscriptions still renew', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const price = await monthly(1000)
    const { id } = await subscribed(price)
    await stripe.prices.update(price.id, { active: false })
    expect(await refusal(subscribed(price))).toMatchObject({ status: 400 })
    expect(await stripe.invoices.createPreview({ subscription: id })).toMatchObject({ total: 1000 })
  })

  // Source: types, PriceUpdateParams, which has neither `unit_amount` nor `recurring`
  test('the amount and the interval of a price cannot be changed', async ({ shop: { stripe, monthly } }) => {
    const { id } = await monthly(1000)
    for (const change of [{ unit_amount: 5 }, { recurring: { interval: 'year' } }, { currency: 'eur' }])
      expect(await refusal(stripe.prices.update(id, change as object))).toMatchObject({ code: 'parameter_unknown' })
  })

  // Source: types, PriceCreateParams.custom_unit_amount (“during Checkout Sessions and Payment Links”)
  test('a price with a custom amount must be one-time, and keeps its limits', async ({ shop: { price } }) => {
    const custom_unit_amount = { enabled: true as const, minimum: 100, maximum: 900, preset: 500 }
    expect(await price({ custom_unit_amount })).toMatchObject({
      custom_unit_amount: { minimum: 100, maximum: 900, preset: 500 },
      unit_amount: null,
    })
    expect(await refusal(price({ custom_unit_amount, recurring: month }))).toMatchObject({ status: 400 })
  })
})

describe('coupons in the sandbox behave as Stripe documents:', () => {
  // Source: types, Coupon (“an invoice with a subtotal of 100 will have a final total of 0 if … 200 is applied, … 300 … of 100”)
  test('a coupon with an amount reduces an invoice to zero at most', async ({
    shop: { stripe, customer, monthly },
  }) => {
    const coupon = (await stripe.coupons.create({ amount_off: 200, currency: 'usd' })).id
    const total = async (amount: number) => {
      const items = [{ price: (await monthly(amount)).id }]
      const discounts = [{ coupon }]
      return (await stripe.invoices.createPreview({ customer, discounts, subscription_details: { items } })).total
    }
    expect([await total(100), await total(300)]).toEqual([0, 100])
  })

  // Source: types, Coupon.currency_options
  test('a coupon uses its amount in the currency of the invoice', async ({
    shop: { stripe, subscribed, monthly, invoices },
  }) => {
    const currency_options = { eur: { amount_off: 150 } }
    const coupon = (await stripe.coupons.create({ amount_off: 200, currency: 'usd', currency_options })).id
    await subscribed(await monthly(1000, { currency: 'eur' }), { discounts: [{ coupon }] })
    expect(await invoices()).toMatchObject([{ currency: 'eur', total: 850 }])
  })

  // Source: types, Coupon.max_redemptions, Coupon.valid, Coupon.times_redeemed
  test('a coupon is invalid after its last allowed redemption', async ({ shop: { stripe, subscribed, monthly } }) => {
    const coupon = (await stripe.coupons.create({ percent_off: 5, max_redemptions: 1 })).id
    const price = await monthly(1000)
    await subscribed(price, { discounts: [{ coupon }] })
    expect(await stripe.coupons.retrieve(coupon)).toMatchObject({ times_redeemed: 1, valid: false })
    expect(await refusal(subscribed(price, { discounts: [{ coupon }] }))).toMatchObject({ status: 400 })
  })

  // Source: types, CouponCreateParams.applies_to
  test('a coupon for one product does not reduce the price of other products', async ({ shop }) => {
    const { stripe, customer, product, monthly } = shop
    const other = (await stripe.products.create({ name: 'Other' })).id
    const coupon = (await stripe.coupons.create({ percent_off: 50, applies_to: { products: [product] } })).id
    const items = [{ price: (await monthly(1000)).id }, { price: (await monthly(400, { product: other })).id }]
    const preview = await stripe.invoices.createPreview({
      customer,
      discounts: [{ coupon }],
      subscription_details: { items },
    })
    expect(preview).toMatchObject({ subtotal: 1400, total: 900 })
  })

  // Source: types, Discount.end; Coupon.duration_in_months
  test('the discount of a coupon with the duration repeating has an end date, and with the duration forever it has none', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const endOf = async (params: Stripe.CouponCreateParams) => {
      const coupon = (await stripe.coupons.create({ percent_off: 5, ...params })).id
      const made = await subscribed(await monthly(1000), { discounts: [{ coupon }], expand: ['discounts'] })
      return (made.discounts[0] as Stripe.Discount).end
    }
    expect(await endOf({ duration: 'forever' })).toBeNull()
    // Three months after the first of November
    expect(await endOf({ duration: 'repeating', duration_in_months: 3 })).toBe(Date.UTC(2027, 1, 1) / 1000)
  })

  // Source: types, CouponResource (“deleting a coupon does not affect any customers who have already applied the coupon”)
  test('a deleted coupon still reduces invoices of subscriptions that already have it', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const coupon = (await stripe.coupons.create({ percent_off: 50, duration: 'forever' })).id
    const { id } = await subscribed(await monthly(1000), { discounts: [{ coupon }] })
    await stripe.coupons.del(coupon)
    expect(await stripe.invoices.createPreview({ subscription: id })).toMatchObject({ total: 500 })
  })
})

describe('promotion codes in the sandbox behave as Stripe documents:', () => {
  const coded = async (stripe: Stripe, params: Partial<Stripe.PromotionCodeCreateParams>) => {
    const coupon = (await stripe.coupons.create({ percent_off: 5 })).id
    return stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, ...params })
  }

  // Source: types, PromotionCode.restrictions.minimum_amount
  test('a promotion code is refused for a purchase below its minimum amount', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const restrictions = { minimum_amount: 2000, minimum_amount_currency: 'usd' }
    const discounts = [{ promotion_code: (await coded(stripe, { restrictions })).id }]
    expect(await refusal(subscribed(await monthly(1999), { discounts }))).toMatchObject({ status: 400 })
    expect(await subscribed(await monthly(2000), { discounts })).toMatchObject({ status: 'active' })
  })

  // Source: types, PromotionCodeCreateParams.restrictions.currency_options (“must be different from the minimum_amount_currency”)
  test('currency options of a minimum amount must not repeat its own currency', async ({ shop: { stripe } }) => {
    const minimum = { minimum_amount: 2000, minimum_amount_currency: 'usd' }
    const wrong = coded(stripe, { restrictions: { ...minimum, currency_options: { usd: { minimum_amount: 5 } } } })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, PromotionCode.max_redemptions, PromotionCode.times_redeemed
  test('a promotion code is refused after its last allowed redemption', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { id } = await coded(stripe, { max_redemptions: 1 })
    const price = await monthly(1000)
    await subscribed(price, { discounts: [{ promotion_code: id }] })
    expect(await stripe.promotionCodes.retrieve(id)).toMatchObject({ times_redeemed: 1 })
    expect(await refusal(subscribed(price, { discounts: [{ promotion_code: id }] }))).toMatchObject({ status: 400 })
  })

  // Source: types, PromotionCode.expires_at
  test('a promotion code is refused after its expiry', async ({ shop: { stripe, clock, subscribed, monthly } }) => {
    const { id } = await coded(stripe, { expires_at: Math.floor(clock.now() / 1000) + day })
    clock.advance(2 * day * 1000)
    const wrong = subscribed(await monthly(1000), { discounts: [{ promotion_code: id }] })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, PromotionCode.restrictions.first_time_transaction (“without any successful payments or invoices”)
  test('a promotion code for first purchases is refused after a payment without an invoice, too', async ({ shop }) => {
    const { stripe, customer, subscribed, monthly } = shop
    const { id } = await coded(stripe, { restrictions: { first_time_transaction: true } })
    const payment = { amount: 2000, currency: 'usd', confirm: true, customer, return_url: 'https://shop.example' }
    const { latest_charge } = await stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_visa' })
    expect(idOf(latest_charge)).toMatch(/^ch_/)
    const wrong = subscribed(await monthly(1000), { discounts: [{ promotion_code: id }] })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })
})
