import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { callsMeter, perCall } from '../../support/fixtures.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { newAudit, newTenant } from '../../support/shop/tenant-records.ts'

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
})
afterEach(() => stack.close())

/** Runs the work with a server that requires approval for pushes that affect more than one subscription. */
async function withThreshold(work: (careful: Stack) => Promise<void>): Promise<void> {
  const usual = stack
  stack = await startStack({ impactThreshold: 1 })
  try {
    await work(stack)
  } finally {
    await stack.close()
    stack = usual
  }
}

const shop = (amount: number, version = '1.0.0'): BillingConfig => ({
  version,
  meters: [callsMeter],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount, currency: 'usd', interval: 'month' },
        { id: 'pro_yearly', amount: 99_000, currency: 'eur', interval: 'year' },
        perCall,
        { id: 'setup', amount: 5_000, currency: 'usd' },
      ],
    },
  ],
})
const withoutPro: BillingConfig = {
  version: '2.0.0',
  meters: [callsMeter],
  products: [{ id: 'other', name: 'Other' }],
}

async function priceOf(id: string): Promise<string> {
  const entries = await stack.store.mappings.all()
  return entries.filter((entry) => entry.kind === 'price' && entry.configId === id).at(-1)?.processorId ?? ''
}

let people = 0
async function subscribe(
  items: readonly { price: string; quantity?: number }[],
  tenant = true,
  currency?: string,
): Promise<string> {
  const customer = { id: await payingCustomer(stack.stripe, { name: 'Ada' }) }
  if (tenant) await makeTenant(`tenant_${String(++people)}`, customer.id)
  const subscription = await stack.stripe.subscriptions.create({
    customer: customer.id,
    items: [...items],
    ...(currency === undefined ? {} : { currency }),
  })
  return subscription.id
}

async function makeTenant(id: string, processorCustomerId: string): Promise<void> {
  await stack.store.tenants.add(newTenant({ id, processorCustomerId }), newAudit(id, { action: 'tenant_created' }))
}

