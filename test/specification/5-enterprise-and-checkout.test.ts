// The specification, "Enterprise application rules" and "Checkout creation".
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../packages/client/src/client.ts'
import { startPushedApp } from '../support/app.ts'
import { cookieOf, sessionOf, urls } from '../support/shop/selling.ts'
import { startedForEach } from '../support/started.ts'
import { gold, nothing, soldShop } from '../support/shop/tenant-shop.ts'
import { elsewhere } from './elsewhere.ts'

describe('when a template or an enterprise id is applied to a tenant,', () => {
  test('1, 2. every item whose price has an enterprise price is swapped to it, in all active subscriptions', async () => {
    const { shop, customer, id } = await soldShop({ pro_monthly: 7 })
    const second = await shop.subscribe(customer, { seat: 2 })
    await shop.apply('t')
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: 7 })
    expect(await shop.items(second.id)).toEqual({ seat_gold: 2 })
  })

  test('3, 4. the tenant’s field is set, and the count of swapped prices is returned', async () => {
    const { shop } = await soldShop({ pro_monthly: 7, seat: 2 })
    expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 2 })
    expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: 'gold', enterpriseId: null })
    expect(await shop.apply('t', gold)).toMatchObject({ pricesSwapped: 0 })
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 2 })
  })

  test('5. nothing is billed or credited at once: the new price counts from the next renewal', async () => {
    const { shop, customer } = await soldShop({ pro_monthly: 7 })
    await shop.apply('t')
    expect(await shop.invoices(customer)).toHaveLength(1)
    shop.advance(32)
    expect(await shop.lastAmount(customer)).toBe(7 * 800)
  })

  elsewhere(
    '6. the base price of an enterprise price is the price whose id its own id begins with',
    'test/document/derived.test.ts',
    'the base of a negotiated price is the ordinary price with the longest id',
  )
  elsewhere(
    '7. an enterprise price is never public',
    'test/support/rules/rule-cases-enterprise.ts',
    'a public template price',
  )
})

describe('a checkout', () => {
  const app = startedForEach(() => startPushedApp())

  test('is created with priceId, successUrl and cancelUrl, and with trialPeriodDays and allowPromotionCodes if wished', async () => {
    const session = await sessionOf(app, 'guest')
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.app.server.address() as AddressInfo
    const client = createClient({ baseUrl: `http://127.0.0.1:${String(port)}`, session })
    const wish = { priceId: 'pro_monthly', successUrl: urls.success_url, cancelUrl: urls.cancel_url }
    const { url } = await client.checkout.create({ ...wish, trialPeriodDays: 7, allowPromotionCodes: true })
    expect((await fetch(url)).status).toBe(200)
    expect((await client.checkout.create(wish)).url).toContain(app.sandbox.url)
  })

  test('needs a service key or the cookie of a session', async () => {
    const buy = async (headers: Record<string, string>) =>
      (
        await app.inject({
          method: 'POST',
          url: '/api/v1/billing/checkout',
          payload: { price_id: 'pro_monthly', ...urls },
          headers,
        })
      ).statusCode
    expect(await buy({})).toBe(401)
    expect(await buy({ cookie: cookieOf(await sessionOf(app, 'guest')) })).toBe(200)
    expect(await buy({ 'x-service-key': app.key })).toBe(200)
  })
})
