// The store's tests on a real PostgreSQL, and tests of features of PostgreSQL only.
import { describe, expect, test } from 'vitest'
import { copyStore } from '../../packages/ratecard/src/store/sql/maintenance/copy.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { emptiedPlaces } from '../support/stores/emptied-schema.ts'
import { announceSkip } from '../support/skips.ts'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { startedForAll } from '../support/started.ts'
import { inFile, publish, refusalOf, refusedBy, storePlace } from '../support/stores/store.ts'
import { fillStore, dumpStore } from './suite/filled-store.ts'
import { jobsContract } from './suite/jobs-contract.ts'
import { journalContract } from './suite/journal-contract.ts'
import { keysContract } from './suite/keys-contract.ts'
import { leaseContract } from './suite/lease-contract.ts'
import { mirrorContract } from './suite/mirror-contract.ts'
import { subscribersContract } from './suite/subscribers-contract.ts'
import { policiesContract } from './suite/policies-contract.ts'
import { processesContract } from './suite/processes-contract.ts'
import { recordsContract } from './suite/records-contract.ts'
import { featuresContract } from './suite/features-contract.ts'
import { refusedCodesContract } from './suite/refused-codes-contract.ts'
import { tablesContract } from './suite/tables-contract.ts'
import { tenantListContract } from './suite/tenant-list-contract.ts'
import { tenantRaces } from './suite/tenant-races.ts'
import { tenantsContract } from './suite/tenants-contract.ts'

const installed = postgresInstalled()
if (!installed)
  announceSkip('store contract on PostgreSQL', 'no PostgreSQL server is installed (apt-get install postgresql)')

describe.runIf(installed)('PostgreSQL:', () => {
  const server = startedForAll(startPostgres)

  const inPostgres = emptiedPlaces(server)
  const inNewSchema = async () => storePlace({ url: await server.createSchema(), file: '' })

  tablesContract('PostgreSQL', inNewSchema)
  recordsContract('PostgreSQL', inPostgres)
  journalContract('PostgreSQL', inPostgres)
  leaseContract('PostgreSQL', inPostgres)
  refusedCodesContract('PostgreSQL', inPostgres)
  featuresContract('PostgreSQL', inPostgres)
  keysContract('PostgreSQL', inPostgres)
  policiesContract('PostgreSQL', inPostgres)
  tenantsContract('PostgreSQL', inPostgres)
  jobsContract('PostgreSQL', inPostgres)
  mirrorContract('PostgreSQL', inPostgres)
  subscribersContract('PostgreSQL', inPostgres)
  tenantListContract('PostgreSQL', inPostgres)
  processesContract('PostgreSQL', inNewSchema)
  tenantRaces('PostgreSQL', inPostgres)

  test('an embedded store is copied with every record, regardless of PostgreSQL’s sort order', async () => {
    const source = await inFile()
    const from = await source.open()
    await fillStore(from)
    const to = await openStore({ url: await server.createSchema(), file: '', sealer: createSealer(source.keys) })
    try {
      const counts = await copyStore(from, to)
      expect(counts).toMatchObject({ versions: 3, pushes: 4, secrets: 3, facts: 2 })
      const dump = await dumpStore(to)
      expect(dump).toEqual(await dumpStore(from))
      expect(dump.mirror.found.total).toBe(1)
      expect(await to.mirror.beginRead()).toBe(await from.mirror.beginRead())
      expect((await publish(to)).revision).toBe(4)
    } finally {
      await to.close()
    }
  })

  test('a lost connection causes the error store_unavailable, and the next call opens a new connection', async () => {
    const url = await server.createDatabase()
    const store = await storePlace({ url, file: '' }).open()
    const interrupted = store.database.write(async (db) => {
      await db.insertInto('facts').values({ name: 'a', value: 'b' }).execute()
      await server.disconnectAll(url)
      await db.insertInto('facts').values({ name: 'c', value: 'd' }).execute()
    })
    expect(await refusalOf(interrupted)).toBe('store_unavailable')
    await expect.poll(() => store.facts.get('a').catch(() => 'unavailable')).toBeNull()
    await store.facts.set('a', 'e')
    expect(await store.facts.get('a')).toBe('e')
  })

  test('a transaction that is aborted by a deadlock is retried', async () => {
    const store = await (await inPostgres()).open()
    await store.facts.set('a', '0')
    await store.facts.set('b', '0')
    let bothIn = () => {}
    const meeting = new Promise<void>((resolve) => (bothIn = resolve))
    let arrived = 0
    const crosswise = (first: string, second: string) =>
      store.database.write(async (db) => {
        await db.updateTable('facts').set({ value: first }).where('name', '=', first).execute()
        arrived += 1
        if (arrived === 2) bothIn()
        await meeting
        await db.updateTable('facts').set({ value: first }).where('name', '=', second).execute()
      })
    await Promise.all([crosswise('a', 'b'), crosswise('b', 'a')])
    expect(arrived).toBe(3)
    expect(await store.facts.get('a')).toBe(await store.facts.get('b'))
  })

  test('no error about a connection contains the password', async () => {
    const sealer = createSealer(generateMasterKey())
    const host = encodeURIComponent('/nowhere/at/all')
    const urls = [
      `postgres://ratecard:hunter2@127.0.0.1:1/x`,
      `postgres://ratecard:hunter2@localhost/x?host=${host}`,
      'postgres://u:hunter2@:x:/',
    ]
    for (const url of urls) {
      const refused = await refusedBy(openStore({ url, file: '', sealer }))
      expect(refused.code).toBe('store_unavailable')
      expect(refused.hint).toBeTruthy()
      expect(JSON.stringify([refused.message, refused.hint, refused.cause, String(refused.cause)])).not.toContain(
        'hunter2',
      )
    }
  })
})
