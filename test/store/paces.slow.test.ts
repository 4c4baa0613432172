// Rates that replicas share. These tests compare times, so they run apart from tests that keep the machine busy.
import { describe } from 'vitest'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { startedForAll } from '../support/started.ts'
import { emptiedPlaces } from '../support/stores/emptied-schema.ts'
import { inFile } from '../support/stores/store.ts'
import { pacesContract } from './suite/paces-contract.ts'

pacesContract('SQLite', inFile)

const installed = postgresInstalled()
if (!installed) announceSkip('shared rates on PostgreSQL', 'no PostgreSQL server is installed')

describe.runIf(installed)('PostgreSQL:', () => {
  pacesContract('PostgreSQL', emptiedPlaces(startedForAll(startPostgres)))
})
