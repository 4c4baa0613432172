// Discounts whose process is killed while it gives them: before and after each write, and during a write that arrives later.
import { describe, expect } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { killStep, testOnEachEngine } from '../../support/stores/each-engine.ts'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import type { Stack } from '../../support/stack.ts'
import { caller, negotiated, shopOver } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedDiscounts00'
const keyed = (idempotencyKey: string) => ({ ...caller, idempotencyKey })

/** A tenant with a discount on a subscription whose schedule has a second phase, so that a discount takes two writes. */
async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'discount', secretKey)
  const shop = shopOver(await world.open(stores.prepared), secretKey)
  await shop.push(
    negotiated('1.0.0', (config) => {
      config.coupons = [
        { id: 'loyal', percent_off: 20, duration: 'forever' },
        { id: 'first', percent_off: 50, duration: 'repeating', duration_in_months: 3 },
      ]
    }),
  )
  const subscription = await shop.subscribe(await shop.tenant('t'), { pro_monthly: 7 })
  const first = await shop.service.addDiscount('t', { couponId: 'first' }, keyed('earlier'))
  const { id: schedule, phases } = await shop.stripe.subscriptionSchedules.create({
    from_subscription: subscription.id,
  })
  const items = [{ price: await shop.processorPrice('pro_monthly'), quantity: 7 }]
  await shop.stripe.subscriptionSchedules.update(schedule, {
    phases: [
      {
        ...{ items, start_date: phases[0]?.start_date ?? 0, end_date: phases[0]?.end_date ?? 0 },
        discounts: [{ discount: first.id }],
      },
      { items, duration: { interval: 'month', interval_count: 1 }, discounts: [{ discount: first.id }] },
    ],
  })
  await shop.close()
  world.prepared()

  /** Discounts of the subscription, those of the second phase, and how often the audit trail has the new one. */
  const left = async ({ service, stripe, store }: Stack) => {
    const running = await service.tenantDiscounts('t')
    const [, later] = (await stripe.subscriptionSchedules.retrieve(schedule)).phases
    const { items: entries } = await service.tenantAudit('t', { limit: 50, offset: 0 })
    return {
      running,
      later: later?.discounts.map(({ discount }) => discount),
      recorded: entries.filter(({ action, result }) => action === 'discount_added' && result?.['coupon_id'] === 'loyal')
        .length,
      unfinished: (await store.jobs.unfinished('subscription_discount', 't')).length,
    }
  }
  return { ...world, first, left }
}

/** Gives the discount again under the key of the killed process. If it is refused with Retry-After, lets the late write arrive first. */
async function oncePossible<T>(land: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error).toMatchObject({ code: 'tenant_busy', retryAfter: expect.any(Number) as number })
    await land()
    return work()
  }
}

async function expectEveryKillSurvived(stores: StoreFactory, step: number): Promise<void> {
  const { killedAt, close, first, left } = await prepare(stores)
  try {
    let points = 1
    for (let point = 0; point <= points; point += point === 0 ? 1 : step) {
      const run = await killedAt(point)
      try {
        expect(run.killed).toBe(point > 0)
        if (point === 0) points = run.points
        const loyal = await run.stack.service.addDiscount('t', { couponId: 'loyal' }, keyed('give'))
        expect([point, await left(run.stack)]).toEqual([
          point,
          { running: [first, loyal], later: [first.id, loyal.id], recorded: 1, unfinished: 0 },
        ])
      } finally {
        await run.close()
      }
    }
    expect(points).toBeGreaterThan(8)
  } finally {
    await close()
  }
}

async function expectLateWritesChangeNothing(stores: StoreFactory): Promise<void> {
  const { killedLate, close, first, left } = await prepare(stores)
  try {
    let writes = 0
    for (let write = 1; ; write++) {
      let struck = false
      for (const kind of lateKinds) {
        const run = await killedLate(write, kind)
        try {
          struck = run.killed
          if (!struck) continue
          const { service } = run.stack
          await oncePossible(run.land, () => service.removeDiscount('t', first.id, keyed('remove')))
          const removed = await left(run.stack)
          await run.land()
          expect(await left(run.stack)).toEqual(removed)
          expect(removed.running.map(({ id }) => id)).not.toContain(first.id)
          const loyal = await service.addDiscount('t', { couponId: 'loyal' }, keyed('give'))
          expect(await left(run.stack)).toEqual({ running: [loyal], later: [loyal.id], recorded: 1, unfinished: 0 })
        } finally {
          await run.close()
        }
      }
      if (!struck) break
      writes = write
    }
    expect(writes).toBe(2)
  } finally {
    await close()
  }
}

describe('a discount whose process is killed', () => {
  testOnEachEngine('is given exactly once by a retry, wherever the process was killed,', 600_000, async (stores) =>
    expectEveryKillSurvived(await stores(), killStep),
  )
  testOnEachEngine('does not restore a discount that was removed in the meantime,', 600_000, async (stores) =>
    expectLateWritesChangeNothing(await stores()),
  )
})
