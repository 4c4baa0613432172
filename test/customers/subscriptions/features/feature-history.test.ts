// What past documents said about features, read from a real store: once each, and again after a failed read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { createFeatureHistory } from '../../../../packages/ratecard/src/customers/subscriptions/features/feature-history.ts'
import { inMemory, publish } from '../../../support/stores/store.ts'
import { startTestApp, type TestApp } from '../../../support/app.ts'

const documentOf = (version: string, limit: number): BillingConfig => ({
  version,
  features: [{ id: 'projects', name: 'Projects', type: 'limit' }],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      features: [{ id: 'projects', limit }],
      prices: [{ id: 'pro', amount: 900, currency: 'usd', interval: 'month' }],
    },
  ],
})

let app: TestApp
const present = documentOf('1.1.0', 20)
beforeAll(async () => {
  app = await startTestApp()
  for (const config of [documentOf('1.0.0', 10), present]) {
    const pushed = await app.push(config)
    expect(pushed.statusCode, pushed.body).toBeLessThan(300)
  }
})
afterAll(() => app.close())

describe('a failed read of features that earlier documents granted', () => {
  test.for(['list', 'find'] as const)(
    'fails one entitlement check, and the next check reads the features again (%s)',
    async (refused) => {
      const { versions } = app.store
      let fails = true
      const read = async <T>(name: 'list' | 'find', work: () => Promise<T>): Promise<T> => {
        if (name !== refused || !fails) return work()
        fails = false
        throw new Error('the store did not answer')
      }
      const history = createFeatureHistory({
        list: (...query) => read('list', () => versions.list(...query)),
        find: (...query) => read('find', () => versions.find(...query)),
      })
      await expect(history.before(present, 'pro', 2)).rejects.toThrow('the store did not answer')
      expect(await history.before(present, 'pro', 2)).toMatchObject([{ id: 'projects', limit: 10 }])
    },
  )
})

describe('the features that many earlier documents granted', () => {
  test('are read once per document, even if the billing periods of the tenants began at 60 different documents', async () => {
    const store = await (await inMemory()).open()
    const revisions = Array.from({ length: 60 }, (_, index) => index)
    for (const index of revisions) {
      const version = `1.${String(index)}.0`
      const document = JSON.stringify(documentOf(version, index))
      await publish(store, { createdAt: 100_000 + index * 10_000, document, version })
    }
    let reads = 0
    const history = createFeatureHistory({
      list: (...query) => store.versions.list(...query),
      find: (...query) => {
        reads += 1
        return store.versions.find(...query)
      },
    })
    const config = documentOf('1.59.0', 59)
    for (let round = 0; round < 3; round++)
      for (const index of revisions)
        expect(await history.at(config, 'pro', 105_000 + index * 10_000)).toEqual([{ id: 'projects', limit: index }])
    // The features of the newest document are those of the configuration.
    expect(reads).toBe(59)
  })
})
