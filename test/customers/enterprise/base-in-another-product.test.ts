// Enterprise prices that lie in a product of their own: their base prices are those of the other products.
import { expect, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { nobody } from '../../support/stack.ts'
import { gold, nothing, tenantShop } from '../../support/shop/tenant-shop.ts'

const monthly = { currency: 'usd', interval: 'month' } as const

/** A list of two plans, and the deals of the template `gold` in a product that only they use. */
function shop(version: string, amount = 1000, more: readonly Price[] = []): BillingConfig {
  return {
    version,
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [
          { id: 'pro_monthly', amount, ...monthly },
          { id: 'pro_yearly', amount: 10_000, currency: 'usd', interval: 'year' },
        ],
      },
      {
        id: 'deals',
        name: 'Deals',
        prices: [{ id: 'pro_monthly_gold', percent_off_base: '20', enterprise_template: 'gold', ...monthly }, ...more],
      },
    ],
  }
}

const urls = { successUrl: 'https://a.example/', cancelUrl: 'https://a.example/' }
const seats = { id: 'seat', amount: 300, ...monthly }
const goldSeats: Price = { id: 'cheap', amount: 200, enterprise_template: 'gold', base_price: 'seat', ...monthly }

test('a deal moves a subscription to a price of another product, and back, and counts as a price of the base’s product', async () => {
  const world = await tenantShop(shop('1.0.0'))
  const customer = await world.tenant('acme')
  const { id } = await world.subscribe(customer, { pro_monthly: 3 })
  expect(await world.apply('acme', gold)).toMatchObject({ pricesSwapped: 1, skipped: [] })
  expect(await world.items(id)).toEqual({ pro_monthly_gold: 3 })
  const buy = (tenantId: string, priceId: string) =>
    world.service.createCheckout({ ...urls, priceId }, { kind: 'key', keyId: 'key', tenantId }, null)
  // The yearly plan is of the product for which the tenant has a deal already.
  await expect(buy('acme', 'pro_yearly')).rejects.toMatchObject({ code: 'already_subscribed' })
  await world.tenant('other')
  await world.apply('other', gold)
  const { sessionId } = await buy('other', 'pro_monthly')
  const { data } = await world.stripe.checkout.sessions.listLineItems(sessionId ?? '')
  expect(data.map(({ price }) => price?.id)).toEqual([await world.processorPrice('pro_monthly_gold')])
  expect(await world.apply('acme', nothing)).toMatchObject({ pricesSwapped: 1 })
  expect(await world.items(id)).toEqual({ pro_monthly: 3 })
})

test('a push that changes a base price changes the percentage deal in the other product, and a pull keeps its percentage', async () => {
  const world = await tenantShop(shop('1.0.0'))
  const outcome = await world.service.push(shop('1.1.0', 1500), { ...nobody, approveImpact: true })
  expect(outcome.changes.prices.updated).toEqual(['pro_monthly', 'pro_monthly_gold'])
  expect(await world.stripe.prices.retrieve(await world.processorPrice('pro_monthly_gold'))).toMatchObject({
    unit_amount: 1200,
  })
  const { document, unrepresentable } = await world.service.pull()
  expect(unrepresentable).toEqual([])
  expect(document.products[1]?.prices).toMatchObject([{ id: 'pro_monthly_gold', percent_off_base: '20' }])
  expect((await world.service.push(document, { ...nobody, dryRun: true })).writes).toBe(0)
})

test('`base_price` may name a price of any product, and one template has one price for each base in the whole document', () => {
  const withSeats = (...more: Price[]) => validateConfig(shop('1.0.0', 1000, [seats, ...more]))
  expect(withSeats(goldSeats)).toMatchObject({ errors: [], warnings: [] })
  expect(validateConfig(shop('1.0.0', 1000, [{ ...goldSeats, base_price: 'pro_monthly' }])).errors).toMatchObject([
    { code: 'base_price_duplicate', pointer: '#/products/1/prices/1/enterprise_template' },
  ])
  expect(withSeats({ ...goldSeats, base_price: 'pro_yearly' }).errors).toMatchObject([{ code: 'base_price_mismatch' }])
  expect(withSeats({ ...goldSeats, base_price: 'seats' }).errors).toMatchObject([
    { code: 'base_price_undefined', hint: 'Did you mean "seat"?' },
  ])
})
