// An account with a year of history: the service starts with it, and answers five questions of its owner.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createService, type Service } from '../../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { mirrorSettings } from '../../support/mirror.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { TestClock } from '../../support/sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

const day = 86_400_000
const clock = new TestClock(Date.UTC(2025, 0, 10, 12))
const page = { limit: 100, offset: 0 }
let stack: Stack
let service: Service

const priceList = (amount: number, version: string): BillingConfig => ({
  version,
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount, currency: 'usd', interval: 'month' }] }],
})

async function currentPrice(): Promise<string> {
  const entries = await stack.store.mappings.byConfigId('price', 'pro_monthly')
  return entries.at(-1)?.processorId ?? ''
}

const subscriptions = new Map<string, string>()
async function subscribe(tenant: string): Promise<string> {
  const customer = await payingCustomer(stack.stripe, { name: tenant })
  await stack.service.createTenant(
    { id: tenant, name: tenant, processorCustomerId: customer },
    { author: null, by: null, requestId: null },
  )
  const { id } = await stack.stripe.subscriptions.create({ customer, items: [{ price: await currentPrice() }] })
  subscriptions.set(tenant, id)
  return customer
}

/** Advances the processor's clock day by day, so that subscriptions renew on their days. */
async function passUntil(time: number): Promise<void> {
  while (clock.now() < time) {
    clock.advance(Math.min(3 * day, time - clock.now()))
    await stack.stripe.customers.list({ limit: 1 })
  }
}

/** Waits until the mirror shows everything until now. */
async function caughtUp(): Promise<void> {
  clock.advance(1000)
  for (;;) {
    service.feed?.feeder.wake()
    const status = await service.feed?.mirror.status()
    if (status?.state === 'ready' && (status.asOf ?? 0) >= clock.now()) return
    await wait(20)
  }
}

beforeAll(async () => {
  stack = await startStack({ clock })
  await stack.service.push(priceList(1000, '1.0.0'), nobody)
  for (const tenant of ['ada', 'bob']) await subscribe(tenant)
  const dan = await subscribe('dan')
  await passUntil(Date.UTC(2025, 11, 20))
  const { id: card } = await stack.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: dan })
  await stack.stripe.customers.update(dan, { invoice_settings: { default_payment_method: card } })
  await passUntil(Date.UTC(2026, 0, 5))
  await stack.service.push(priceList(1500, '1.1.0'), { ...nobody, author: 'Ada' })
  await subscribe('cleo')
  await passUntil(Date.UTC(2026, 0, 11, 12))
  const invoices = await stack.stripe.invoices.list({ subscription: subscriptions.get('ada') ?? '', limit: 1 })
  const payments = await stack.stripe.invoices.retrieve(invoices.data[0]?.id ?? '', { expand: ['payments'] })
  const intent = payments.payments?.data[0]?.payment.payment_intent as string
  await stack.stripe.refunds.create({ payment_intent: intent, amount: 250 })
  service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    ...{ store: stack.store, processor: stack.processor, processorName: 'sandbox', processorMode: 'sandbox', clock },
    mirror: mirrorSettings,
  })
  service.feed?.feeder.start()
  await caughtUp()
}, 60_000)
afterAll(async () => {
  await service.close()
  await stack.close()
})