describe('the impact of a price change', () => {
  test('lists the old price, its subscriptions and tenants, and their monthly amount', async () => {
    await stack.service.push(shop(9900), nobody)
    const monthly = await priceOf('pro_monthly')
    await subscribe([{ price: monthly, quantity: 2 }])
    await subscribe([{ price: monthly }])
    await subscribe([{ price: monthly }], false)
    await stack.stripe.subscriptions.cancel(await subscribe([{ price: monthly, quantity: 50 }]))
    const planned = await stack.service.push(shop(12_900, '1.1.0'), { ...nobody, dryRun: true })
    expect(planned.impact).toEqual([
      {
        priceId: 'pro_monthly',
        processorPriceId: monthly,
        action: 'replace',
        subscriptions: 3,
        subscriptionsWithoutTenant: 1,
        tenants: 2,
        monthly: [{ currency: 'usd', amount: 39_600, formatted: '$396.00' }],
        monthlyAfter: [{ currency: 'usd', amount: 51_600, formatted: '$516.00' }],
        usageBased: false,
        subscribersUrl: '/api/v1/billing/admin/prices/pro_monthly/subscribers',
        generations: [
          {
            processorPriceId: monthly,
            currency: 'usd',
            amount: '9900',
            formatted: '$99.00',
            subscriptions: 3,
            tenants: 2,
            monthly: [{ currency: 'usd', amount: 39_600, formatted: '$396.00' }],
            current: true,
          },
        ],
      },
    ])
    const applied = await stack.service.push(shop(12_900, '1.1.0'), nobody)
    expect(applied).toMatchObject({ status: 'applied', impact: planned.impact })
  })

  test('lists each removed price: a yearly price with its monthly amount, usage without an amount, a one-time price without subscribers', async () => {
    await stack.service.push(shop(9900), nobody)
    await subscribe([{ price: await priceOf('pro_yearly') }])
    await subscribe([{ price: await priceOf('calls') }])
    const planned = await stack.service.push(withoutPro, { ...nobody, dryRun: true })
    const told = new Map(planned.impact.map((price) => [price.priceId, price]))
    expect(told.get('pro_yearly')).toMatchObject({
      action: 'archive',
      subscriptions: 1,
      tenants: 1,
      monthly: [{ currency: 'eur', amount: 8250, formatted: '€82.50' }],
    })
    expect(told.get('calls')).toMatchObject({ subscriptions: 1, monthly: [], usageBased: true })
    expect(told.get('setup')).toMatchObject({ subscriptions: 0, tenants: 0, monthly: [] })
    expect(told.get('pro_monthly')).toMatchObject({ subscriptions: 0, monthly: [] })
  })

  test('counts a tenant with two subscriptions once', async () => {
    await stack.service.push(shop(9900), nobody)
    const price = await priceOf('pro_monthly')
    const { customer } = await stack.stripe.subscriptions.retrieve(await subscribe([{ price }]))
    await stack.stripe.subscriptions.create({ customer: customer as string, items: [{ price }] })
    const { impact } = await stack.service.push(shop(12_900, '1.1.0'), { ...nobody, dryRun: true })
    expect(impact).toMatchObject([{ subscriptions: 2, subscriptionsWithoutTenant: 0, tenants: 1 }])
  })

  test('has one amount per currency of the subscriptions, and never adds up two currencies', async () => {
    await stack.service.push(shop(9900), nobody)
    const price = await priceOf('pro_monthly')
    await stack.stripe.prices.update(price, { currency_options: { eur: { unit_amount: 8800 } } })
    await subscribe([{ price }])
    await subscribe([{ price }], true, 'eur')
    const dryRun = { ...nobody, dryRun: true }
    const { impact: both } = await stack.service.push(shop(12_900, '1.1.0'), dryRun)
    expect(both).toMatchObject([
      {
        priceId: 'pro_monthly',
        subscriptions: 2,
        monthly: [
          { currency: 'usd', amount: 9900 },
          { currency: 'eur', amount: 8800 },
        ],
      },
    ])
    // Subscribers in the other currency keep their price.
    await stack.stripe.prices.update(price, { currency_options: '' })
    const { impact: own } = await stack.service.push(shop(12_900, '1.1.0'), dryRun)
    expect(own).toMatchObject([{ subscriptions: 2, monthly: [{ currency: 'usd', amount: 9900 }] }])
  })

  test('includes subscribers of a former price that was reactivated at the processor, and the plan archives that price too', async () => {
    await stack.service.push(shop(9900), nobody)
    const former = await priceOf('pro_monthly')
    await stack.service.push(shop(10_900, '1.1.0'), nobody)
    await stack.stripe.prices.update(former, { active: true })
    await subscribe([{ price: former }])
    const { impact } = await stack.service.push(withoutPro, nobody)
    expect(impact.filter(({ priceId }) => priceId === 'pro_monthly')).toMatchObject([
      {
        processorPriceId: await priceOf('pro_monthly'),
        action: 'archive',
        subscriptions: 1,
        tenants: 1,
        generations: [
          { current: true, subscriptions: 0 },
          { processorPriceId: former, current: false, subscriptions: 1, tenants: 1 },
        ],
      },
    ])
    expect((await stack.stripe.prices.retrieve(former)).active).toBe(false)
  })

  test('includes subscribers of each version of the price, with their own amounts', async () => {
    await stack.service.push(shop(9900), nobody)
    const first = await priceOf('pro_monthly')
    await subscribe([{ price: first }])
    await subscribe([{ price: first }], false)
    await stack.service.push(shop(10_900, '1.1.0'), nobody)
    const second = await priceOf('pro_monthly')
    await subscribe([{ price: second, quantity: 2 }])
    const { impact } = await stack.service.push(shop(11_900, '1.2.0'), { ...nobody, dryRun: true })
    expect(impact).toMatchObject([
      {
        priceId: 'pro_monthly',
        processorPriceId: second,
        action: 'replace',
        subscriptions: 3,
        subscriptionsWithoutTenant: 1,
        tenants: 2,
        monthly: [{ currency: 'usd', amount: 41_600, formatted: '$416.00' }],
        generations: [
          { processorPriceId: second, amount: '10900', subscriptions: 1, tenants: 1, current: true },
          { processorPriceId: first, amount: '9900', subscriptions: 2, tenants: 1, current: false },
        ],
      },
    ])
  })

  test('lists only subscribers of earlier versions of the price if the current version is updated in place', async () => {
    const described = (amount: number, version: string, lookup?: string): BillingConfig => {
      const config = shop(amount, version)
      const [product] = config.products
      const [monthly, ...others] = product?.prices ?? []
      if (product === undefined || monthly === undefined) throw new Error('The shop has no price')
      const changed = lookup === undefined ? monthly : { ...monthly, metadata: { lookup } }
      return { ...config, products: [{ ...product, prices: [changed, ...others] }] }
    }
    await stack.service.push(described(9900, '1.0.0'), nobody)
    const first = await priceOf('pro_monthly')
    await subscribe([{ price: first }])
    const dryRun = { ...nobody, dryRun: true }
    expect((await stack.service.push(described(9900, '1.0.1', 'a'), dryRun)).impact).toEqual([])
    await stack.service.push(described(10_900, '1.1.0'), nobody)
    const { impact } = await stack.service.push(described(10_900, '1.1.1', 'b'), dryRun)
    expect(impact).toMatchObject([
      {
        priceId: 'pro_monthly',
        action: 'update',
        subscriptions: 1,
        generations: [
          { current: true, subscriptions: 0 },
          { processorPriceId: first, current: false, subscriptions: 1 },
        ],
      },
    ])
  })
})

