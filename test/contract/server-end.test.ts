// How a server ends when it is asked more than once.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'

async function start() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'ratecard-end-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = {
    HOME: dataDir,
    RATECARD_SANDBOX_PORT: '0',
    RATECARD_WORKERS: 'off',
    RATECARD_LOG_LEVEL: 'silent',
    RATECARD_SERVICE_KEY: 'server-end-service-key',
  }
  return startServer({ env, port: 0, dataDir, out: () => undefined })
}

test('whoever asks for the end while the server drains waits for the whole end', async () => {
  const server = await start()
  const ended: string[] = []
  await Promise.all([
    server.close().then(() => ended.push('asked first')),
    server.closeAtOnce().then(() => ended.push('asked second')),
  ])
  expect(ended).toEqual(['asked first', 'asked second'])
})

test('what cannot be closed does not keep the leases from being given back, and is told', async () => {
  const server = await start()
  vi.spyOn(server.app, 'close').mockRejectedValueOnce(new Error('this part does not close'))
  await expect(server.close()).rejects.toMatchObject({ errors: [{ message: 'this part does not close' }] })
  await expect(server.service.readiness()).resolves.toMatchObject({ checks: { store: { ok: false } } })
})
