// Writes to subscriptions that are in flight when their process is killed, and arrive after the writes of the next process.
import { killStep, testOnEachEngine } from '../../support/stores/each-engine.ts'
import { describe, expect } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { lateKinds, type LateKind } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { negotiated, nothing, priceIn, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_lateSwaps0000'
const tenants = ['t', 'u'] as const

type World = Awaited<ReturnType<typeof killedService>>

/** Creates three subscriptions of two tenants. `prepare` adds state before the process that is killed starts. */
async function shopBefore(
  stores: StoreFactory,
  act: 'apply' | 'migration',
  prepare: (shop: TenantShop) => Promise<void>,
) {
  const world = await killedService(stores, act, secretKey)
  const shop = shopOver(await world.open(stores.prepared), secretKey)
  await shop.push(negotiated())
  const [t, u] = [await shop.tenant('t'), await shop.tenant('u')]
  const subscriptions = [
    await shop.subscribe(t, { pro_monthly: 7, calls: null, seat: 2 }),
    await shop.subscribe(t, { pro_monthly: 3 }),
    await shop.subscribe(u, { pro_monthly: 1 }),
  ].map(({ id }) => id)
  await prepare(shop)
  await shop.close()
  world.prepared()
  return { world, subscriptions }
}

/** Repeats the test for each write of an undisturbed process: that write arrives late. Returns their number. */
async function forEachLateWrite(
  world: World,
  step: number,
  check: (found: Awaited<ReturnType<World['killedLate']>>, kind: LateKind) => Promise<void>,
): Promise<number> {
  for (let write = 1; ; write += step) {
    let struck = false
    for (const kind of lateKinds) {
      const found = await world.killedLate(write, kind)
      try {
        if (found.killed) await check(found, kind)
        struck = found.killed
      } finally {
        await found.close()
      }
    }
    if (!struck) return write
  }
}

/** Runs the work. If it is refused with Retry-After, lets the write in flight arrive, and retries. */
async function oncePossible<T>(land: () => Promise<number>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error).toMatchObject({ code: 'tenant_busy', retryAfter: expect.any(Number) as number })
    expect(error.retryAfter).toBeGreaterThan(0)
    expect(error.retryAfter).toBeLessThanOrEqual(90)
    await land()
    return work()
  }
}

const itemsOf = (shop: TenantShop, subscriptions: readonly string[]) =>
  Promise.all(subscriptions.map((id) => shop.items(id)))

const listPrices = [{ pro_monthly: 7, calls: null, seat: 2 }, { pro_monthly: 3 }, { pro_monthly: 1 }]

async function expectRemovedDealsStayRemoved(stores: StoreFactory, step: number): Promise<void> {
  const { world, subscriptions } = await shopBefore(stores, 'apply', () => Promise.resolve())
  try {
    const writes = await forEachLateWrite(world, step, async ({ stack, land }) => {
      const shop = shopOver(stack, secretKey)
      await oncePossible(land, () => shop.apply('t', nothing))
      const removed = await itemsOf(shop, subscriptions)
      await land()
      expect(await itemsOf(shop, subscriptions)).toEqual(removed)
      // An item under a schedule is swapped back when its period ends, like the other items of its subscription.
      shop.advance(32)
      expect(await itemsOf(shop, subscriptions)).toEqual(listPrices)
      expect(await shop.store.jobs.unfinished('enterprise_apply', 't')).toEqual([])
    })
    expect(writes).toBeGreaterThan(3)
  } finally {
    await world.close()
  }
}

async function expectMovesAreTakenUp(stores: StoreFactory, step: number): Promise<void> {
  const dearer = negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200))
  const { world, subscriptions } = await shopBefore(stores, 'migration', (shop) => shop.push(dearer))
  try {
    const writes = await forEachLateWrite(world, step, async ({ stack, land }) => {
      const shop = shopOver(stack, secretKey)
      const [job] = await shop.store.jobs.unfinished('migration', 'pro_monthly')
      // Applies a deal to tenants whose subscriptions are being moved. The move that arrives late must not end the deal.
      for (const id of tenants) await oncePossible(land, () => shop.apply(id))
      await land()
      for (let state = 'interrupted'; state !== 'done';) {
        await shop.service.resumeJob(job?.id ?? '')
        state = (await shop.finished(job?.id ?? '')).state
        await land()
      }
      shop.advance(32)
      expect(await itemsOf(shop, subscriptions)).toEqual([
        { pro_monthly_gold: 7, calls_gold: null, seat_gold: 2 },
        { pro_monthly_gold: 3 },
        { pro_monthly_gold: 1 },
      ])
    })
    expect(writes).toBeGreaterThan(3)
  } finally {
    await world.close()
  }
}

describe.each([
  ['an apply', 'does not bring a deal back that was removed meanwhile', expectRemovedDealsStayRemoved],
  ['a migration', 'does not end a deal that was applied meanwhile', expectMovesAreTakenUp],
])(
  'a write of %s that reaches the processor after the process that sent it has died',
  (_work, behaviour, expectation) => {
    testOnEachEngine(`${behaviour},`, 600_000, async (stores) => expectation(await stores(), killStep))
  },
)
