import { expect, test } from 'vitest'
import { gold, negotiated, nothing, priceIn, tenantShop } from '../../support/tenant-shop.ts'
import type { TenantShop } from '../../support/tenant-shop.ts'

const monthly = 32

async function lastAmount(shop: TenantShop, customer: string): Promise<number | undefined> {
  return (await shop.invoices(customer)).at(-1)?.total
}

async function use(shop: TenantShop, customer: string, value: number): Promise<void> {
  await shop.stripe.billing.meterEvents.create({
    event_name: 'call',
    payload: { stripe_customer_id: customer, value: String(value) },
  })
}

test('quantity 7 stays 7, nothing is billed now, and the renewal has the negotiated amount seven times', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_monthly', 7]])
  const before = await shop.invoices(customer)
  const outcome = await shop.apply('t')
  expect(outcome).toMatchObject({ pricesSwapped: 1, skipped: [], dryRun: false })
  expect(outcome.swaps).toMatchObject([
    { subscription: id, from: 'pro_monthly', to: 'pro_monthly_gold', effective: 'now' },
  ])
  expect(await shop.items(id)).toEqual([['pro_monthly_gold', 7]])
  expect(await shop.invoices(customer)).toHaveLength(before.length)
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(7 * 800)
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, swaps: [] })
})

test('a yearly item never gets the monthly price', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_yearly', 2]])
  const outcome = await shop.apply('t')
  expect(outcome).toMatchObject({ pricesSwapped: 0, skipped: [{ price: 'pro_yearly' }] })
  expect(outcome.skipped[0]?.reason).toContain('stands for "pro_yearly"')
  expect(await shop.items(id)).toEqual([['pro_yearly', 2]])
})

test('an item on a former price of another interval stays, although the price itself has a negotiated one', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      for (const price of config.products[0]?.prices ?? [])
        if (price.id.startsWith('pro_monthly')) price.interval = 'year'
    }),
  )
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_monthly', 2]])
  const legacy = await shop.processorPrice('pro_monthly')
  await shop.push(negotiated('1.1.0'))
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect(pricesSwapped).toBe(0)
  expect(skipped).toMatchObject([{ price: 'pro_monthly' }])
  expect(skipped[0]?.reason).toContain('another interval')
  expect(await shop.items(id)).toEqual([[legacy, 2]])
})

test('usage before the swap is billed at the old price, usage after it at the new one', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['calls']])
  await use(shop, customer, 100)
  const { swaps } = await shop.apply('t')
  expect(swaps).toMatchObject([{ from: 'calls', to: 'calls_gold', effective: 'period_end' }])
  expect(await shop.items(id)).toEqual([['calls', null]])
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, skipped: [] })
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(500)
  expect(await shop.items(id)).toEqual([['calls_gold', null]])
  await use(shop, customer, 100)
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(300)
})

test('of a mixed subscription the licensed item moves now and the metered one when the period ends', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_monthly', 3], ['calls']])
  await use(shop, customer, 10)
  const { swaps } = await shop.apply('t')
  expect(swaps.map(({ to, effective }) => [to, effective])).toEqual([
    ['pro_monthly_gold', 'now'],
    ['calls_gold', 'period_end'],
  ])
  expect(await shop.items(id)).toEqual([
    ['pro_monthly_gold', 3],
    ['calls', null],
  ])
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(3 * 800 + 10 * 5)
  expect(await shop.items(id)).toEqual([
    ['pro_monthly_gold', 3],
    ['calls_gold', null],
  ])
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
})

test('what a schedule still has in store is taken back by removing, and changed by another template', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      config.products[2]?.prices?.push({
        ...priceIn(config, 'calls_gold'),
        id: 'calls_silver',
        amount: 4,
        enterprise_template: 'silver',
      })
    }),
  )
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['calls']])
  await shop.apply('t')
  const silver = await shop.apply('t', { kind: 'template', template: 'silver' })
  expect(silver.swaps).toMatchObject([{ from: 'calls_gold', to: 'calls_silver', effective: 'period_end' }])
  const removed = await shop.apply('t', nothing)
  expect(removed.swaps).toMatchObject([{ from: 'calls_silver', to: 'calls', effective: 'period_end' }])
  expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 0 })
  await use(shop, customer, 10)
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(50)
  expect(await shop.items(id)).toEqual([['calls', null]])
})

