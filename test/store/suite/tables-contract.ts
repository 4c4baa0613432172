// The migrations create the described tables and columns, with their allowed values and nullability. Runs on every engine.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { tables } from '../../../packages/ratecard/src/store/records/tables.ts'
import { snake } from '../../../packages/ratecard/src/api/notation/names.ts'
import type { MakePlace } from '../../support/stores/store.ts'

interface Found {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

interface Row {
  readonly tab: string
  readonly col: string
  readonly type: string
  /** SQLite returns 0 or 1. */
  readonly nullable: boolean | number
}

/** Leaves out the full-text index of SQLite, which contains no records. */
async function columnsIn({ database, engine }: KyselyStore): Promise<Found[]> {
  const query =
    engine === 'sqlite'
      ? sql<Row>`
          select m.name as tab, c.name as col, c.type as type, c."notnull" = 0 and c.pk = 0 as nullable
          from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and m.name not like 'tenant!_search%' escape '!'`
      : sql<Row>`
          select table_name as tab, column_name as col, data_type as type, is_nullable = 'YES' as nullable
          from information_schema.columns where table_schema = current_schema()`
  const { rows } = await database.read((db) => query.execute(db))
  return rows.map(({ tab, col, type, nullable }) => ({
    table: tab,
    name: col,
    type: type.toLowerCase(),
    nullable: Boolean(nullable),
  }))
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')

/** Returns the texts that a table's checks allow in a column, sorted. Null if there is no such check. */
async function allowedIn({ database, engine }: KyselyStore, table: string, column: string): Promise<string[] | null> {
  const query =
    engine === 'sqlite'
      ? sql<{ text: string }>`select sql as text from sqlite_master where name = ${table}`
      : sql<{ text: string }>`select pg_get_constraintdef(oid) as text from pg_constraint
          where contype = 'c' and conrelid = to_regclass(${table})`
  const { rows } = await database.read((db) => query.execute(db))
  const list = new RegExp(String.raw`\b${column} (?:in \(|= ANY \(\(?ARRAY\[)((?:'[a-z_]+'(?:::text)?,? ?)+)`)
  const found = rows.flatMap(({ text }) => list.exec(inOneLine(text))?.[1] ?? [])[0]
  return found === undefined ? null : [...found.matchAll(/'([a-z_]+)'/g)].flatMap(([, value]) => value ?? []).sort()
}

export function tablesContract(engine: string, makePlace: MakePlace): void {
  describe(`the tables on ${engine}`, () => {
    const described = Object.entries(tables).map(([name, { columns }]) => ({ table: snake(name), columns }))

    test('have the columns that the schema description lists, with type and nullability', async () => {
      const store = await (await makePlace()).open()
      const expected = described.flatMap(({ table, columns }) =>
        Object.entries(columns).map(([name, { type, nullable }]) => ({ table, name: snake(name), type, nullable })),
      )
      const line = ({ table, name, type, nullable }: Found) => `${table}.${name}: ${type}${nullable ? ' or null' : ''}`
      const found = (await columnsIn(store)).map(line)
      const wanted = expected.map(line)
      expect({
        described_only: wanted.filter((column) => !found.includes(column)),
        made_only: found.filter((column) => !wanted.includes(column)),
      }).toEqual({ described_only: [], made_only: [] })
    })

    test('refuse other than the described values in columns with a fixed set of values', async () => {
      const store = await (await makePlace()).open()
      for (const { table, columns } of described)
        for (const [name, { values }] of Object.entries(columns))
          if (values !== null)
            expect([table, name, await allowedIn(store, table, snake(name))]).toEqual([table, name, [...values].sort()])
    })
  })
}
