import { describe, expect } from 'vitest'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import type { LateKind } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { caller, gold, negotiated, priceIn, shopOver } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedDealEnds00'

/** A tenant whose deal is due to end at the price of its purchase, which was replaced since. */
async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'dealEnd', secretKey)
  const first = shopOver(await world.open(stores.prepared), secretKey)
  await first.push(negotiated())
  const customer = await first.tenant('t')
  const { id } = await first.subscribe(customer, { pro_monthly: 7, seat: 2 })
  const signed = await first.processorPrice('pro_monthly')
  await first.push(negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200)))
  const endsAt = Date.now() + 3_000
  await first.service.applyEnterprise('t', gold, { ...caller, dryRun: false, endsAt, then: 'signed' })
  await expect.poll(() => Date.now(), { timeout: 30_000 }).toBeGreaterThan(endsAt)
  await first.close()
  world.prepared()

  type Ended = Awaited<ReturnType<typeof world.killedAt>> & { readonly land?: () => unknown }
  /** Ends the deals again after the kill, as the next process does. */
  const endAgain = async ({ killed, points, stack, close, land }: Ended) => {
    const shop = shopOver(stack, secretKey)
    try {
      await land?.()
      await shop.service.waitingJobs.continueDue()
      const items = await shop.items(id)
      const { enterpriseTemplate, enterpriseEndsAt } = await shop.service.findTenant('t')
      const { active } = await shop.stripe.prices.retrieve(signed)
      const { items: trail } = await shop.service.tenantAudit('t', { limit: 50, offset: 0 })
      const ends = trail.filter(({ action }) => action === 'deal_ended').length
      const unfinished = (await shop.store.jobs.unfinished('enterprise_apply', 't')).length
      const invoices = (await shop.invoices(customer)).length
      return {
        killed,
        points,
        world: { items, enterpriseTemplate, enterpriseEndsAt, active, ends, unfinished, invoices },
      }
    } finally {
      await close()
    }
  }
  const expected = {
    items: { [signed]: 7, seat: 2 },
    ...{ enterpriseTemplate: null, enterpriseEndsAt: null, active: false, ends: 1, unfinished: 0, invoices: 1 },
  }
  return { world, endAgain, expected }
}

describe('the end of a deal whose process is killed at any point', () => {
  testOnEachEngine('is completed by the next process', 600_000, async (stores) => {
    const { world, endAgain, expected } = await prepare(await stores())
    try {
      const undisturbed = await endAgain(await world.killedAt(0))
      expect(undisturbed.world).toEqual(expected)
      expect(undisturbed.points).toBeGreaterThan(10)
      for (let point = 1; point <= undisturbed.points; point++) {
        const { killed, world: left } = await endAgain(await world.killedAt(point))
        expect({ point, killed, left }).toEqual({ point, killed: true, left: expected })
      }
    } finally {
      await world.close()
    }
  })
})

describe('the end of a deal whose process is killed while a write is in flight', () => {
  testOnEachEngine('is completed by the next process', 600_000, async (stores) => {
    const { world, endAgain, expected } = await prepare(await stores())
    try {
      const kinds: readonly LateKind[] = ['late', 'late_arrival']
      for (const kind of kinds)
        for (const write of [1, 2, 3]) {
          const { killed, world: left } = await endAgain(await world.killedLate(write, kind))
          expect({ kind, write, killed, left }).toEqual({ kind, write, killed: true, left: expected })
        }
    } finally {
      await world.close()
    }
  })
})
