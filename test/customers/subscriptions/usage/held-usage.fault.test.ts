// A report of usage whose process is killed, and whose client never retries.
import { describe, expect } from 'vitest'
import { meteredDocument } from '../features/metered-document.ts'
import { forTenant } from '../../tenants/world.ts'
import { testOnEachEngine } from '../../../support/stores/each-engine.ts'
import { lateKinds } from '../../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../../support/kills/kill-stores.ts'
import { killedService } from '../../../support/kills/killed-service.ts'
import type { Stack } from '../../../support/stack.ts'
import { caller } from '../../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedUsage00000'
/** Later than the first request can be under way. */
const laterMs = 5 * 60_000
const later = { now: () => Date.now() + laterMs }

async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'usage', secretKey, later)
  const { service, stripe, close } = await world.open(stores.prepared)
  await service.push(meteredDocument, caller)
  const { id: customer } = await stripe.customers.create({ name: 'Acme' })
  await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: customer }, caller)
  await service.putGrant({ tenantId: 'acme', feature: 'calls' }, { limit: 100 }, caller)
  await close()
  world.prepared()

  /** Usage that counts against the limit, and usage that the processor bills. */
  const usage = async ({ service, stripe }: Stack) => {
    const [check] = await service.checkFeatures([{ feature: 'calls' }], forTenant('acme'))
    const [meter] = (await stripe.billing.meters.list()).data
    const now = Math.floor(Date.now() / 60_000) * 60
    const range = { customer, start_time: now - 3600, end_time: now + 3600 }
    const { data } = await stripe.billing.meters.listEventSummaries(meter?.id ?? '', range)
    return { counted: check?.used, billed: data[0]?.aggregated_value ?? 0 }
  }
  return { world, usage }
}

describe('a report of usage whose process is killed and whose client never retries', () => {
  testOnEachEngine(
    'is counted and billed exactly once, or neither, wherever the process was killed,',
    600_000,
    async (stores) => {
      const { world, usage } = await prepare(await stores())
      try {
        let points = 1
        const billed: number[] = []
        for (let point = 0; point <= points; point++) {
          const run = await world.killedAt(point)
          try {
            expect(run.killed).toBe(point > 0)
            if (point === 0) points = run.points
            await run.stack.service.waitingJobs.continueDue()
            const after = await usage(run.stack)
            expect([point, after.counted]).toEqual([point, after.billed])
            billed.push(after.billed)
          } finally {
            await run.close()
          }
        }
        expect(points).toBeGreaterThan(4)
        // Only a report that was not stored yet is lost with its process.
        expect(new Set(billed)).toEqual(new Set([0, 5]))
        expect(billed[0]).toBe(5)
        expect(billed.slice(billed.lastIndexOf(0) + 1)).not.toContain(0)
      } finally {
        await world.close()
      }
    },
  )

  testOnEachEngine('is billed exactly once if its request arrives late,', 600_000, async (stores) => {
    const { world, usage } = await prepare(await stores())
    try {
      for (const kind of lateKinds) {
        const run = await world.killedLate(1, kind)
        try {
          expect(run.killed).toBe(true)
          if (kind === 'late') await run.land()
          await run.stack.service.waitingJobs.continueDue()
          if (kind === 'late_arrival') await run.land()
          expect([kind, await usage(run.stack)]).toEqual([kind, { counted: 5, billed: 5 }])
        } finally {
          await run.close()
        }
      }
    } finally {
      await world.close()
    }
  })
})
