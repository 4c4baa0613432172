// A full disk and a damaged file under a real server: the response of `/readyz`, and which requests still work.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { admin, billing } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { announceSkip } from '../support/skips.ts'

const key = 'rk_store_that_refuses_of_this_test'
const document = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      description: 'x'.repeat(200),
      prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month' }],
    },
  ],
})

interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function ask(server: RunningServer, place: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${server.url}${place}`, {
    headers: { 'x-service-key': key, 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}

const start = (dataDir: string, clock = systemClock) =>
  startServer({
    env: {
      RATECARD_SERVICE_KEY: key,
      RATECARD_WORKERS: 'off',
      RATECARD_LOG_LEVEL: 'silent',
      RATECARD_SANDBOX_PORT: '0',
    },
    ...{ port: 0, dataDir, clock, out: () => undefined },
  })

/** Mounts a file system of 8 MB. Returns null if this process may not mount one. */
function smallDisk(): string | null {
  const place = path.join(temporaryFolder(), 'disk')
  mkdirSync(place)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', place]).status !== 0) {
    announceSkip('a store on a full disk', 'a tmpfs cannot be mounted')
    return null
  }
  onTestFinished(() => void spawnSync('umount', ['--lazy', place]))
  return place
}

test('with a full disk, a server serves prices but is not ready, and is ready again within a minute once there is space', async () => {
  const disk = smallDisk()
  if (disk === null) return
  let skippedMs = 0
  const server = await start(path.join(disk, 'data'), { now: () => systemClock.now() + skippedMs })
  onTestFinished(() => server.close())
  expect(await ask(server, `${admin}/config`, document(1000))).toMatchObject({ status: 200 })
  expect(await ask(server, '/readyz')).toMatchObject({ status: 200 })
  const filler = path.join(disk, 'filler')
  fill(filler)

  expect(await ask(server, `${admin}/config`, document(2000))).toMatchObject({ body: { code: 'store_unavailable' } })
  expect(await ask(server, '/readyz')).toMatchObject({
    status: 503,
    body: { code: 'store_unavailable', detail: 'the store refused a write (SQLITE_FULL)' },
  })
  expect(await ask(server, `${billing}/config`)).toMatchObject({ status: 200 })

  rmSync(filler)
  skippedMs = 60_000
  expect(await ask(server, '/readyz')).toMatchObject({ status: 200, body: { checks: { store: { ok: true } } } })
  await expect
    .poll(async () => (await ask(server, `${admin}/config`, document(2000))).body, { interval: 500 })
    .toMatchObject({ status: 'applied' })
})

/** Writes until the disk is full. */
function fill(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (let size = 65_536; size >= 1; size = size > 1 ? size / 2 : 0) {
      try {
        for (;;) if (writeSync(handle, Buffer.alloc(size)) < size) break
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    }
  } finally {
    closeSync(handle)
  }
}

test('with a damaged store file, a server serves what can still be read, and is not ready', async () => {
  const dataDir = temporaryFolder()
  const before = await start(dataDir)
  for (const amount of [1000, 2000, 3000])
    expect(await ask(before, `${admin}/config`, document(amount))).toMatchObject({ status: 200 })
  await before.close()
  const file = path.join(dataDir, 'ratecard.db')
  const handle = openSync(file, 'r+')
  // Damages the last pages, which contain the latest rows. The first pages contain the schema; without them nothing opens.
  const { size } = statSync(file)
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, size - 4096)
  closeSync(handle)
  writeFileSync(`${file}-wal`, '')

  const server = await start(dataDir)
  onTestFinished(() => server.close())
  expect(await ask(server, '/healthz')).toMatchObject({ status: 200 })
  expect(await ask(server, '/readyz')).toMatchObject({
    status: 503,
    body: { code: 'store_unavailable', detail: 'the store is damaged (SQLITE_CORRUPT)' },
  })
})