describe('approval of a push that affects subscribers', () => {
  test('is required above the server’s threshold; without approval the push is refused with a list of the affected subscribers', async () => {
    await withThreshold(async (careful) => {
      await careful.service.push(shop(9900), nobody)
      const price = await priceOf('pro_monthly')
      await subscribe([{ price }])
      expect((await careful.service.push(shop(9901, '1.0.1'), nobody)).status).toBe('applied')
      await subscribe([{ price: await priceOf('pro_monthly') }])
      await subscribe([{ price: await priceOf('pro_monthly') }])
      const next = shop(12_900, '1.1.0')
      const planned = await careful.service.push(next, { ...nobody, dryRun: true })
      expect(planned.warnings).toMatchObject([{ code: 'subscribers_affected', severity: 'warning' }])
      const before = careful.writes()
      await expect(careful.service.push(next, nobody)).rejects.toMatchObject({
        code: 'impact_not_approved',
        status: 409,
        extra: { impact: [{ price_id: 'pro_monthly', subscriptions: 3, tenants: 3 }] },
      })
      expect(careful.writes()).toBe(before)
      expect((await careful.service.push(next, { ...nobody, approveImpact: true })).status).toBe('applied')
    })
  })

  test('is requested by a warning that names the first five affected prices and the number of the others', async () => {
    await withThreshold(async (careful) => {
      const ids = Array.from({ length: 9 }, (_, index) => `price_${String(index)}`)
      const many = (amount: number, version: string): BillingConfig => ({
        version,
        products: [
          { id: 'pro', name: 'Pro', prices: ids.map((id) => ({ id, amount, currency: 'usd', interval: 'month' })) },
        ],
      })
      await careful.service.push(many(100, '1.0.0'), nobody)
      const alone = ids.filter((id) => id !== 'price_1' && id !== 'price_6')
      for (const id of [...alone, 'price_3']) await subscribe([{ price: await priceOf(id) }])
      const { warnings } = await careful.service.push(many(200, '1.1.0'), { ...nobody, dryRun: true })
      expect(warnings.map(({ detail }) => detail)).toEqual([
        '8 live subscriptions are on prices that this plan archives or replaces ("price_0", "price_2", "price_3", "price_4", "price_5" and 2 more); this server asks for approval above 1.',
      ])
    })
  })

  test('counts a subscription with two affected items only once', async () => {
    await withThreshold(async (careful) => {
      const two = (amount: number, version: string): BillingConfig => ({
        version,
        products: [
          {
            id: 'pro',
            name: 'Pro',
            prices: ['a', 'b'].map((id) => ({ id, amount, currency: 'usd', interval: 'month' })),
          },
        ],
      })
      await careful.service.push(two(100, '1.0.0'), nobody)
      await subscribe([{ price: await priceOf('a') }, { price: await priceOf('b') }])
      const { impact } = await careful.service.push(two(200, '1.1.0'), nobody)
      expect(impact.map(({ subscriptions }) => subscriptions)).toEqual([1, 1])
    })
  })
})

