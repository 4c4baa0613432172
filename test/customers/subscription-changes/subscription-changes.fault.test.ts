// Changes of a subscription whose process is killed: before and after every write, and while a write is on its way.
import { describe, expect } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { negotiated, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'
import type { NewChange } from '../../../packages/ratecard/src/api/customers/subscription-changes.ts'

const secretKey = 'sk_test_killedChanges0000'
const caller = { author: null, by: null, requestId: null }
const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
const upgrade = { items: [{ priceId: 'pro', quantity: 7 }], replaces: 'pro_monthly' } as const
type Wish = Omit<NewChange, 'preview'>

/** A change that is scheduled before the one that is killed. Its schedule stays when seats are added. */
const laterUpgrade = { ...upgrade, when: 'period_end' } as const
const downgrade = { items: [{ priceId: 'pro_monthly', quantity: 2 }], replaces: 'pro_monthly' } as const

/** A subscription with a scheduled downgrade, and a preview of the change. An upgrade takes the schedule off first: two writes. */
async function prepare(stores: StoreFactory, wish: Wish, first: Wish) {
  const world = await killedService(stores, 'change', secretKey)
  const opened = shopOver(await world.open(stores.prepared), secretKey)
  await opened.push(
    negotiated('1.0.0', ({ products }) => {
      products.push({
        id: 'free',
        name: 'Free',
        prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
      })
    }),
  )
  const customer = await opened.tenant('t')
  const { id } = await opened.subscribe(customer, { pro_monthly: 7 })
  await opened.service.changeSubscription(first, principal, { ...caller, idempotencyKey: null })
  const { preview, dueNow } = await opened.service.previewChange(wish, principal)
  await opened.close()
  world.prepared()
  const change: NewChange = { ...wish, items: [...wish.items], preview }
  const again = (shop: TenantShop) =>
    shop.service.changeSubscription(change, principal, { ...caller, idempotencyKey: 'once' })
  const stateOf = async (shop: TenantShop) => {
    const items = await shop.items(id)
    const totals = (await shop.invoices(customer)).map(({ total }) => total)
    const { entries } = await shop.service
      .tenantAudit('t', { limit: 20, offset: 0 })
      .then(({ items: entries }) => ({ entries }))
    const audited = entries.filter(({ action }) => action === 'subscription_changed').length
    shop.advance(32)
    const unfinished = (await shop.store.jobs.unfinished('subscription_change', 't')).length
    // Reading the subscriptions begins the free one whose time has come.
    const { subscriptions } = await shop.service.tenantSubscriptions('t')
    const has = subscriptions.flatMap(({ home, items: held }) => held.map(({ priceId }) => [home, priceId]))
    return { items, totals, audited, unfinished, has, renewed: await shop.items(id) }
  }
  return { world, change, again, stateOf, due: dueNow.amount }
}

const wishes = [
  ['an upgrade that replaces a scheduled downgrade', upgrade, downgrade],
  [
    'a further downgrade at the end of the period',
    { items: [{ priceId: 'pro_monthly', quantity: 1 }], replaces: 'pro_monthly' },
    downgrade,
  ],
  [
    'more seats, with which the scheduled change is put back',
    { items: [{ priceId: 'pro_monthly', quantity: 9 }] },
    laterUpgrade,
  ],
  [
    'a change to a free price at the end of the period',
    { items: [{ priceId: 'free' }], replaces: 'pro_monthly' },
    downgrade,
  ],
] as const

async function expectEveryKillSurvived(stores: StoreFactory, wish: Wish, first: Wish): Promise<void> {
  const { world, change, again, stateOf, due } = await prepare(stores, wish, first)
  try {
    const killed = async (point: number) => {
      const { stack, close, points, killed: wasKilled } = await world.killedAt(point, { change })
      const shop = shopOver(stack, secretKey)
      try {
        await again(shop)
        return { points, wasKilled, state: await stateOf(shop) }
      } finally {
        await close()
      }
    }
    const undisturbed = await killed(0)
    expect(undisturbed.state).toMatchObject({ audited: first.when === undefined ? 2 : 3, unfinished: 0 })
    expect(undisturbed.state.totals).toEqual([7000, ...(due === 0 ? [] : [due])])
    expect(undisturbed.points).toBeGreaterThan(8)
    for (let point = 1; point <= undisturbed.points; point++) {
      const { wasKilled, state } = await killed(point)
      expect({ point, wasKilled, state }).toEqual({ point, wasKilled: true, state: undisturbed.state })
    }
  } finally {
    await world.close()
  }
}

/** Runs the work; if it is refused with Retry-After, lets the late write arrive and retries. */
async function oncePossible<T>(land: () => Promise<number>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error).toMatchObject({ code: 'tenant_busy', retryAfter: expect.any(Number) as number })
    await land()
    return work()
  }
}

async function expectLateWritesSettled(stores: StoreFactory, wish: Wish, first: Wish): Promise<void> {
  const { world, change, again, stateOf } = await prepare(stores, wish, first)
  try {
    const { stack, close } = await world.killedAt(0, { change })
    const undisturbed = await stateOf(shopOver(stack, secretKey))
    await close()
    let writes = 0
    for (let struck = true; struck;) {
      struck = false
      writes++
      for (const kind of lateKinds) {
        const found = await world.killedLate(writes, kind, { change })
        const shop = shopOver(found.stack, secretKey)
        try {
          if (!found.killed) continue
          struck = true
          await oncePossible(found.land, () => again(shop))
          await found.land()
          expect({ writes, kind, ...(await stateOf(shop)) }).toEqual({ writes, kind, ...undisturbed })
        } finally {
          await found.close()
        }
      }
    }
    expect(writes).toBeGreaterThan(1)
  } finally {
    await world.close()
  }
}

/** The items of a request are no constant list. */
const copied = (wish: (typeof wishes)[number][1 | 2]): Wish => ({ ...wish, items: [...wish.items] })

describe.each(wishes)('%s', (_name, wish, first) => {
  testOnEachEngine(
    'has the same result if its process is killed at any point and the change is retried,',
    600_000,
    async (stores) => expectEveryKillSurvived(await stores(), copied(wish), copied(first)),
  )
  testOnEachEngine(
    'is made exactly once if its process is killed while a write is in flight,',
    600_000,
    async (stores) => expectLateWritesSettled(await stores(), copied(wish), copied(first)),
  )
})
