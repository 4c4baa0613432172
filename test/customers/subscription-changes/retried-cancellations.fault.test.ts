// Cancellations at once whose process is killed: the retry gets the response that the first request would have got.
import { describe, expect } from 'vitest'
import { testOnEachEngine } from '../../support/stores/each-engine.ts'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { configId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { negotiated, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedCancels000'
const caller = { author: null, by: null, requestId: null }
const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
const cancellation = { when: 'now' } as const

async function prepare(stores: StoreFactory, plan: 'paid' | 'free') {
  const world = await killedService(stores, 'change', secretKey)
  const first = shopOver(await world.open(stores.prepared), secretKey)
  await first.push(
    negotiated('1.0.0', ({ products }) => {
      const prices = [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }] as const
      products.push({ id: 'free', name: 'Free', prices: [...prices] })
    }),
  )
  const customer = await first.tenant('t')
  if (plan === 'paid') await first.subscribe(customer, { pro_monthly: 7 })
  else {
    const [priceId, createdAt] = [configId('free'), Date.now()]
    await first.store.localSubscriptions.start({ id: 'sub_local_a', tenantId: 't', priceId, createdAt, endedAt: null })
  }
  await first.close()
  world.prepared()
  const again = async (shop: TenantShop, key: string | null) => {
    const {
      createdAt: _begun,
      id: _own,
      items,
      ...shown
    } = await shop.service.cancelOwnSubscription(cancellation, principal, { ...caller, idempotencyKey: key })
    const { items: trail } = await shop.service.tenantAudit('t', { limit: 20, offset: 0 })
    const audited = trail.filter(({ action }) => /^subscription_(cancelled|ended)$/.test(action)).length
    const unfinished = (await shop.store.jobs.unfinished('subscription_change', 't')).length
    return { shown, prices: items.map(({ priceId }) => priceId), audited, unfinished }
  }
  return { world, again }
}

const cancelled = (plan: 'paid' | 'free') => ({
  shown: { status: 'canceled', home: plan === 'paid' ? 'processor' : 'local' },
  prices: [plan === 'paid' ? 'pro_monthly' : 'free'],
  ...{ audited: 1, unfinished: 0 },
})

describe.each(['paid', 'free'] as const)('a retry of the cancellation of a %s subscription', (plan) => {
  testOnEachEngine(
    'has the result of an undisturbed cancellation if the first attempt is killed at any point,',
    600_000,
    async (stores) => {
      const { world, again } = await prepare(await stores(), plan)
      try {
        const { stack, close, points } = await world.killedAt(0, { cancellation })
        expect(await again(shopOver(stack, secretKey), 'once')).toMatchObject(cancelled(plan))
        await close()
        for (let point = 1; point <= points; point++) {
          const { stack: after, close: end, killed } = await world.killedAt(point, { cancellation })
          try {
            const retried = await again(shopOver(after, secretKey), 'once')
            expect({ point, killed, ...retried }).toMatchObject({ point, killed: true, ...cancelled(plan) })
          } finally {
            await end()
          }
        }
      } finally {
        await world.close()
      }
    },
  )
})

describe('a retry of a cancellation whose process was killed while its write was in flight', () => {
  testOnEachEngine(
    'returns the cancelled subscription, with and without an idempotency key,',
    600_000,
    async (stores) => {
      const { world, again } = await prepare(await stores(), 'paid')
      try {
        for (const kind of lateKinds)
          for (const key of ['once', null]) {
            const { stack, close, land } = await world.killedLate(1, kind, { cancellation })
            try {
              await land()
              expect({ kind, key, ...(await again(shopOver(stack, secretKey), key)) }).toMatchObject(cancelled('paid'))
            } finally {
              await close()
            }
          }
      } finally {
        await world.close()
      }
    },
  )
})
