// What the store promises about lists of subscribers. The same for every engine.
import { describe, expect, test } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { MakePlace } from '../../support/stores/store.ts'
import { newLocalSubscription } from '../../support/shop/tenant-records.ts'
import { newSubscription } from './mirror-records.ts'
import { addTenant } from './tenants-contract.ts'
import type { FreeSubscriber, StoredSubscriber } from '../../../packages/ratecard/src/store/records/mirror.ts'

const page = { limit: 10, offset: 0 }

/** Tenant, subscription and item of a subscriber. */
export const namesOf = (one: StoredSubscriber | FreeSubscriber) =>
  'free' in one ? [one.tenant.id, one.free] : [one.tenant?.id ?? null, one.subscription.id, one.item.id]

export function subscribersContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()

  describe(`subscribers of a price on ${engine}`, () => {
    test('are listed together with free subscriptions, in one order, over several pages', async () => {
      const store = await open()
      for (const id of ['a', 'b', 'c']) await addTenant(store, { id, processorCustomerId: `cus_${id}` })
      const paid = [
        newSubscription('sub_1', { customer: processorId('cus_b') }),
        newSubscription('sub_2', { customer: processorId('cus_nobody') }),
      ]
      await store.mirror.save('subscription', paid, await store.mirror.beginRead())
      const free = new Map<string, string>()
      for (const tenant of ['a', 'b', 'c'])
        free.set(
          tenant,
          (await store.localSubscriptions.start(newLocalSubscription(tenant, { priceId: configId('hobby') }))).id,
        )
      await store.localSubscriptions.end(free.get('c') ?? '', 1)
      const on = { prices: [processorId('price_1')], freePrice: 'hobby' }
      const all = (await store.mirror.subscribers(on, page)).items.map(namesOf)
      const ofB = [
        ['b', free.get('b')],
        ['b', 'sub_1', 'si_sub_1'],
      ].sort((one, other) => ((one[1] ?? '') < (other[1] ?? '') ? -1 : 1))
      expect(all).toEqual([['a', free.get('a')], ...ofB, [null, 'sub_2', 'si_sub_2']])
      for (let offset = 0; offset <= all.length; offset++)
        for (let limit = 1; limit <= 3; limit++) {
          const { items, total } = await store.mirror.subscribers(on, { limit, offset })
          expect({ names: items.map(namesOf), total }).toEqual({ names: all.slice(offset, offset + limit), total: 4 })
        }
      expect((await store.mirror.subscribers({ ...on, freePrice: null }, page)).total).toBe(2)
      expect((await store.mirror.subscribers({ ...on, prices: [] }, page)).items.map(namesOf)).toEqual([
        ['a', free.get('a')],
        ['b', free.get('b')],
      ])
    })
  })
}
