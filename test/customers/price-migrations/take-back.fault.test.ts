// Scheduled moves that are taken back by a process that is killed: before and after every write, and while a write is on its way.
import { expect } from 'vitest'
import { killStep, testOnEachEngine } from '../../support/stores/each-engine.ts'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { caller, negotiated, priceIn, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_takenBack0000'
const kept = [{ pro_monthly: 7, seat: 2 }, { pro_monthly: 3 }]
/** What is paid at the renewal: seven and three at the former price, and one seat. */
const paid = [7300, 3000]

/** Two subscriptions that a migration moves at their renewal; the first one has a scheduled change of another item as well. */
async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'takeBack', secretKey)
  const shop = shopOver(await world.open(stores.prepared), secretKey)
  await shop.push(negotiated())
  const customers = [await shop.tenant('t'), await shop.tenant('u')]
  const subscriptions = await Promise.all(
    kept.map(async (items, at) => (await shop.subscribe(customers[at] ?? '', items)).id),
  )
  await shop.push(negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200)))
  const { id: job } = await shop.service.startMigration({ priceId: 'pro_monthly', to: 'renewal' }, caller)
  expect(await shop.finished(job)).toMatchObject({ state: 'done', scheduledMoves: [{}, {}] })
  const fewer = { items: [{ priceId: 'seat', quantity: 1 }], replaces: 'seat' }
  await shop.service.changeSubscription(
    fewer,
    { kind: 'key', keyId: 'key', tenantId: 't' },
    { ...caller, idempotencyKey: null },
  )
  await shop.close()
  world.prepared()
  const stateAfter = async (again: TenantShop) => {
    const { scheduledMoves } = await again.service.findJob(job)
    again.advance(32)
    const items = await Promise.all(subscriptions.map((id) => again.items(id)))
    const amounts = await Promise.all(customers.map((customer) => again.lastAmount(customer)))
    return { scheduledMoves, items, amounts }
  }
  return { world, job, stateAfter }
}

testOnEachEngine('moves are taken back once, wherever the process is killed,', 600_000, async (factory) => {
  const { world, job, stateAfter } = await prepare(await factory())
  try {
    const killed = async (point: number) => {
      const { stack, close, points } = await world.killedAt(point, { job })
      const shop = shopOver(stack, secretKey)
      try {
        expect(await shop.service.cancelJob(job, true, caller)).toMatchObject({ scheduledMoves: [] })
        return { points, state: await stateAfter(shop) }
      } finally {
        await close()
      }
    }
    const undisturbed = await killed(0)
    expect(undisturbed.state).toMatchObject({ scheduledMoves: [] })
    expect(undisturbed.state.amounts).toEqual(paid)
    for (let point = 1; point <= undisturbed.points; point += killStep)
      expect({ point, state: (await killed(point)).state }).toEqual({ point, state: undisturbed.state })
    for (let write = 1, struck = true; struck; write += killStep) {
      struck = false
      for (const kind of lateKinds) {
        const found = await world.killedLate(write, kind, { job })
        const shop = shopOver(found.stack, secretKey)
        try {
          if (!found.killed) continue
          struck = true
          await found.land()
          await shop.service.cancelJob(job, true, caller)
          expect({ write, kind, state: await stateAfter(shop) }).toEqual({ write, kind, state: undisturbed.state })
        } finally {
          await found.close()
        }
      }
    }
  } finally {
    await world.close()
  }
})
