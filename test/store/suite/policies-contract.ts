// Tests of the policies of one store. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import type { MakePlace } from '../../support/stores/store.ts'
import type { PolicyRecord } from '../../../packages/ratecard/src/store/records/configuration.ts'

const record = (rules: string, change: Partial<PolicyRecord> = {}) => ({
  rules,
  author: 'ada',
  message: null,
  keyId: 'key_1',
  keyName: 'ci',
  createdAt: 5,
  ...change,
})

export function policiesContract(engine: string, makePlace: MakePlace): void {
  const test = base.extend('store', async () => (await makePlace()).open())

  describe(`policies on ${engine}:`, () => {
    test('a new store has no policies', async ({ store }) => {
      expect(await store.policies.current()).toBeNull()
      expect(await store.policies.list({ limit: 10, offset: 0 })).toEqual({ items: [], total: 0 })
    })

    test('the newest policies are in force, and all earlier policies are kept, newest first', async ({ store }) => {
      const first = await store.policies.add(record('[]'))
      const second = await store.policies.add(record('[{"id":"p"}]', { createdAt: 6, keyId: null, keyName: null }))
      expect([first.number, second.number]).toEqual([1, 2])
      expect(await store.policies.current()).toEqual(second)
      expect(await store.policies.list({ limit: 1, offset: 0 })).toEqual({ items: [second], total: 2 })
      expect(await store.policies.list({ limit: 10, offset: 1 })).toEqual({ items: [first], total: 2 })
    })

    test('concurrent changes of the policies get different numbers', async ({ store }) => {
      const added = await Promise.all([1, 2, 3, 4].map((at) => store.policies.add(record('[]', { createdAt: at }))))
      expect(added.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4])
    })
  })
}
