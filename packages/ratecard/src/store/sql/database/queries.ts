import { sql, type SelectQueryBuilder } from 'kysely'
import type { Page, PageQuery } from '../../records/page.ts'
import type { Tables } from '../../records/tables.ts'

/**
 * Maximum number of rows per statement. It follows from the engines' limits of parameters per statement, 32,766 (SQLite) and 65,535
 * (PostgreSQL), because the widest table has 17 columns.
 */
export const batchSize = 1000

/** Runs `work` on consecutive slices of the rows, one after the other. `start` is the index of the first row of a slice. */
export async function inBatches<T>(
  rows: readonly T[],
  work: (slice: readonly T[], start: number) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) await work(rows.slice(start, start + batchSize), start)
}

/**
 * Condition that a column has one of the values, which stand in the query itself. SQLite reads a partial index only for a query that contains
 * the condition of the index, and a parameter does not.
 */
export function isOneOf(column: string, [first = '', ...others]: readonly string[]) {
  const name = sql.ref(column)
  if (others.length === 0) return sql<boolean>`${name} = ${sql.lit(first)}`
  return sql<boolean>`${name} in (${sql.join([first, ...others].map((value) => sql.lit(value)))})`
}

/**
 * Returns the text in a form that both engines store unchanged. PostgreSQL refuses NUL characters, and neither engine stores half of a
 * surrogate pair. Call this before hashing a text; otherwise the hash would not match the stored text.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Applies {@link storableText} to a query parameter; values other than text are returned unchanged. */
export function storableParameter(value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value
}

/** Reads one page of the ordered rows, and the number of all rows. */
export async function readPage<Table extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
  { limit, offset }: PageQuery,
): Promise<Page<Row>> {
  const items = await rows.limit(limit).offset(offset).execute()
  const { total } = await rows
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items, total }
}
