import { expect, test } from 'vitest'
import { refusalOf } from '../../support/stores/store.ts'
import { caller, negotiated, priceIn, soldShop, tenantShop, type TenantShop } from '../../support/shop/tenant-shop.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import type { MigrationRequest } from '../../../packages/ratecard/src/api/customers/price-migrations.ts'

const monthly = 32

async function replaced(quantities: readonly number[]) {
  const shop = await tenantShop(negotiated())
  const subscriptions: string[] = []
  for (const [index, quantity] of quantities.entries()) {
    const customer = await shop.tenant(`t${String(index)}`)
    subscriptions.push((await shop.subscribe(customer, { pro_monthly: quantity })).id)
  }
  const former = await shop.processorPrice('pro_monthly')
  await shop.reprice('1.1.0', 'pro_monthly', 1200)
  return { shop, subscriptions, former }
}

async function migrate(shop: TenantShop, request: Partial<MigrationRequest> = {}) {
  const { id } = await shop.service.startMigration({ priceId: 'pro_monthly', to: 'renewal', ...request }, caller)
  return shop.finished(id)
}

async function shopInvoices(shop: TenantShop, tenant: string) {
  const { processorCustomerId } = await shop.service.findTenant(tenant)
  return shop.invoices(processorCustomerId ?? '')
}

async function lastAmount(shop: TenantShop, tenant: string): Promise<number | undefined> {
  return (await shopInvoices(shop, tenant)).at(-1)?.total
}

test('existing subscribers keep the price that they bought until they are migrated', async () => {
  const { shop, subscriptions, former } = await replaced([7])
  shop.advance(monthly)
  expect(await shop.items(subscriptions[0] ?? '')).toEqual({ [former]: 7 })
  expect(await lastAmount(shop, 't0')).toBe(7 * 1000)
})

test('a migration at renewal keeps the old price until the end of the period, and bills the new price from then on', async () => {
  const { shop, subscriptions, former } = await replaced([7])
  const [id = ''] = subscriptions
  const job = await migrate(shop)
  expect(job).toMatchObject({ kind: 'migration', subject: 'pro_monthly', state: 'done', stepsTotal: 1 })
  expect(job).toMatchObject({ author: 'ada', message: 'new prices' })
  expect(job.steps[0]?.result).toMatchObject({
    effective: 'period_end',
    items: [{ from_processor_id: former, to_processor_id: await shop.processorPrice('pro_monthly'), quantity: 7 }],
  })
  expect(await shop.items(id)).toEqual({ [former]: 7 })
  const again = await migrate(shop)
  expect(again).toMatchObject({ state: 'done', steps: [{ state: 'skipped' }] })
  shop.advance(monthly)
  expect(await shop.items(id)).toEqual({ pro_monthly: 7 })
  expect(await lastAmount(shop, 't0')).toBe(7 * 1200)
  expect((await migrate(shop)).stepsTotal).toBe(0)
})

test('an immediate migration swaps the price at once without an invoice, and the next renewal has the new amount', async () => {
  const { shop, subscriptions } = await replaced([7])
  const customer = (await shop.service.findTenant('t0')).processorCustomerId ?? ''
  const count = (await shop.invoices(customer)).length
  expect(await migrate(shop, { to: 'now' })).toMatchObject({ state: 'done' })
  expect(await shop.items(subscriptions[0] ?? '')).toEqual({ pro_monthly: 7 })
  expect(await shop.invoices(customer)).toHaveLength(count)
  shop.advance(monthly)
  expect(await lastAmount(shop, 't0')).toBe(7 * 1200)
})

test('the plan of a migration lists each subscription with the monthly amounts before and after, and writes nothing', async () => {
  const { shop, former } = await replaced([7, 2])
  const writes = shop.writes()
  const plan = await shop.service.planMigration({ priceId: 'pro_monthly', to: 'renewal' })
  expect(shop.writes()).toBe(writes)
  const lines = [...plan.lines].sort((a, b) => (a.tenantId ?? '').localeCompare(b.tenantId ?? ''))
  expect(lines).toMatchObject([
    {
      tenantId: 't0',
      quantity: 7,
      fromProcessorPriceId: former,
      monthlyBefore: 7000,
      monthlyAfter: 8400,
      skipped: null,
    },
    { tenantId: 't1', quantity: 2, monthlyBefore: 2000, monthlyAfter: 2400, effective: 'period_end' },
  ])
  expect(plan.totals).toEqual([{ currency: 'usd', subscriptions: 2, byUsage: 0, before: 9000, after: 10_800 }])
})

