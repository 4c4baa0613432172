// What a plan says of people and money is what they pay: discounts count, a currency that goes is named, and nobody is said to keep what it does not
// have.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, startTestApp, type TestApp } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'

const priced = (
  version: string,
  amount: number,
  currencies: object | null = { usd: { amount: 1100 } },
): BillingConfig => ({
  version,
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        {
          ...{ id: 'pro', amount, currency: 'eur', interval: 'month' },
          ...(currencies === null ? {} : { currency_options: currencies as never }),
        },
        { id: 'extra', amount: 500, currency: 'eur', interval: 'month' },
      ],
    },
  ],
})

interface World {
  readonly shop: TestApp
  /** Sells a quantity of `pro` as it is priced now, beside `extra` where it is asked for. */
  sell(id: string, quantity: number, more?: { coupon?: string; currency?: string; extra?: boolean }): Promise<void>
  plan(config: BillingConfig): Promise<Answer>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads any member of an answer
type Answer = Readonly<Record<string, any>>

async function world(): Promise<World> {
  const shop = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => shop.close())
  const priceOf = async (id: string) =>
    (await shop.store.mappings.all()).findLast(({ kind, configId }) => kind === 'price' && configId === id)
      ?.processorId ?? ''
  return {
    shop,
    sell: async (id, quantity, { coupon, currency = 'eur', extra = false } = {}) => {
      const customer = await payingCustomer(shop.stripe, { name: id })
      const payload = { id, name: `${id} Ltd`, processor_customer_id: customer }
      await shop.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload })
      await shop.stripe.subscriptions.create({
        customer,
        currency,
        items: [{ price: await priceOf('pro'), quantity }, ...(extra ? [{ price: await priceOf('extra') }] : [])],
        ...(coupon === undefined ? {} : { discounts: [{ coupon }] }),
      })
    },
    plan: async (config) => {
      await mirrored(shop)
      const payload = config
      return (await shop.asAdmin({ method: 'POST', url: `${admin}/config?dry_run=true`, payload })).json()
    },
  }
}

test('discounts that last are taken off what is paid, and off what would be paid, in sums, sentence and names', async () => {
  const { shop, sell, plan } = await world()
  expect((await shop.push(priced('1.0.0', 1000))).statusCode).toBe(200)
  const percent = (await shop.stripe.coupons.create({ percent_off: 20, duration: 'forever' })).id
  const fixed = (await shop.stripe.coupons.create({ amount_off: 300, currency: 'eur', duration: 'forever' })).id
  const once = (await shop.stripe.coupons.create({ percent_off: 50, duration: 'once' })).id
  await sell('plain', 1)
  await sell('fifth', 4, { coupon: percent })
  await sell('first', 1, { coupon: once })
  // €3.00 off an invoice of €10.00 and €5.00: two thirds of it fall on `pro`; of €12.00 and €5.00, 12 of 17.
  await sell('shared', 1, { coupon: fixed, extra: true })
  const planned = await plan(priced('1.1.0', 1200))
  expect(planned['impact']).toMatchObject([
    {
      price_id: 'pro',
      monthly: [{ amount: 1000 + 3200 + 1000 + 800 }],
      monthly_after: [{ amount: 1200 + 3840 + 1200 + Math.round(1200 - (300 * 12) / 17) }],
      subscribers_url: '/api/v1/billing/admin/prices/pro/subscribers',
    },
  ])
  expect(planned['summary']).toContain(
    '4 tenants keep the old price until you move them; at the new price they would pay €12.28 a month more in total.',
  )
  const who = (planned['who'] as readonly Answer[]).map((one) => [
    one['tenant_id'],
    one['name'],
    one['before'],
    one['after'],
  ])
  expect(who.slice(0, 1)).toEqual([['fifth', 'fifth Ltd', 3200, 3840]])
  expect(who.slice(1).sort()).toEqual([
    ['first', 'first Ltd', 1000, 1200],
    ['plain', 'plain Ltd', 1000, 1200],
    ['shared', 'shared Ltd', 800, 988],
  ])
  // The same amounts as in the list of subscribers, apart from taxes.
  const listed = (await shop.asAdmin({ url: planned['impact'][0].subscribers_url as string })).json()
  expect(listed.subscribers.map((one: Answer) => [one['tenant_id'], one['monthly'][0].amount])).toEqual([
    ['fifth', '3200'],
    ['first', '1000'],
    ['plain', '1000'],
    ['shared', '800'],
  ])
})

