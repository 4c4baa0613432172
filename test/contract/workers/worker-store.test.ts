import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyStore } from '../../../packages/ratecard/src/store/sql/copy.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import { postgresInstalled, startPostgres } from '../../support/postgres.ts'
import type { TestPostgres } from '../../support/postgres.ts'
import { announceSkip } from '../../support/skips.ts'
import { inFile, inMemory, storePlace } from '../../support/store.ts'
import { activate, claimOptions, content, line, record, workerStoreContract } from './worker-store-contract.ts'

workerStoreContract('SQLite in memory', inMemory, false)
workerStoreContract('SQLite in a file', inFile)

const installed = postgresInstalled()
if (!installed)
  announceSkip('records of workers on PostgreSQL', 'no PostgreSQL server is installed (apt-get install postgresql)')

describe.runIf(installed)('PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  workerStoreContract('PostgreSQL', async () => storePlace({ url: await server.createSchema(), file: '' }))

  test('workers move to PostgreSQL with everything they have', async () => {
    const source = await inFile()
    const from = await source.open()
    const deployment = record('one', { hosts: ['one.example'] })
    const stored = await activate(from, deployment, [{ cron: '* * * * *', nextAt: 5 }])
    await from.workerLogs.add([line('one', 1)])
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