test('the amount before a migration is calculated with the price tiers of the revision that created the former price', async () => {
  const tiered = (last: number) => (config: ReturnType<typeof negotiated>) => {
    const price = priceIn(config, 'seat')
    delete price.amount
    price.billing_scheme = 'tiered'
    price.tiers = [
      { up_to: 5, unit_amount: 300 },
      { up_to: 'inf', unit_amount: last },
    ]
  }
  const shop = await tenantShop(negotiated('1.0.0', tiered(200)))
  await shop.subscribe(await shop.tenant('t'), { seat: 8 })
  await shop.push(negotiated('1.1.0', tiered(100)))
  const { lines } = await shop.service.planMigration({ priceId: 'seat', to: 'now' })
  expect(lines).toMatchObject([{ monthlyBefore: 5 * 300 + 3 * 200, monthlyAfter: 5 * 300 + 3 * 100 }])
})

test('the plan of a migration counts packages, not units, for a price with packages', async () => {
  const packed = (amount: number) => (config: ReturnType<typeof negotiated>) => {
    Object.assign(priceIn(config, 'seat'), { amount, transform_quantity: { divide_by: 5, round: 'up' } })
  }
  const shop = await tenantShop(negotiated('1.0.0', packed(1000)))
  await shop.subscribe(await shop.tenant('t'), { seat: 12 })
  await shop.push(negotiated('1.1.0', packed(1500)))
  const { lines } = await shop.service.planMigration({ priceId: 'seat', to: 'now' })
  expect(lines).toMatchObject([{ quantity: 12, monthlyBefore: 3 * 1000, monthlyAfter: 3 * 1500 }])
})

test('a subscription in another currency of a price is planned and billed in that currency', async () => {
  const inTwo = (amount: number, euros: number) => (config: ReturnType<typeof negotiated>) => {
    for (const id of ['seat', 'seat_gold'])
      Object.assign(priceIn(config, id), { amount, currency_options: { eur: { amount: euros } } })
  }
  const shop = await tenantShop(negotiated('1.0.0', inTwo(300, 250)))
  await shop.subscribe(await shop.tenant('here'), { seat: 2 })
  await shop.subscribe(await shop.tenant('there'), { seat: 2 }, { currency: 'eur' })
  await shop.push(negotiated('1.1.0', inTwo(400, 360)))
  const { lines, totals } = await shop.service.planMigration({ priceId: 'seat', to: 'now' })
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ tenantId: 'here', currency: 'usd', monthlyBefore: 600, monthlyAfter: 800 }),
      expect.objectContaining({ tenantId: 'there', currency: 'eur', monthlyBefore: 500, monthlyAfter: 720 }),
    ]),
  )
  expect(totals).toEqual([
    { currency: 'eur', subscriptions: 1, byUsage: 0, before: 500, after: 720 },
    { currency: 'usd', subscriptions: 1, byUsage: 0, before: 600, after: 800 },
  ])
  const { id } = await shop.service.startMigration({ priceId: 'seat', to: 'now' }, caller)
  expect(await shop.finished(id)).toMatchObject({ state: 'done' })
  const before = { here: (await shopInvoices(shop, 'here')).length, there: (await shopInvoices(shop, 'there')).length }
  shop.advance(monthly)
  expect([await lastAmount(shop, 'here'), await lastAmount(shop, 'there')]).toEqual([800, 720])
  expect(before).toEqual({ here: 1, there: 1 })
})

test('a tenant who pays in another currency of the base price pays the negotiated price in that currency', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      Object.assign(priceIn(config, 'seat'), { currency_options: { eur: { amount: 250 } } })
      Object.assign(priceIn(config, 'seat_gold'), { currency_options: { eur: { amount: 170 } } })
    }),
  )
  const { id } = await shop.subscribe(await shop.tenant('there'), { seat: 10 }, { currency: 'eur' })
  expect(await shop.apply('there')).toMatchObject({ swaps: [{ from: 'seat', to: 'seat_gold' }], skipped: [] })
  expect(await shop.items(id)).toEqual({ seat_gold: 10 })
  shop.advance(monthly)
  expect(await lastAmount(shop, 'there')).toBe(1700)
})