async function all<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe('the billing data of an account with a year of history', () => {
  test('lists the tenants that are past due, and the amounts that they owe', async () => {
    const { items, asOf } = await service.listTenants({ ...page, state: 'past_due' })
    expect(items).toMatchObject([
      { id: 'dan', billingStatus: 'past_due', owed: [{ amount: '1000', formatted: '$10.00' }] },
    ])
    expect(asOf).toBe(clock.now())
    expect((await service.doctor()).find(({ check }) => check === 'past due')).toMatchObject({
      status: 'warning',
      detail: '1 tenant is past due: a renewal was not paid.',
    })
    const { currencies } = await service.money()
    expect(currencies).toMatchObject([
      { currency: 'usd', pastDue: { amount: '1000', formatted: '$10.00', tenants: 1 } },
    ])
  })

  test('lists the tenants that still pay the former price', async () => {
    const { items, total } = await service.priceSubscribers('pro_monthly', { ...page, generation: 'legacy' })
    expect(items.map(({ tenantId }) => tenantId)).toEqual(['ada', 'bob', 'dan'])
    expect(total).toBe(3)
    expect(items[0]).toMatchObject({ legacy: true, amount: '1000', monthly: [{ currency: 'usd', amount: '1000' }] })
    const { items: current } = await service.priceSubscribers('pro_monthly', { ...page, generation: 'current' })
    expect(current).toMatchObject([{ tenantId: 'cleo', amount: '1500', legacy: false }])
    const { currencies } = await service.money()
    expect(currencies).toMatchObject([
      {
        ...{ mrr: '4500', subscriptions: 4, tenants: 4 },
        byProduct: [{ productId: 'pro', mrr: '4500', subscriptions: 4 }],
        byPrice: [{ priceId: 'pro_monthly', mrr: '4500', subscriptions: 4, legacy: { mrr: '3000', subscriptions: 3 } }],
        last30Days: { new: '0', net: '0' },
      },
    ])
  })

  test('can be exported for the accountant: each invoice and refund of January, by day', async () => {
    const { rows } = await service.exportInvoices({ from: '2026-01-01', to: '2026-01-31' })
    const found = await all(rows)
    expect(
      found
        .map(({ date, type, tenantId, total, amountPaid, amountRefunded, status }) =>
          [date, type, tenantId, total, amountPaid, amountRefunded, status].join(' '),
        )
        .sort(),
    ).toEqual([
      '2026-01-05 invoice cleo 15.00 15.00 0.00 paid',
      '2026-01-10 invoice ada 10.00 10.00 2.50 paid',
      '2026-01-10 invoice bob 10.00 10.00 0.00 paid',
      '2026-01-10 invoice dan 10.00 0.00 0.00 open',
      '2026-01-11 refund ada 2.50   succeeded',
    ])
    const december = await service.exportInvoices({ from: '2025-12-01', to: '2025-12-31' })
    expect(await all(december.rows)).toHaveLength(3)
  })

  test('contains the subscribers of each version of a price for the impact of the next push, without reading subscriptions from the processor', async () => {
    const planned = await service.push(priceList(2000, '1.2.0'), { ...nobody, dryRun: true })
    expect(planned.asOf).toBe(clock.now())
    expect(planned.impact).toMatchObject([
      {
        ...{ action: 'replace', subscriptions: 4, tenants: 4, monthly: [{ amount: 4500 }] },
        generations: [
          { current: true, subscriptions: 1, amount: '1500' },
          { current: false, subscriptions: 3, amount: '1000' },
        ],
      },
    ])
    const migration = await service.planMigration({ priceId: 'pro_monthly', to: 'renewal' })
    expect(migration.totals).toMatchObject([{ subscriptions: 3, before: 3000, after: 4500 }])
  })

  test('contains the effect of the last push on the revenue of its day, once that day has ended', async () => {
    await service.push(priceList(2000, '1.2.0'), { ...nobody, author: 'Bob' })
    await subscribe('eve')
    const bob = await stack.stripe.subscriptions.retrieve(subscriptions.get('bob') ?? '')
    await stack.stripe.subscriptionItems.update(bob.items.data[0]?.id ?? '', {
      price: await currentPrice(),
      proration_behavior: 'none',
    })
    await stack.stripe.subscriptions.cancel(subscriptions.get('cleo') ?? '')
    await caughtUp()
    const today = (await service.money()).currencies[0]?.last30Days
    expect(today).toMatchObject({ new: '2000', expansion: '1000', churn: '1500', contraction: '0', net: '1500' })
    expect((await service.moneyDays({ from: '2026-01-01', to: '2026-01-31' })).days).toEqual([])
    await passUntil(Date.UTC(2026, 0, 12, 1))
    await caughtUp()
    const kept = async () => service.moneyDays({ from: '2026-01-01', to: '2026-01-31' })
    while ((await kept()).days.length === 0) await wait(20)
    const { days, pushes } = await kept()
    expect(days).toMatchObject([
      {
        ...{ day: '2026-01-11', currency: 'usd', mrr: '6000', new: '2000', expansion: '1000', churn: '1500' },
        ...{ reactivation: '0', pastDue: '1000', byProduct: [{ productId: 'pro', mrr: '6000' }] },
      },
    ])
    expect(pushes).toMatchObject([
      { version: '1.1.0', by: 'Ada' },
      { version: '1.2.0', by: 'Bob' },
    ])
    expect((await service.money()).currencies[0]?.last30Days).toMatchObject({ new: '2000', net: '1500' })
  })

  test('lists the tenants that have missed two payments', async () => {
    await passUntil(Date.UTC(2026, 1, 11, 12))
    await caughtUp()
    const { items } = await service.listTenants({ ...page, owing: true, sort: 'owed', order: 'desc' })
    expect(items.map(({ id }) => id)).toEqual(['dan'])
    const { items: invoices } = await service.tenantInvoices('dan', page)
    const open = invoices.filter(({ status }) => status === 'open')
    expect(open).toMatchObject([{ amountRemaining: '1000' }, { amountRemaining: '1000' }])
    expect(open[0]?.lines).toMatchObject([{ priceId: 'pro_monthly', amount: '1000' }])
  })
})
