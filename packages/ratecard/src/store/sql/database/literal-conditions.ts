import { sql } from 'kysely'

/**
 * Condition that a column has one of the values, which stand in the query itself. SQLite reads a partial index only for a query that contains
 * the condition of the index, and a parameter does not.
 */
export function isOneOf(column: string, [first = '', ...others]: readonly string[]) {
  const name = sql.ref(column)
  if (others.length === 0) return sql<boolean>`${name} = ${sql.lit(first)}`
  return sql<boolean>`${name} in (${sql.join([first, ...others].map((value) => sql.lit(value)))})`
}
