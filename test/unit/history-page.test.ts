import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { versionHeadColumns } from '../../packages/ratecard/src/store/records/configuration.ts'
import { schemaText } from '../../packages/ratecard/src/store/sql/migrations/migrate.ts'

test('a page of the history took longer the larger the documents were: on SQLite it is read beside them', () => {
  const db = new Database(':memory:')
  try {
    db.exec(schemaText('sqlite'))
    const columns = versionHeadColumns.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    const plan = db
      .prepare(`explain query plan select ${columns.join(', ')} from versions order by revision desc limit 20 offset 5`)
      .all()
    expect(plan).toMatchObject([{ detail: 'SCAN versions USING COVERING INDEX versions_without_documents' }])
  } finally {
    db.close()
  }
})
