// Repeated requests to close a server.
import { expect, test, vi } from 'vitest'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import { temporaryFolder } from '../support/folder.ts'

async function start() {
  const dataDir = temporaryFolder()
  const env = {
    HOME: dataDir,
    RATECARD_SANDBOX_PORT: '0',
    RATECARD_WORKERS: 'off',
    RATECARD_LOG_LEVEL: 'silent',
    RATECARD_SERVICE_KEY: 'server-end-service-key',
  }
  return startServer({ env, port: 0, dataDir, out: () => undefined })
}

test('a second call of close while the server drains waits for the whole shutdown', async () => {
  const server = await start()
  const ended: string[] = []
  await Promise.all([
    server.close().then(() => ended.push('asked first')),
    server.closeAtOnce().then(() => ended.push('asked second')),
  ])
  expect(ended).toEqual(['asked first', 'asked second'])
})

test('a part that cannot be closed does not keep leases from being released, and is reported', async () => {
  const server = await start()
  vi.spyOn(server.app, 'close').mockRejectedValueOnce(new Error('this part does not close'))
  await expect(server.close()).rejects.toMatchObject({ errors: [{ message: 'this part does not close' }] })
  await expect(server.service.readiness()).resolves.toMatchObject({ checks: { store: { ok: false } } })
})
