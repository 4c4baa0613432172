import { expect, test } from 'vitest'
import { gold, negotiated, nothing, soldShop, tenantShop } from '../../support/shop/tenant-shop.ts'

const monthly = 32

test('subscriptions that are past due or in a trial are moved to the new price, and cancelled subscriptions are not', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const trial = await shop.subscribe(customer, { pro_monthly: 2 }, { trial_period_days: 10 })
  const over = await shop.subscribe(customer, { pro_monthly: 3 })
  await shop.stripe.subscriptions.cancel(over.id)
  const debtor = await shop.tenant('debtor')
  const late = await shop.subscribe(debtor, { pro_monthly: 4 })
  const card = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: debtor })
  await shop.stripe.subscriptions.update(late.id, { default_payment_method: card.id })
  shop.advance(monthly)
  const trial2 = await shop.subscribe(customer, { seat: 2 }, { trial_period_days: 10 })
  expect((await shop.stripe.subscriptions.retrieve(late.id)).status).toBe('past_due')
  expect((await shop.stripe.subscriptions.retrieve(trial2.id)).status).toBe('trialing')
  expect(await shop.apply('debtor')).toMatchObject({ pricesSwapped: 1 })
  expect(await shop.items(late.id)).toEqual({ pro_monthly_gold: 4 })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 2, skipped: [] })
  expect(await shop.items(trial.id)).toEqual({ pro_monthly_gold: 2 })
  expect(await shop.items(trial2.id)).toEqual({ seat_gold: 2 })
  expect(await shop.items(over.id)).toEqual({ pro_monthly: 3 })
  shop.advance(11)
  expect(await shop.lastAmount(customer)).toBe(2 * 200)
})

test('a subscription that is cancelled at period end swaps its licensed item and skips its metered item', async () => {
  const { shop, id } = await soldShop({ pro_monthly: 2, calls: null }, { cancel_at_period_end: true })
  const { swaps, skipped } = await shop.apply('t')
  expect(swaps).toMatchObject([{ to: 'pro_monthly_gold', effective: 'now' }])
  expect(skipped).toMatchObject([{ price: 'calls' }])
  expect((await shop.stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true)
})

test('a metered item of a subscription with a cancellation date is skipped with the reason, and the template is applied', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const soon = Math.floor(shop.sandbox.control.now(shop.secretKey)) + 90 * 86_400
  await shop.subscribe(customer, { calls: null }, { cancel_at: soon })
  const { pricesSwapped, skipped } = await shop.apply('t')
  expect(pricesSwapped).toBe(0)
  expect(skipped).toMatchObject([{ price: 'calls' }])
  expect(skipped[0]?.reason).toContain('cancelled')
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: 'gold' })
})

test('a swap between a free and a paid price is scheduled for the end of the period, so that nothing is billed at once', async () => {
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
  const { id } = await shop.subscribe(customer, { basic: 2 })
  const count = (await shop.invoices(customer)).length
  expect((await shop.apply('t')).swaps).toMatchObject([{ to: 'basic_gold', effective: 'period_end' }])
  shop.advance(monthly)
  expect(await shop.items(id)).toEqual({ basic_gold: 2 })
  // The schedule is released after the first period of the new price.
  shop.advance(monthly)
  const free = (await shop.invoices(customer)).length
  expect((await shop.apply('t', nothing)).swaps).toMatchObject([{ to: 'basic', effective: 'period_end' }])
  expect(await shop.invoices(customer)).toHaveLength(free)
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(800)
  expect(free).toBeGreaterThan(count)
})

test('removing a deal moves the items with negotiated prices back to the current base prices, and leaves other items unchanged', async () => {
  const { shop, customer, id } = await soldShop({ pro_monthly: 7, pro: 1 })
  await shop.apply('t', { kind: 'custom', enterpriseId: 'acme' })
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: 'acme' })
  expect(await shop.items(id)).toEqual({ pro_monthly_acme: 7, pro: 1 })
  const removed = await shop.apply('t', nothing)
  expect(removed).toMatchObject({ pricesSwapped: 1, skipped: [] })
  expect(await shop.items(id)).toEqual({ pro_monthly: 7, pro: 1 })
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: null })
  shop.advance(monthly)
  expect(await shop.lastAmount(customer)).toBe(7 * 1000 + 5000)
  expect((await shop.apply('t', gold)).swaps).toHaveLength(1)
})
