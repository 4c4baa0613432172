// A checkout of several prices is killed at every point and asked again: whatever pages are open, one of them can be paid.
import { describe, expect } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import type { Stack } from '../../support/stack.ts'
import { caller, shopOver } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedSales00000'
const usd = { currency: 'usd' } as const
const monthly = { interval: 'month', ...usd } as const

const shop: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    {
      ...{ id: 'pro', name: 'Pro' },
      prices: [
        { id: 'pro_monthly', amount: 1000, ...monthly, attached_prices: ['calls'] },
        { id: 'calls', amount: 2, ...monthly, usage_type: 'metered', meter: 'calls' },
        { id: 'setup', amount: 9900, ...usd },
      ],
    },
  ],
}

/** Pays every page that is open. Returns how many could be paid. */
async function payAll(stripe: Stack['stripe']): Promise<number> {
  const body = new URLSearchParams({ action: 'pay', email: 'a@b.example', number: '4242 4242 4242 4242' })
  let paid = 0
  for (const { url } of (await stripe.checkout.sessions.list({ status: 'open' })).data)
    if ((await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })).status === 303) paid++
  return paid
}

async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'checkout', secretKey)
  const first = shopOver(await world.open(stores.prepared), secretKey)
  await first.push(shop)
  await first.service.createTenant({ id: 't', name: 'T' }, caller)
  await first.close()
  world.prepared()

  const soldTwice = async (killAt: number) => {
    const { killed, points, stack, close } = await world.killedAt(killAt)
    const after = shopOver(stack, secretKey)
    try {
      const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }
      const items = [{ priceId: 'pro_monthly', quantity: 3 }, { priceId: 'setup' }]
      const page = await stack.service.createCheckout(
        { items, ...urls },
        { kind: 'key', keyId: 'key_1', tenantId: 't' },
        'order-1',
      )
      expect(page.sessionId).not.toBeNull()
      const paid = await payAll(stack.stripe)
      const { subscriptions } = await stack.service.tenantSubscriptions('t')
      const sold = []
      for (const { id } of subscriptions) sold.push(await after.items(id))
      const totals = (await stack.stripe.invoices.list({ limit: 100 })).data.map(({ total }) => total)
      return { killed, points, world: { paid, sold, totals } }
    } finally {
      await close()
    }
  }
  return { soldTwice, close: world.close }
}

async function expectOneSale(stores: StoreFactory): Promise<void> {
  const { soldTwice, close } = await prepare(stores)
  try {
    const undisturbed = await soldTwice(0)
    expect(undisturbed.world).toEqual({
      paid: 1,
      sold: [{ pro_monthly: 3, calls: null }],
      totals: [3 * 1000 + 9900],
    })
    expect(undisturbed.points).toBeGreaterThan(4)
    for (let point = 1; point <= undisturbed.points; point++) {
      const { killed, world } = await soldTwice(point)
      expect({ point, killed, world }).toEqual({ point, killed: true, world: undisturbed.world })
    }
  } finally {
    await close()
  }
}

describe('a checkout of several prices that is killed at any point and retried', () => {
  testOnEachEngine('sells each price exactly once', 600_000, async (stores) => expectOneSale(await stores()))
})