test('two items that would share a price both stay, with the reason', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const legacy = await shop.processorPrice('pro_monthly')
  await shop.push(negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200)))
  // An archived price can be kept, not bought: somebody brought it back by hand.
  await shop.stripe.prices.update(legacy, { active: true })
  const { id } = await shop.stripe.subscriptions.create({
    customer,
    items: [
      { price: legacy, quantity: 2 },
      { price: await shop.processorPrice('pro_monthly'), quantity: 3 },
    ],
  })
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect(pricesSwapped).toBe(0)
  expect(skipped.map(({ reason }) => reason.includes('share a price'))).toEqual([true, true])
  expect(await shop.items(id)).toEqual([
    [legacy, 2],
    ['pro_monthly', 3],
  ])
})

test('21 items over two subscriptions all move, each subscription in one update', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      config.products.push(
        ...Array.from({ length: 20 }, (_, index) => {
          const id = `addon${String(index)}`
          return {
            id,
            name: id,
            prices: [
              { id, amount: 100 + index, currency: 'usd' as const, interval: 'month' as const },
              {
                id: `${id}_gold`,
                amount: 50 + index,
                currency: 'usd' as const,
                interval: 'month' as const,
                enterprise_template: 'gold',
              },
            ],
          }
        }),
      )
    }),
  )
  const customer = await shop.tenant('t')
  const addons = Array.from({ length: 20 }, (_, index) => [`addon${String(index)}`, index + 1] as const)
  const first = await shop.subscribe(customer, addons)
  const second = await shop.subscribe(customer, [['pro_monthly', 4]])
  const writes = shop.writes()
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 21, skipped: [] })
  expect(shop.writes() - writes).toBe(2)
  expect(await shop.items(first.id)).toEqual(addons.map(([id, quantity]) => [`${id}_gold`, quantity]))
  expect(await shop.items(second.id)).toEqual([['pro_monthly_gold', 4]])
  shop.advance(monthly)
  const amounts = (await shop.invoices(customer)).slice(-2).map(({ total }) => total)
  const wanted = addons.reduce((sum, [, quantity], index) => sum + (50 + index) * quantity, 0)
  expect(amounts.sort((a, b) => a - b)).toEqual([4 * 800, wanted].sort((a, b) => a - b))
})

test('an item under a schedule moves in the schedule, and a planned upgrade stays an upgrade', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['seat', 6]])
  const schedule = await shop.stripe.subscriptionSchedules.create({ from_subscription: id })
  const [running] = schedule.phases
  if (running === undefined) throw new Error('no phase')
  const items = [{ price: await shop.processorPrice('pro_monthly'), quantity: 6 }]
  await shop.stripe.subscriptionSchedules.update(schedule.id, {
    phases: [
      {
        start_date: running.start_date,
        end_date: running.end_date,
        items: [{ price: await shop.processorPrice('seat'), quantity: 6 }],
      },
      { items, duration: { interval: 'month', interval_count: 1 } },
    ],
  })
  const { swaps } = await shop.apply('t')
  expect(swaps).toMatchObject([{ from: 'pro_monthly', to: 'pro_monthly_gold', effective: 'period_end' }])
  expect(await shop.items(id)).toEqual([['seat', 6]])
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
  shop.advance(monthly)
  expect(await shop.items(id)).toEqual([['pro_monthly_gold', 6]])
  expect(await lastAmount(shop, customer)).toBe(6 * 800)
})

test('the longest base counts: "pro_monthly_gold" stands for "pro_monthly", not for "pro"', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro', 2]])
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect({ pricesSwapped, skipped }).toMatchObject({ pricesSwapped: 0, skipped: [{ price: 'pro' }] })
  expect(await shop.items(id)).toEqual([['pro', 2]])
})

test('a subscriber of a replaced price is recognised, and so is one of a replaced negotiated price', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_monthly', 5]])
  await shop.push(negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1300)))
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 1, swaps: [{ from: 'pro_monthly' }] })
  expect(await shop.items(id)).toEqual([['pro_monthly_gold', 5]])
  await shop.push(
    negotiated('1.2.0', (config) => {
      priceIn(config, 'pro_monthly').amount = 1300
      priceIn(config, 'pro_monthly_gold').amount = 650
    }),
  )
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 1 })
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(5 * 650)
})

