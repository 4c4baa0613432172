import { inFile, inMemory } from '../../support/store.ts'
import { journalContract } from './journal-contract.ts'
import { processesContract } from './processes-contract.ts'
import { recordsContract } from './records-contract.ts'

recordsContract('SQLite in memory', inMemory)
journalContract('SQLite in memory', inMemory)
recordsContract('SQLite in a file', inFile)
journalContract('SQLite in a file', inFile)
processesContract('SQLite in a file', inFile)
