import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { versionHeadColumns } from '../../packages/ratecard/src/store/records/configuration.ts'
import { pushHeadColumns } from '../../packages/ratecard/src/store/records/journal.ts'
import { schemaText } from '../../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'

function planOf(table: string, columns: readonly string[], order: string) {
  const db = new Database(':memory:')
  try {
    db.exec(schemaText('sqlite'))
    const names = columns.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    return db
      .prepare(`explain query plan select ${names.join(', ')} from ${table} order by ${order} limit 20 offset 5`)
      .all()
  } finally {
    db.close()
  }
}

test('a page of the history is read from an index without the documents, on SQLite', () => {
  expect(planOf('versions', versionHeadColumns, 'revision desc')).toMatchObject([
    { detail: 'SCAN versions USING COVERING INDEX versions_without_documents' },
  ])
})

test('a page of the list of pushes is read from an index without documents and plans, on SQLite', () => {
  expect(planOf('pushes', pushHeadColumns, 'created_at desc, id desc')).toMatchObject([
    { detail: 'SCAN pushes USING COVERING INDEX pushes_without_documents' },
  ])
})