test('a migration counts the discounts that last, as the plan of its push did', async () => {
  const { shop, sell, plan } = await world()
  await shop.push(priced('1.0.0', 1000))
  const percent = (await shop.stripe.coupons.create({ percent_off: 20, duration: 'forever' })).id
  const fixed = (await shop.stripe.coupons.create({ amount_off: 300, currency: 'eur', duration: 'forever' })).id
  await sell('plain', 1)
  await sell('fifth', 4, { coupon: percent })
  await sell('shared', 1, { coupon: fixed, extra: true })
  const planned = await plan(priced('1.1.0', 1200))
  await shop.push(priced('1.1.0', 1200))
  const { lines, totals } = await shop.service.planMigration({ priceId: 'pro', to: 'renewal' })
  const amounts = lines.map(({ tenantId, monthlyBefore, monthlyAfter }) => [tenantId, monthlyBefore, monthlyAfter])
  expect(amounts.sort()).toEqual([
    ['fifth', 3200, 3840],
    ['plain', 1000, 1200],
    ['shared', 800, 988],
  ])
  expect(totals).toMatchObject([{ currency: 'eur', before: 5000, after: 6028 }])
  expect(planned['impact'][0]).toMatchObject({ monthly: [{ amount: 5000 }], monthly_after: [{ amount: 6028 }] })
})

test('a currency that a price loses is in the sentence and a warning, with the tenants who pay in it', async () => {
  const { shop, sell, plan } = await world()
  await shop.push(priced('1.0.0', 1000))
  await sell('euro', 1)
  await sell('dollar', 2, { currency: 'usd' })
  const planned = await plan(priced('1.1.0', 1000, null))
  expect(planned['summary']).toBe('1 price is no longer sold in USD; 1 tenant pays in USD.')
  expect(planned['warnings']).toContainEqual({
    code: 'currency_removed',
    pointer: '#/products/0/prices/0/currency_options',
    severity: 'warning',
    detail: 'The price "pro" is no longer sold in USD, in which subscriptions are billed: "dollar".',
    hint: expect.stringContaining('`currency_options`') as string,
  })
})

test('a rollback says who becomes current, and a revision keeps what its plan said', async () => {
  const { shop, sell, plan } = await world()
  await shop.push(priced('1.0.0', 1000))
  await sell('old', 1)
  await mirrored(shop)
  const dearer = await shop.push(priced('1.1.0', 1200))
  expect(dearer.json().summary).toContain('1 tenant keeps the old price')
  await sell('new', 1)
  // At €14.00, both would pay more than they pay now.
  expect((await plan(priced('1.2.0', 1400)))['summary']).toContain(
    '2 tenants keep the old price until you move them; at the new price they would pay €6.00 a month more in total.',
  )
  const rollback = { method: 'POST', url: `${admin}/config/rollback?dry_run=true`, payload: { revision: 1 } } as const
  const back = (await shop.asAdmin(rollback)).json()
  expect(back.summary).toBe(
    '1 price falls. 1 tenant keeps the old price until you move it; at the new price it would pay €2.00 a month less. 1 tenant has the price that is sold again, and becomes current.',
  )
  const { plan: kept } = (await shop.asAdmin({ url: `${admin}/config/history/2` })).json()
  expect(kept).toMatchObject({
    summary:
      '1 price rises. 1 tenant keeps the old price until you move it; at the new price it would pay €2.00 a month more.',
    impact: [{ price_id: 'pro', monthly: [{ amount: 1000 }], monthly_after: [{ amount: 1200 }] }],
    who: [{ tenant_id: 'old', name: 'old Ltd', currency: 'eur', before: 1000, after: 1200 }],
    violations: [],
  })
})
