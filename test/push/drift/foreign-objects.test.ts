import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)

const shop: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    { id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month' }] },
  ],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once' }],
  promotion_codes: [{ id: 'hello', code: 'HELLO', coupon: 'ten' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'] }],
}

async function makeForeign() {
  const { stripe } = stack
  const product = await stripe.products.create({ name: 'Theirs' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 777,
    recurring: { interval: 'year' },
  })
  const meter = await stripe.billing.meters.create({
    display_name: 'Theirs',
    event_name: 'theirs',
    default_aggregation: { formula: 'sum' },
  })
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
  const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'THEIRS' })
  const webhook = await stripe.webhookEndpoints.create({ url: 'https://else.example.com/', enabled_events: ['*'] })
  return { product, price, meter, coupon, code, webhook }
}

describe('objects at the processor that Ratecard does not manage', () => {
  test('are not changed by a push or a reset of managed objects', async () => {
    const foreign = await makeForeign()
    await stack.service.push(shop, nobody)
    await stack.service.reset({ ...nobody, scope: 'managed' })
    const { stripe } = stack
    expect((await stripe.products.retrieve(foreign.product.id)).active).toBe(true)
    expect((await stripe.prices.retrieve(foreign.price.id)).active).toBe(true)
    expect((await stripe.billing.meters.retrieve(foreign.meter.id)).status).toBe('active')
    expect((await stripe.coupons.retrieve(foreign.coupon.id)).valid).toBe(true)
    expect((await stripe.promotionCodes.retrieve(foreign.code.id)).active).toBe(true)
    expect((await stripe.webhookEndpoints.retrieve(foreign.webhook.id)).status).toBe('enabled')
  })

  test('are archived by a reset with the option for the whole account', async () => {
    const foreign = await makeForeign()
    await stack.service.push(shop, nobody)
    const report = await stack.service.reset({ ...nobody, scope: 'account' })
    expect(report.errors).toEqual([])
    expect(report.archived.products).toEqual(['pro', foreign.product.id])
    expect((await stack.stripe.products.retrieve(foreign.product.id)).active).toBe(false)
  })

  test('are pulled with their id, and adopting them writes only the metadata of Ratecard', async () => {
    const foreign = await makeForeign()
    await stack.service.push(shop, nobody)
    const { document } = await stack.service.pull()
    expect((await stack.service.validate(document)).errors).toEqual([])
    const theirs = document.products.find((product) => product.processor_id === foreign.product.id)
    expect(theirs?.prices).toMatchObject([
      { amount: 777, interval: 'year', public: false, processor_id: foreign.price.id },
    ])
    expect((await stack.service.pull()).document).toEqual(document)
    const outcome = await stack.service.push(document, nobody)
    const adopted = outcome.details.filter((detail) => detail.action === 'adopt')
    expect(adopted.map((detail) => detail.processorIdAfter).sort()).toEqual(
      [
        foreign.product.id,
        foreign.price.id,
        foreign.meter.id,
        foreign.coupon.id,
        foreign.code.id,
        foreign.webhook.id,
      ].sort(),
    )
    expect(outcome.details).toHaveLength(adopted.length)
    expect(await stack.stripe.prices.retrieve(foreign.price.id)).toMatchObject({ unit_amount: 777, active: true })
    expect((await stack.service.push(document, nobody)).status).toBe('unchanged')
  })

  test('cause a push to be refused, with a hint to adopt them, if the document needs their lookup key', async () => {
    const product = await stack.stripe.products.create({ name: 'Theirs' })
    const price = await stack.stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 5,
      lookup_key: 'pro_monthly',
    })
    const before = stack.writes()
    await expect(stack.service.push(shop, nobody)).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [
        {
          code: 'lookup_key_taken',
          pointer: '#/products/0/prices/0/id',
          hint: expect.stringContaining(price.id) as string,
        },
      ],
    })
    expect(stack.writes()).toBe(before)
  })

  test('can be adopted by id only if each fixed field equals the document', async () => {
    const product = await stack.stripe.products.create({ name: 'Old name' })
    const price = await stack.stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 900,
      recurring: { interval: 'month' },
    })
    const adopting = (amount: number): BillingConfig => ({
      version: '1.0.0',
      products: [
        {
          id: 'pro',
          name: 'New name',
          processor_id: product.id,
          prices: [{ id: 'pro_monthly', amount, currency: 'usd', interval: 'month', processor_id: price.id }],
        },
      ],
    })
    await expect(stack.service.push(adopting(1000), nobody)).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [{ code: 'processor_id_conflict', pointer: '#/products/0/prices/0/amount' }],
    })
    const outcome = await stack.service.push(adopting(900), nobody)
    expect(outcome.changes.products.created).toEqual(['pro'])
    expect(outcome.details.map((detail) => detail.action)).toEqual(['adopt', 'adopt'])
    expect((await stack.stripe.products.retrieve(product.id)).name).toBe('New name')
    expect((await stack.stripe.prices.retrieve(price.id)).lookup_key).toBe('pro_monthly')
  })

  test('are reported if they are webhooks with the same URL, because events would be delivered twice', async () => {
    const endpoint = await stack.stripe.webhookEndpoints.create({
      url: 'https://app.example.com/hook',
      enabled_events: ['*'],
    })
    const outcome = await stack.service.push(shop, nobody)
    expect(outcome.warnings.find((warning) => warning.code === 'webhook_url_foreign')?.detail).toContain(endpoint.id)
    expect((await stack.stripe.webhookEndpoints.retrieve(endpoint.id)).enabled_events).toEqual(['*'])
  })

  test('cause a push to be refused before any write if they use up the account’s sixteen webhook endpoints', async () => {
    for (let index = 0; index < 16; index++)
      await stack.stripe.webhookEndpoints.create({
        url: `https://else.example.com/${String(index)}`,
        enabled_events: ['*'],
      })
    const before = stack.writes()
    await expect(stack.service.push(shop, nobody)).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [{ code: 'webhook_limit' }],
    })
    expect(stack.writes()).toBe(before)
  })
})
