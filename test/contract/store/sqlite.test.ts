import { inFile, inMemory } from '../../support/store.ts'
import { featuresContract } from './features-contract.ts'
import { jobsContract } from './jobs-contract.ts'
import { journalContract } from './journal-contract.ts'
import { keysContract } from './keys-contract.ts'
import { leaseContract } from './lease-contract.ts'
import { mirrorContract } from './mirror-contract.ts'
import { subscribersContract } from './subscribers-contract.ts'
import { pacesContract } from './paces-contract.ts'
import { policiesContract } from './policies-contract.ts'
import { processesContract } from './processes-contract.ts'
import { recordsContract } from './records-contract.ts'
import { refusedCodesContract } from './refused-codes-contract.ts'
import { tablesContract } from './tables-contract.ts'
import { tenantListContract } from './tenant-list-contract.ts'
import { tenantRaces } from './tenant-races.ts'
import { tenantsContract } from './tenants-contract.ts'

tablesContract('SQLite in memory', inMemory)
recordsContract('SQLite in memory', inMemory)
journalContract('SQLite in memory', inMemory)
leaseContract('SQLite in memory', inMemory)
keysContract('SQLite in memory', inMemory)
policiesContract('SQLite in memory', inMemory)
tenantsContract('SQLite in memory', inMemory)
jobsContract('SQLite in memory', inMemory)
mirrorContract('SQLite in memory', inMemory)
subscribersContract('SQLite in memory', inMemory)
tenantListContract('SQLite in memory', inMemory)
recordsContract('SQLite in a file', inFile)
journalContract('SQLite in a file', inFile)
leaseContract('SQLite in a file', inFile)
refusedCodesContract('SQLite in a file', inFile)
featuresContract('SQLite in a file', inFile)
keysContract('SQLite in a file', inFile)
policiesContract('SQLite in a file', inFile)
tenantsContract('SQLite in a file', inFile)
jobsContract('SQLite in a file', inFile)
mirrorContract('SQLite in a file', inFile)
subscribersContract('SQLite in a file', inFile)
tenantListContract('SQLite in a file', inFile)
processesContract('SQLite in a file', inFile)
tenantRaces('SQLite in a file', inFile)
pacesContract('SQLite in a file', inFile)
