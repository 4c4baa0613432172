import { inFile } from '../../support/store.ts'
import { featuresContract } from './features-contract.ts'
import { jobsContract } from './jobs-contract.ts'
import { journalContract } from './journal-contract.ts'
import { keysContract } from './keys-contract.ts'
import { leaseContract } from './lease-contract.ts'
import { mirrorContract } from './mirror-contract.ts'
import { subscribersContract } from './subscribers-contract.ts'
import { policiesContract } from './policies-contract.ts'
import { processesContract } from './processes-contract.ts'
import { recordsContract } from './records-contract.ts'
import { refusedCodesContract } from './refused-codes-contract.ts'
import { tablesContract } from './tables-contract.ts'
import { tenantListContract } from './tenant-list-contract.ts'
import { tenantRaces } from './tenant-races.ts'
import { tenantsContract } from './tenants-contract.ts'

tablesContract('SQLite', inFile)
recordsContract('SQLite', inFile)
journalContract('SQLite', inFile)
leaseContract('SQLite', inFile)
refusedCodesContract('SQLite', inFile)
featuresContract('SQLite', inFile)
keysContract('SQLite', inFile)
policiesContract('SQLite', inFile)
tenantsContract('SQLite', inFile)
jobsContract('SQLite', inFile)
mirrorContract('SQLite', inFile)
subscribersContract('SQLite', inFile)
tenantListContract('SQLite', inFile)
processesContract('SQLite', inFile)
tenantRaces('SQLite', inFile)
