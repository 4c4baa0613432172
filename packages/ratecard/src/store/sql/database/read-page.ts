import type { SelectQueryBuilder } from 'kysely'
import type { Page, PageQuery } from '../../records/page.ts'
import type { Tables } from '../../records/tables.ts'

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
