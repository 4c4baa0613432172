// Writes the database schema of the store for both engines to a file, so that reviews show its changes. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { schemaText } from '../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'

const path = fileURLToPath(new URL('../test/unit/store-schema.sql', import.meta.url))
const text = `-- Made by scripts/store-schema.ts. Do not edit.\n\n-- SQLite\n\n${schemaText('sqlite')}\n-- PostgreSQL\n\n${schemaText('postgres')}`

if (!process.argv.includes('--check')) {
  writeFileSync(path, text)
} else if (readFileSync(path, 'utf8') !== text) {
  console.error('test/unit/store-schema.sql is not what the migrations say. Run: node scripts/store-schema.ts')
  process.exitCode = 1
}
