import { expect, test } from 'vitest'
import { negotiated, nothing, priceIn, soldShop, tenantShop } from '../../support/shop/tenant-shop.ts'

const monthly = 32

test('a swap keeps the quantity 7 and bills nothing now, and the renewal bills seven times the negotiated amount', async () => {
  const { shop, customer, id } = await soldShop({ pro_monthly: 7 })
  const before = await shop.invoices(customer)
  const outcome = await shop.apply('t')
  expect(outcome).toMatchObject({ pricesSwapped: 1, skipped: [], dryRun: false })
  expect(outcome.swaps).toMatchObject([
    { subscription: id, from: 'pro_monthly', to: 'pro_monthly_gold', effective: 'now' },
  ])
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 7 })
  expect(await shop.invoices(customer)).toHaveLength(before.length)
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(7 * 800)
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, swaps: [] })
})

test('a yearly item is never moved to a monthly price', async () => {
  const { shop, id } = await soldShop({ pro_yearly: 2 })
  const outcome = await shop.apply('t')
  expect(outcome).toMatchObject({ pricesSwapped: 0, skipped: [{ price: 'pro_yearly' }] })
  expect(outcome.skipped[0]?.reason).toContain('stands for "pro_yearly"')
  expect(await shop.items(id)).toEqual({ pro_yearly: 2 })
})

test('an item on a former price with another billing interval is skipped, although the current price has a negotiated price', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      for (const price of config.products[0]?.prices ?? [])
        if (price.id.startsWith('pro_monthly')) price.interval = 'year'
    }),
  )
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, { pro_monthly: 2 })
  const legacy = await shop.processorPrice('pro_monthly')
  await shop.push(negotiated('1.1.0'))
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect(pricesSwapped).toBe(0)
  expect(skipped).toMatchObject([{ price: 'pro_monthly' }])
  expect(skipped[0]?.reason).toContain('another interval')
  expect(await shop.items(id)).toEqual({ [legacy]: 2 })
})

test('usage before a swap is billed at the old price, usage after it at the new one', async () => {
  const { shop, customer, id } = await soldShop({ calls: null })
  await shop.use(customer, 100)
  const { swaps } = await shop.apply('t')
  expect(swaps).toMatchObject([{ from: 'calls', to: 'calls_gold', effective: 'period_end' }])
  expect(await shop.items(id)).toEqual({ calls: null })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, skipped: [] })
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(500)
  expect(await shop.items(id)).toEqual({ calls_gold: null })
  await shop.use(customer, 100)
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(300)
})

test('in a mixed subscription the licensed item is swapped now, the metered item at period end', async () => {
  const { shop, customer, id } = await soldShop({ pro_monthly: 3, calls: null })
  await shop.use(customer, 10)
  const { swaps } = await shop.apply('t')
  expect(swaps.map(({ to, effective }) => [to, effective])).toEqual([
    ['pro_monthly_gold', 'now'],
    ['calls_gold', 'period_end'],
  ])
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 3, calls: null })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(3 * 800 + 10 * 5)
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 3, calls_gold: null })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
})

test('a metered item of a subscription that ends with its period is skipped, because its price could change only afterwards', async () => {
  const { shop, id } = await soldShop({ calls: null, seat: 1 }, { cancel_at_period_end: true })
  const outcome = await shop.apply('t')
  expect(outcome.swaps).toMatchObject([{ from: 'seat', to: 'seat_gold', effective: 'now' }])
  expect(outcome.skipped).toMatchObject([
    { reason: 'The subscription ends with the period, before the price could change.' },
  ])
  expect(await shop.items(id)).toEqual({ calls: null, seat_gold: 1 })
})

