import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { copyStore } from '../../packages/ratecard/src/store/sql/maintenance/copy.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { emptiedPlaces } from '../support/stores/emptied-schema.ts'
import { announceSkip } from '../support/skips.ts'
import { startedForAll } from '../support/started.ts'
import { inFile, refusalOf } from '../support/stores/store.ts'
import {
  activate,
  claimOptions,
  content,
  keepAll,
  line,
  record,
  workerStoreContract,
} from './suite/worker-store-contract.ts'

workerStoreContract('SQLite', inFile)

describe('logs of workers with an embedded store', () => {
  const sizeOf = (file: string) => statSync(file).size
  const logFileOf = (file: string) => file.replace('.db', '-worker-logs.db')

  test('are in a separate file, which is readable by its owner only, and shrinks when lines are deleted', async () => {
    const place = await inFile()
    const store = await place.open()
    const logFile = logFileOf(place.file)
    expect(existsSync(logFile)).toBe(false)
    const message = 'x'.repeat(16_000)
    for (let batch = 0; batch < 20; batch++) {
      const lines = Array.from({ length: 100 }, (_, index) => line('loud', batch * 100 + index, { message }))
      await store.workerLogs.add(lines, { lines: 20_000, bytes: 8_000_000 })
    }
    const full = sizeOf(logFile) + sizeOf(`${logFile}-wal`)
    expect(full).toBeLessThan(3 * 8_000_000)
    await store.workerLogs.removeAll('loud')
    while (await store.workerLogs.tidy({ workers: [], now: 0, since: 0 }));
    await store.close()
    expect([sizeOf(logFile) < 100_000, statSync(logFile).mode & 0o777]).toEqual([true, 0o600])
    expect(sizeOf(place.file)).toBeLessThan(1_000_000)
  })

  test('cause the error store_unavailable if the log file cannot be written', async () => {
    const place = await inFile()
    const store = await place.open()
    const logFile = logFileOf(place.file)
    mkdirSync(logFile)
    expect(await refusalOf(store.workerLogs.add([line('one', 1)], keepAll))).toBe('store_unavailable')
    rmdirSync(logFile)
    await store.workerLogs.add([line('one', 1)], keepAll)
    expect(await store.workerLogs.list('one', { limit: 9 })).toEqual([line('one', 1)])
  })
})

const installed = postgresInstalled()
if (!installed)
  announceSkip('records of workers on PostgreSQL', 'no PostgreSQL server is installed (apt-get install postgresql)')

describe.runIf(installed)('PostgreSQL:', () => {
  const server = startedForAll(startPostgres)

  workerStoreContract('PostgreSQL', emptiedPlaces(server))

  test('workers are copied to PostgreSQL with all their records', async () => {
    const source = await inFile()
    const from = await source.open()
    const deployment = record('one', { hosts: ['one.example'] })
    const stored = await activate(from, deployment, [{ cron: '* * * * *', nextAt: 5 }])
    await from.workerLogs.add([line('one', 1)], keepAll)
    await from.workerRuns.claimDue(5, claimOptions)
    const to = await openStore({ url: await server.createSchema(), file: '', sealer: createSealer(source.keys) })
    try {
      await copyStore(from, to)
      expect(await to.workers.find('one')).toEqual({ ...stored, schedules: [{ cron: '* * * * *', nextAt: 65 }] })
      expect(await to.workers.content(deployment.id)).toEqual(content())
      const every = { limit: 9, offset: 0 }
      expect(await to.workerRuns.list('one', every)).toEqual(await from.workerRuns.list('one', every))
      expect(await to.workerLogs.list('one', { limit: 9 })).toEqual([line('one', 1)])
    } finally {
      await to.close()
    }
  })
})
