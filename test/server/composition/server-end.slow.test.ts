// Servers that end: repeated requests to close, and a start that fails.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { temporaryFolder } from '../../support/folder.ts'

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

test('a second call of close() while the server drains resolves only after the whole shutdown', async () => {
  const server = await start()
  const ended: string[] = []
  await Promise.all([
    server.close().then(() => ended.push('asked first')),
    server.closeAtOnce().then(() => ended.push('asked second')),
  ])
  expect(ended).toEqual(['asked first', 'asked second'])
})

test('if one part of the server fails to close, the leases are still released, and close() rejects with that failure', async () => {
  const server = await start()
  vi.spyOn(server.app, 'close').mockRejectedValueOnce(new Error('this part does not close'))
  await expect(server.close()).rejects.toMatchObject({ errors: [{ message: 'this part does not close' }] })
  await expect(server.service.readiness()).resolves.toMatchObject({ checks: { store: { ok: false } } })
})

test('a first start on a port in use keeps the generated service key, which is valid at the next start', async () => {
  const dataDir = temporaryFolder()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0
  const env = { HOME: dataDir, RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off', RATECARD_LOG_LEVEL: 'silent' }
  const startOn = (port: number) => startServer({ env, port, dataDir, out: () => undefined })
  await expect(startOn(taken)).rejects.toMatchObject({ code: 'settings_invalid' })
  await new Promise((resolve) => other.close(resolve))
  const server = await startOn(0)
  try {
    const key = readFileSync(path.join(dataDir, 'service-key'), 'utf8').trim()
    const response = await fetch(`${server.url}/api/v1/billing/admin/keys/current`, {
      headers: { 'x-service-key': key },
    })
    expect([response.status, await response.json()]).toMatchObject([200, { scope: 'owner' }])
  } finally {
    await server.close()
  }
})