test('an item that was moved to a deal on another base price returns to that base price, not to the price of its purchase', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', ({ products: [pro] }) => {
      const deal = { id: 'pro_gold', enterprise_template: 'gold', base_price: 'pro' }
      pro?.prices?.push({ ...deal, amount: 4000, currency: 'usd', interval: 'month' })
    }),
  )
  const { id, items } = await shop.subscribe(await shop.tenant('t'), { pro_monthly: 1 })
  await shop.apply('t')
  const price = await shop.processorPrice('pro_gold')
  await shop.stripe.subscriptionItems.update(items.data[0]?.id ?? '', { price, proration_behavior: 'none' })
  await shop.apply('t', { kind: 'none', to: 'signed' })
  expect(await shop.items(id)).toEqual({ pro: 1 })
})

test('a scheduled swap is cancelled if the deal is removed, and replaced if another template is applied', async () => {
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
  const { id } = await shop.subscribe(customer, { calls: null })
  await shop.apply('t')
  const silver = await shop.apply('t', { kind: 'template', template: 'silver' })
  expect(silver.swaps).toMatchObject([{ from: 'calls_gold', to: 'calls_silver', effective: 'period_end' }])
  const removed = await shop.apply('t', nothing)
  expect(removed.swaps).toMatchObject([{ from: 'calls_silver', to: 'calls', effective: 'period_end' }])
  expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 0 })
  await shop.use(customer, 10)
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(50)
  expect(await shop.items(id)).toEqual({ calls: null })
})

test('two items of one subscription that would end up on one price are both skipped with the reason', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const legacy = await shop.processorPrice('pro_monthly')
  await shop.reprice('1.1.0', 'pro_monthly', 1200)
  // An archived price cannot be bought, so it is reactivated by hand.
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
  expect(await shop.items(id)).toEqual({ [legacy]: 2, pro_monthly: 3 })
})

test('21 items of two subscriptions are swapped with a single update per subscription', async () => {
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
  const first = await shop.subscribe(customer, Object.fromEntries(addons))
  const second = await shop.subscribe(customer, { pro_monthly: 4 })
  const writes = shop.writes()
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 21, skipped: [] })
  expect(shop.writes() - writes).toBe(2)
  expect(await shop.items(first.id)).toEqual(
    Object.fromEntries(addons.map(([id, quantity]) => [`${id}_gold`, quantity])),
  )
  expect(await shop.items(second.id)).toEqual({ pro_monthly_gold: 4 })
  shop.advance(monthly)
  const amounts = (await shop.invoices(customer)).slice(-2).map(({ total }) => total)
  const wanted = addons.reduce((sum, [, quantity], index) => sum + (50 + index) * quantity, 0)
  expect(amounts.sort((a, b) => a - b)).toEqual([4 * 800, wanted].sort((a, b) => a - b))
})

test('a swap of an item with a schedule changes that schedule, and keeps a planned upgrade', async () => {
  const { shop, customer, id } = await soldShop({ seat: 6 })
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
  expect(await shop.items(id)).toEqual({ seat: 6 })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
  shop.advance(monthly)
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 6 })
  expect(await shop.lastAmount(customer)).toBe(6 * 800)
})

test('a negotiated price belongs to the base price with the longest matching id: "pro_monthly_gold" to "pro_monthly", not to "pro"', async () => {
  const { shop, id } = await soldShop({ pro: 2 })
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect({ pricesSwapped, skipped }).toMatchObject({ pricesSwapped: 0, skipped: [{ price: 'pro' }] })
  expect(await shop.items(id)).toEqual({ pro: 2 })
})

test('applying a template moves subscribers of a replaced list or negotiated price to the current negotiated price', async () => {
  const { shop, customer, id } = await soldShop({ pro_monthly: 5 })
  await shop.reprice('1.1.0', 'pro_monthly', 1300)
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 1, swaps: [{ from: 'pro_monthly' }] })
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 5 })
  await shop.push(
    negotiated('1.2.0', (config) => {
      priceIn(config, 'pro_monthly').amount = 1300
      priceIn(config, 'pro_monthly_gold').amount = 650
    }),
  )
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 1 })
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(5 * 650)
})
