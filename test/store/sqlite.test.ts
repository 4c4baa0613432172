import { inFile } from '../support/stores/store.ts'
import { featuresContract } from './suite/features-contract.ts'
import { jobsContract } from './suite/jobs-contract.ts'
import { journalContract } from './suite/journal-contract.ts'
import { keysContract } from './suite/keys-contract.ts'
import { leaseContract } from './suite/lease-contract.ts'
import { mirrorContract } from './suite/mirror-contract.ts'
import { subscribersContract } from './suite/subscribers-contract.ts'
import { policiesContract } from './suite/policies-contract.ts'
import { processesContract } from './suite/processes-contract.ts'
import { recordsContract } from './suite/records-contract.ts'
import { refusedCodesContract } from './suite/refused-codes-contract.ts'
import { tablesContract } from './suite/tables-contract.ts'
import { tenantListContract } from './suite/tenant-list-contract.ts'
import { tenantRaces } from './suite/tenant-races.ts'
import { tenantsContract } from './suite/tenants-contract.ts'

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
