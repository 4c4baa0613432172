import { describe, expect } from 'vitest'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { caller, gold, negotiated, shopOver } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedApplies0000'

async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'apply', secretKey)
  const first = shopOver(await world.open(stores.prepared), secretKey)
  await first.push(negotiated())
  const customer = await first.tenant('t')
  const subscriptions = [
    await first.subscribe(customer, { pro_monthly: 7, calls: null, seat: 2 }),
    await first.subscribe(customer, { pro_monthly: 3 }),
  ].map(({ id }) => id)
  await first.close()
  world.prepared()

  /** Kills an apply at this point (0: none) and retries it. */
  const applyTwice = async (killAt: number) => {
    const { killed, points, stack, close } = await world.killedAt(killAt)
    const shop = shopOver(stack, secretKey)
    try {
      const before = await shop.service.listJobs({ limit: 10, offset: 0 })
      await shop.apply('t')
      const items = []
      for (const id of subscriptions) items.push(await shop.items(id))
      const invoices = (await shop.invoices(customer)).length
      shop.advance(32)
      const renewed = []
      for (const id of subscriptions) renewed.push(await shop.items(id))
      const { enterpriseTemplate } = await shop.service.findTenant('t')
      const repeated = (await shop.service.applyEnterprise('t', gold, { ...caller, dryRun: true })).pricesSwapped
      const unfinished = await shop.store.jobs.unfinished('enterprise_apply', 't')
      const left = { items, invoices, renewed, enterpriseTemplate, repeated, unfinished: unfinished.length }
      return { killed, points, running: before.items.filter(({ state }) => state === 'running').length, world: left }
    } finally {
      await close()
    }
  }
  return { applyTwice, close: world.close }
}

async function expectEveryKillSurvived(stores: StoreFactory): Promise<void> {
  const { applyTwice, close } = await prepare(stores)
  try {
    const undisturbed = await applyTwice(0)
    expect(undisturbed.world).toEqual({
      items: [{ pro_monthly_gold: 7, calls: null, seat_gold: 2 }, { pro_monthly_gold: 3 }],
      invoices: 2,
      renewed: [{ pro_monthly_gold: 7, calls_gold: null, seat_gold: 2 }, { pro_monthly_gold: 3 }],
      enterpriseTemplate: 'gold',
      repeated: 0,
      unfinished: 0,
    })
    expect(undisturbed.points).toBeGreaterThan(20)
    for (let point = 1; point <= undisturbed.points; point++) {
      const { killed, running, world } = await applyTwice(point)
      expect({ point, killed, running, world }).toEqual({ point, killed: true, running: 0, world: undisturbed.world })
    }
  } finally {
    await close()
  }
}

describe('the application of a deal that is killed at any point and retried', () => {
  testOnEachEngine('has the same result as without the kill', 600_000, async (stores) =>
    expectEveryKillSurvived(await stores()),
  )
})
