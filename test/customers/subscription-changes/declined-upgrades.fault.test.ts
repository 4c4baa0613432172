// An upgrade takes a scheduled downgrade off, its card is declined, and the process is killed: the downgrade comes all the same.
import { describe, expect } from 'vitest'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { negotiated, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedDeclines00'
const caller = { author: null, by: null, requestId: null }
const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
const change = { items: [{ priceId: 'pro', quantity: 7 }], replaces: 'pro_monthly' }
const downgrade = { items: [{ priceId: 'pro_monthly', quantity: 2 }], replaces: 'pro_monthly' }

async function prepare(stores: StoreFactory) {
  let ahead = 0
  const world = await killedService(stores, 'change', secretKey, { now: () => Date.now() + ahead })
  const first = shopOver(await world.open(stores.prepared), secretKey)
  await first.push(negotiated())
  const customer = await first.tenant('t')
  const { id } = await first.subscribe(customer, { pro_monthly: 7 })
  await first.service.changeSubscription(downgrade, principal, { ...caller, idempotencyKey: null })
  const usual = (await first.stripe.customers.retrieve(customer, { expand: [] })) as {
    invoice_settings: { default_payment_method: string }
  }
  const { id: declined } = await first.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  const payBy = (method: string) =>
    world.stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } })
  await payBy(declined)
  await first.close()
  world.prepared()

  /** Lets the invoice of the upgrade expire, then the period end; the service looks for schedules to put back in between. */
  const later = async (shop: TenantShop) => {
    await payBy(usual.invoice_settings.default_payment_method)
    shop.advance(1)
    ahead = 24 * 60 * 60_000
    await shop.service.waitingJobs.continueDue()
    await shop.service.waitingJobs.continueDue()
    const { subscriptions } = await shop.service.tenantSubscriptions('t')
    shop.advance(32)
    ahead = 0
    const unfinished = (await shop.store.jobs.unfinished('subscription_change', 't')).length
    return {
      scheduled: subscriptions.map(({ scheduled }) => scheduled?.items.length),
      items: await shop.items(id),
      unfinished,
    }
  }
  return { world, later }
}

const downgraded = { scheduled: [1], items: { pro_monthly: 2 }, unfinished: 0 }

describe('an upgrade with a declined payment whose process is killed at any point', () => {
  testOnEachEngine('keeps the scheduled downgrade, whether or not the upgrade is retried,', 600_000, async (stores) => {
    const { world, later } = await prepare(await stores())
    try {
      const { stack, close, points } = await world.killedAt(0, { change })
      expect(await later(shopOver(stack, secretKey))).toEqual(downgraded)
      await close()
      for (let point = 1; point <= points; point++)
        for (const retries of [true, false]) {
          const found = await world.killedAt(point, { change })
          const shop = shopOver(found.stack, secretKey)
          try {
            if (retries)
              expect(
                await shop.service.changeSubscription(change, principal, { ...caller, idempotencyKey: 'once' }),
              ).toMatchObject({
                status: 'payment_required',
              })
            const after = await later(shop)
            expect({ point, retries, killed: found.killed, ...after }).toEqual({
              point,
              retries,
              killed: true,
              ...downgraded,
            })
          } finally {
            await found.close()
          }
        }
    } finally {
      await world.close()
    }
  })
})