test('past due and trialing subscriptions move, cancelled ones are left alone', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const trial = await shop.subscribe(customer, [['pro_monthly', 2]], { trial_period_days: 10 })
  const over = await shop.subscribe(customer, [['pro_monthly', 3]])
  await shop.stripe.subscriptions.cancel(over.id)
  const debtor = await shop.tenant('debtor')
  const late = await shop.subscribe(debtor, [['pro_monthly', 4]])
  const card = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: debtor })
  await shop.stripe.subscriptions.update(late.id, { default_payment_method: card.id })
  shop.advance(monthly)
  const trial2 = await shop.subscribe(customer, [['seat', 2]], { trial_period_days: 10 })
  expect((await shop.stripe.subscriptions.retrieve(late.id)).status).toBe('past_due')
  expect((await shop.stripe.subscriptions.retrieve(trial2.id)).status).toBe('trialing')
  expect(await shop.apply('debtor')).toMatchObject({ pricesSwapped: 1 })
  expect(await shop.items(late.id)).toEqual([['pro_monthly_gold', 4]])
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 2, skipped: [] })
  expect(await shop.items(trial.id)).toEqual([['pro_monthly_gold', 2]])
  expect(await shop.items(trial2.id)).toEqual([['seat_gold', 2]])
  expect(await shop.items(over.id)).toEqual([['pro_monthly', 3]])
  shop.advance(11)
  expect(await lastAmount(shop, customer)).toBe(2 * 200)
})

test('a metered item of a subscription that ends with its period stays, a licensed one may change', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['pro_monthly', 2], ['calls']], { cancel_at_period_end: true })
  const { swaps, skipped } = await shop.apply('t')
  expect(swaps).toMatchObject([{ to: 'pro_monthly_gold', effective: 'now' }])
  expect(skipped).toMatchObject([{ price: 'calls' }])
  expect((await shop.stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true)
})

test('a subscription that is cancelled on a date keeps its metered item, with the reason, and the template is applied', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const soon = Math.floor(shop.sandbox.control.now(shop.secretKey)) + 90 * 86_400
  await shop.subscribe(customer, [['calls']], { cancel_at: soon })
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect(pricesSwapped).toBe(0)
  expect(skipped).toMatchObject([{ price: 'calls' }])
  expect(skipped[0]?.reason).toContain('cancelled')
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: 'gold' })
})

test('the step between free and paid waits for the end of the period, because the processor would bill it at once', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      config.products.push({
        id: 'basic',
        name: 'Basic',
        prices: [
          { id: 'basic', amount: 400, currency: 'usd', interval: 'month' },
          { id: 'basic_gold', amount: 0, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
        ],
      })
    }),
  )
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [['basic', 2]])
  const count = (await shop.invoices(customer)).length
  expect((await shop.apply('t')).swaps).toMatchObject([{ to: 'basic_gold', effective: 'period_end' }])
  shop.advance(monthly)
  expect(await shop.items(id)).toEqual([['basic_gold', 2]])
  // The schedule lets go after the first period of the new price.
  shop.advance(monthly)
  const free = (await shop.invoices(customer)).length
  expect((await shop.apply('t', nothing)).swaps).toMatchObject([{ to: 'basic', effective: 'period_end' }])
  expect(await shop.invoices(customer)).toHaveLength(free)
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(800)
  expect(free).toBeGreaterThan(count)
})

test('removing puts items back on their base price as it is now, and leaves ordinary ones alone', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, [
    ['pro_monthly', 7],
    ['pro', 1],
  ])
  await shop.apply('t', { kind: 'custom', enterpriseId: 'acme' })
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: 'acme' })
  expect(await shop.items(id)).toEqual([
    ['pro_monthly_acme', 7],
    ['pro', 1],
  ])
  const removed = await shop.apply('t', nothing)
  expect(removed).toMatchObject({ pricesSwapped: 1, skipped: [] })
  expect(await shop.items(id)).toEqual([
    ['pro_monthly', 7],
    ['pro', 1],
  ])
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: null })
  shop.advance(monthly)
  expect(await lastAmount(shop, customer)).toBe(7 * 1000 + 5000)
  expect((await shop.apply('t', gold)).swaps).toHaveLength(1)
})