test('the options `only` and `except` select the tenants of a migration, and an unknown tenant is refused', async () => {
  const { shop, subscriptions, former } = await replaced([1, 2, 3])
  const stranger = await payingCustomer(shop.stripe, { name: 'nobody of ours' })
  await shop.stripe.prices.update(former, { active: true })
  const foreign = await shop.stripe.subscriptions.create({
    customer: stranger,
    items: [{ price: former, quantity: 9 }],
  })
  expect(await refusalOf(shop.service.planMigration({ priceId: 'pro_monthly', to: 'now', only: ['t0', 'who'] }))).toBe(
    'tenant_not_found',
  )
  expect((await migrate(shop, { to: 'now', only: ['t0', 't1'], except: ['t1'] })).stepsTotal).toBe(1)
  expect(await shop.items(subscriptions[0] ?? '')).toEqual({ pro_monthly: 1 })
  expect((await migrate(shop, { to: 'now', except: ['t1'] })).stepsTotal).toBe(2)
  expect(await shop.items(subscriptions[1] ?? '')).toEqual({ [former]: 2 })
  expect(await shop.items(foreign.id)).toEqual({ pro_monthly: 9 })
})

test('a migration skips an item with another billing interval, and states the reason', async () => {
  const { shop, id } = await soldShop({ seat: 3 })
  const former = await shop.processorPrice('seat')
  await shop.push(
    negotiated('1.1.0', (config) => {
      for (const price of config.products[1]?.prices ?? []) price.interval = 'year'
    }),
  )
  const job = await migrate(shop, { priceId: 'seat', to: 'now' })
  expect(job).toMatchObject({ state: 'done', steps: [{ state: 'skipped' }] })
  expect(String(job.steps[0]?.result?.['reason'])).toContain('another interval')
  expect(await shop.items(id)).toEqual({ [former]: 3 })
})

test('a migration keeps seats that were bought after its plan', async () => {
  const { shop, subscriptions, former } = await replaced([1, 1, 1, 1, 1, 1])
  const last = subscriptions.at(-1) ?? ''
  shop.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: `/v1/subscriptions/${last}`, count: null })
  const failed = await migrate(shop, { to: 'now' })
  expect(failed).toMatchObject({ state: 'failed', stepsDone: 5 })
  shop.sandbox.control.clearFaults()
  const { items } = await shop.stripe.subscriptions.retrieve(last)
  await shop.stripe.subscriptions.update(last, {
    items: [{ id: items.data[0]?.id ?? '', price: former, quantity: 40 }],
  })
  await shop.service.resumeJob(failed.id)
  expect(await shop.finished(failed.id)).toMatchObject({ state: 'done' })
  expect(await shop.items(last)).toEqual({ pro_monthly: 40 })
})

test('metered usage until the end of the period is billed at the former price, even with an immediate migration', async () => {
  const { shop, customer } = await soldShop({ calls: null })
  const use = (value: number) =>
    shop.stripe.billing.meterEvents.create({
      event_name: 'call',
      payload: { stripe_customer_id: customer, value: String(value) },
    })
  await use(100)
  await shop.reprice('1.1.0', 'calls', 7)
  const plan = await shop.service.planMigration({ priceId: 'calls', to: 'now' })
  expect(plan.lines).toMatchObject([{ effective: 'period_end', monthlyBefore: null, monthlyAfter: null }])
  expect(plan.totals).toMatchObject([{ subscriptions: 1, byUsage: 1, before: 0, after: 0 }])
  await migrate(shop, { priceId: 'calls', to: 'now' })
  shop.advance(monthly)
  expect(await lastAmount(shop, 't')).toBe(500)
  await use(100)
  shop.advance(monthly)
  expect(await lastAmount(shop, 't')).toBe(700)
})

test('a migration of an unknown price is refused', async () => {
  const shop = await tenantShop(negotiated())
  expect(await refusalOf(shop.service.planMigration({ priceId: 'nothing', to: 'renewal' }))).toBe('price_not_found')
})