test('a push without a configured threshold needs no approval, because subscribers keep their price', async () => {
  await stack.service.push(shop(9900), nobody)
  const price = await priceOf('pro_monthly')
  const subscription = await subscribe([{ price }])
  expect((await stack.service.push(shop(12_900, '1.1.0'), nobody)).status).toBe('applied')
  const live = await stack.stripe.subscriptions.retrieve(subscription)
  expect(live.items.data.map((item) => item.price.id)).toEqual([price])
})

describe('a free price whose new version is paid', () => {
  const priced = (amount: number, version: string): BillingConfig => ({
    version,
    products: [{ id: 'hobby', name: 'Hobby', prices: [{ id: 'hobby', amount, currency: 'usd', interval: 'month' }] }],
  })
  const taken = async (tenant: string) => {
    await makeTenant(tenant, `cus_${tenant}`)
    const subscription = { id: `sub_local_${tenant}`, tenantId: tenant, priceId: 'hobby', createdAt: 1, endedAt: null }
    return stack.store.localSubscriptions.start(subscription)
  }

  test('has an impact on tenants whose free subscription runs, but not on ended subscriptions, and so does its removal', async () => {
    await stack.service.push(priced(0, '1.0.0'), nobody)
    await taken('ada')
    await taken('bob')
    const ended = await taken('cleo')
    await stack.store.localSubscriptions.end(ended.id, 2)
    const counted = { priceId: 'hobby', subscriptions: 2, tenants: 2, subscriptionsWithoutTenant: 0 }
    const paid = await stack.service.push(priced(900, '1.1.0'), { ...nobody, dryRun: true })
    expect(paid.impact).toMatchObject([{ ...counted, action: 'replace' }])
    const removed = await stack.service.push(withoutPro, { ...nobody, dryRun: true })
    expect(removed.impact).toMatchObject([{ ...counted, action: 'archive' }])
  })

  test('is listed in the migration, and its free subscribers are listed as skipped', async () => {
    await stack.service.push(priced(0, '1.0.0'), nobody)
    for (const tenant of ['ada', 'bob']) await taken(tenant)
    await stack.service.push(priced(900, '1.1.0'), nobody)
    const request = { priceId: 'hobby', to: 'now', except: ['bob'] } as const
    expect(await stack.service.planMigration(request)).toMatchObject({
      lines: [
        {
          tenantId: 'ada',
          subscription: 'sub_local_ada',
          monthlyBefore: 0,
          monthlyAfter: 900,
          skipped: expect.stringContaining('can buy the paid price at a checkout'),
        },
      ],
      totals: [],
    })
  })

  test('has no impact without subscribers', async () => {
    await stack.service.push(priced(0, '1.0.0'), nobody)
    expect((await stack.service.push(priced(900, '1.1.0'), { ...nobody, dryRun: true })).impact).toEqual([])
  })
})

describe('the tenants of affected subscribers', () => {
  test('are read from the store in one query', async () => {
    await stack.service.push(shop(9900), nobody)
    const monthly = await priceOf('pro_monthly')
    const asked = (['find', 'findByCustomer', 'idsByCustomer', 'list'] as const).map((name) =>
      vi.spyOn(stack.store.tenants, name),
    )
    onTestFinished(() => void vi.restoreAllMocks())
    for (let subscribers = 1; subscribers <= 12; subscribers++) {
      await subscribe([{ price: monthly }])
      if (subscribers !== 2 && subscribers !== 12) continue
      for (const spy of asked) spy.mockClear()
      const { impact } = await stack.service.push(shop(12_900, '1.1.0'), { ...nobody, dryRun: true })
      expect(impact).toMatchObject([{ subscriptions: subscribers, tenants: subscribers }])
      expect(asked.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1)
    }
  })
})
