// A push whose process dies while its steps are being stored, before any of them is sent.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { newPush } from '../../support/stores/store.ts'

const { sandbox } = sharedSandbox()
const page = { limit: 10, offset: 0 }
const prices = {
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount: 900, currency: 'usd' as const }] }],
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a push whose process died while its steps were being stored', () => {
  test('stays in state planned until it is abandoned, cannot be resumed, and does not delay the next push', async () => {
    const stack = await startStack({ sandbox })
    try {
      const { store, service } = stack
      const { database } = store as KyselyStore
      const push = newPush({ steps: Array.from({ length: 1_500 }, () => '{}') })
      await store.exclusively('push', async ({ token }) => {
        const write = database.write.bind(database)
        const failing = vi
          .spyOn(database, 'write')
          .mockImplementationOnce(write)
          .mockImplementationOnce(() => Promise.reject(new Error('The process has died.')))
        await expect(store.pushes.open(push, token)).rejects.toThrow('The process has died.')
        failing.mockRestore()
        expect((await service.listPushes(page)).items).toMatchObject([{ id: push.id, state: 'planned' }])
      })
      expect((await service.listPushes(page)).items).toMatchObject([{ id: push.id, state: 'abandoned' }])
      await expect(service.resumePush(push.id)).rejects.toMatchObject({ code: 'push_not_resumable' })
      expect(await service.push(prices, nobody)).toMatchObject({ status: 'applied' })
      expect(await store.pushes.head(push.id)).toMatchObject({ state: 'abandoned' })
    } finally {
      await stack.close()
    }
  })
})
