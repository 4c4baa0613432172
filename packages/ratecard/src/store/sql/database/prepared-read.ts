import { sql, type CompiledQuery, type RawBuilder } from 'kysely'
import type { Columns } from '../../records/columns.ts'
import type { Database } from './database.ts'
import { storableParameter } from './queries.ts'

/**
 * A placeholder for a parameter of `preparedRead`; only its place in the query counts. The cast makes SQLite keep its query plan. SQLite is
 * built with ENABLE_STAT4: without the cast, it plans the query again whenever a parameter that is compared with an indexed column changes.
 * Planning takes five times as long as running the query.
 */
export const textParameter = (value = '') => sql<string>`cast(${value} as text)`
export const numberParameter = (value = 0) => sql<number>`cast(${value} as bigint)`

/** Selects all columns of a record by their names in the code, e.g. `created_at as "createdAt"`. */
export const columnsOf = (columns: Columns) =>
  sql.join(Object.keys(columns).map((name) => sql`${sql.ref(name)} as ${sql.raw(`"${name}"`)}`))

/**
 * Returns a function that runs a query with the given parameters, in the order of their places. The query is built and compiled only once,
 * because that costs more than running it. Use it for the few queries that run at every check of a feature.
 */
export function preparedRead<Row>(
  database: Database,
  query: RawBuilder<Row>,
): (...parameters: readonly (string | number)[]) => Promise<readonly Row[]> {
  let compiled: CompiledQuery<Row> | null = null
  return (...parameters) =>
    database.readPrepared((db) => {
      compiled ??= query.compile(db)
      return { ...compiled, parameters: parameters.map(storableParameter) }
    })
}
