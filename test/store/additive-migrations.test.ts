// During an upgrade, servers of the previous release still use the store. So a migration may only add to the schema that they know.
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { schemaText } from '../../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'
import type { Migration } from '../../packages/ratecard/src/store/sql/schema-migrations/migration.ts'
import { migrations } from '../../packages/ratecard/src/store/sql/schema-migrations/migrations.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly dflt_value: string | null
}

interface Table {
  readonly columns: readonly Column[]
  readonly uniques: readonly string[]
}

function tablesAfter(steps: readonly Migration[]): ReadonlyMap<string, Table> {
  const db = new Database(':memory:')
  try {
    db.exec(schemaText('sqlite', steps))
    const named = (kind: string) =>
      db
        .prepare('select name, tbl_name as owner, sql from sqlite_master where type = ? and sql is not null')
        .all(kind) as {
        readonly name: string
        readonly owner: string
        readonly sql: string
      }[]
    const indexes = named('index').filter(({ sql }) => /^create unique/i.test(sql))
    return new Map(
      named('table').map(({ name }) => [
        name,
        {
          columns: db.prepare(`pragma table_info(${name})`).all() as Column[],
          uniques: indexes.filter(({ owner }) => owner === name).map((index) => index.name),
        },
      ]),
    )
  } finally {
    db.close()
  }
}

/** Returns the reasons why a server with the previous schema would fail after the migration. */
function breaks(steps: readonly Migration[], step: Migration): readonly string[] {
  const [before, after] = [tablesAfter(steps), tablesAfter([...steps, step])]
  // Recreating a table drops the constraints of its columns, which this test cannot compare.
  const anew = schemaText('sqlite', [step]).matchAll(/^(?:drop table|alter table) (\w+)(?: rename to|;)/gm)
  const said = [...anew].flatMap(([, name = '']) => (before.has(name) ? [`${name} is made anew`] : []))
  for (const [name, old] of before) {
    const now = after.get(name)
    if (now === undefined) {
      said.push(`${name} is gone`)
      continue
    }
    for (const column of old.columns) {
      const found = now.columns.find((other) => other.name === column.name)
      if (found === undefined) said.push(`${name}.${column.name} is gone`)
      else if (found.type !== column.type || found.notnull > column.notnull)
        said.push(`${name}.${column.name} is another`)
    }
    const known = new Set(old.columns.map((column) => column.name))
    for (const column of now.columns)
      if (column.notnull === 1 && column.dflt_value === null && !known.has(column.name))
        said.push(`${name}.${column.name} has to be given`)
    for (const index of now.uniques) if (!old.uniques.includes(index)) said.push(`${index} is unique`)
  }
  return said
}

test.each(migrations.map((step, index) => ({ name: step.name, index })).slice(1))(
  'the database migration "$name" keeps every table and column that servers of the previous release read and write',
  ({ index }) => {
    expect(breaks(migrations.slice(0, index), migrations[index] as Migration)).toEqual([])
  },
)

test.each([
  ['drop table facts', 'facts is gone'],
  [
    'alter table facts rename to f; create table facts (name text primary key, value text not null)',
    'facts is made anew',
  ],
  ['alter table facts drop column value', 'facts.value is gone'],
  ['alter table facts rename column value to text', 'facts.value is gone'],
  ['create unique index one_value on facts (value)', 'one_value is unique'],
  [
    `alter table facts rename to f; create table facts (name text primary key, value text not null, more text not null)`,
    'facts.more has to be given',
  ],
])('a database migration with "%s" is reported as a breaking change', (statement, why) => {
  const next = { name: 'another', statements: () => statement.split('; ') }
  expect(breaks(migrations, next)).toContain(why)
})
