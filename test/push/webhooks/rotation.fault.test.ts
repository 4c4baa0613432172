// A rotation is killed at every point. Another rotation then leaves one live endpoint with a known secret.
import { describe, expect, test } from 'vitest'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import { postgresStores, sqliteStores, type StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import { postgresInstalled, startPostgres } from '../../support/stores/postgres.ts'
import { announceSkip } from '../../support/skips.ts'
import { nobody } from '../../support/stack.ts'

const document = {
  version: '1.0.0',
  products: [{ id: 'p', name: 'P' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'] }],
}

async function expectEveryKillSurvived(stores: StoreFactory): Promise<void> {
  const world = await killedService(stores, 'rotation', 'sk_test_killedRotations0000')
  const live = async () =>
    (await world.stripe.webhookEndpoints.list({ limit: 100 })).data.filter(({ status }) => status === 'enabled')
  const first = await world.open(stores.prepared)
  await first.service.push(document, nobody)
  await first.close()
  world.prepared()

  /** Kills a rotation without an overlap at this point (0: none), continues due jobs, and rotates again. */
  const rotateAgain = async (killAt: number) => {
    const { killed, points, stack, close } = await world.killedAt(killAt, { overlapMs: 0 })
    const { service } = stack
    try {
      // Retries, because the lease of the killed process may stay held for a moment.
      const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
        for (;;) {
          try {
            return await work()
          } catch (error) {
            if ((error as { code?: string }).code !== 'push_in_progress') throw error
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        }
      }
      // Each live endpoint has a secret that was returned or can be shown, so that its deliveries can be verified.
      await patiently(() => service.push(document, nobody))
      await service.waitingJobs.continueDue()
      const [between] = await service.listWebhooks({ secrets: true })
      const afterPush = { live: (await live()).map(({ id }) => id), secret: between?.secretKnown }
      expect(afterPush).toEqual({ live: [between?.processorId], secret: true })
      expect(await service.drift()).toMatchObject({ inSync: true })
      const made = await patiently(() => service.rotateWebhook('hook', { ...nobody, requestId: null, overlapMs: 0 }))
      const [hook] = await service.listWebhooks({ secrets: true })
      expect([hook?.processorId, hook?.secret]).toEqual([made.processorId, made.secret])
      expect((await live()).map(({ id }) => id)).toEqual([made.processorId])
      expect(await service.push(document, nobody)).toMatchObject({ status: 'unchanged' })
      const { items } = await service.listJobs({ limit: 10, offset: 0 })
      expect(items.filter(({ state }) => !['done', 'cancelled', 'failed'].includes(state))).toEqual([])
      return { killed, points }
    } finally {
      await close()
    }
  }
  try {
    const undisturbed = await rotateAgain(0)
    expect(undisturbed.points).toBeGreaterThan(10)
    for (let point = 1; point <= undisturbed.points; point += 1)
      expect({ point, ...(await rotateAgain(point)) }).toMatchObject({ point, killed: true })
  } finally {
    await world.close()
  }
}

/** Kills a rotation without an overlap while a write is in flight. The next push applies, and the late write changes nothing. */
async function expectLateWritesHarmless(stores: StoreFactory): Promise<void> {
  const world = await killedService(stores, 'rotation', 'sk_test_lateRotations0000')
  const endpoints = async () =>
    (await world.stripe.webhookEndpoints.list({ limit: 100 })).data.map(({ id, status }) => `${id} ${status}`).sort()
  const first = await world.open(stores.prepared)
  await first.service.push(document, nobody)
  await first.close()
  world.prepared()
  const next = { ...document, version: '1.1.0', products: [{ id: 'p', name: 'Q' }] }
  try {
    for (const write of [1, 2])
      for (const kind of lateKinds) {
        const { killed, stack, land, close } = await world.killedLate(write, kind, { overlapMs: 0 })
        try {
          const { service } = stack
          const push = () => service.push(next, nobody)
          const refused = await push().then(
            () => null,
            (error: unknown) => error,
          )
          if (refused !== null) {
            expect(refused).toMatchObject({ code: 'push_unfinished', retryAfter: 90 })
            await land()
            await push()
          }
          const [hook] = await service.listWebhooks({ secrets: true })
          const applied = await endpoints()
          expect({ write, kind, killed, known: hook?.secretKnown }).toEqual({ write, kind, killed: true, known: true })
          expect(applied).toContain(`${String(hook?.processorId)} enabled`)
          await land()
          expect(await endpoints()).toEqual(applied)
          await service.waitingJobs.continueDue()
          expect((await endpoints()).filter((one) => one.endsWith('enabled'))).toEqual([
            `${String(hook?.processorId)} enabled`,
          ])
        } finally {
          await close()
        }
      }
  } finally {
    await world.close()
  }
}

describe('a webhook rotation whose process is killed while a write is in flight', () => {
  test('leaves one active endpoint with a known secret after the next push', async () => {
    await expectLateWritesHarmless(await sqliteStores())
  })
})

describe('a webhook rotation whose process is killed at any point', () => {
  test('has, after a retry, the same result as an undisturbed rotation, on SQLite', async () => {
    await expectEveryKillSurvived(await sqliteStores())
  })

  const onPostgres = postgresInstalled() ? test : test.skip
  if (!postgresInstalled()) announceSkip('rotations that are killed, on PostgreSQL', 'PostgreSQL is not installed')
  onPostgres('has, after a retry, the same result as an undisturbed rotation, on PostgreSQL', async () => {
    const server = await startPostgres()
    try {
      await expectEveryKillSurvived(await postgresStores(server))
    } finally {
      await server.close()
    }
  })
})
