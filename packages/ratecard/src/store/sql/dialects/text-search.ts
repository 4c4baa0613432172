// Search of tenants for a part of a text, by the index of each engine.
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Database, ReadConnection } from '../database/database.ts'

/** Conditions on `tenant_listings` for one search. */
export interface SearchConditions {
  /** For a page in some order. */
  readonly page: RawBuilder<boolean>
  /** For the number of all that match other conditions too. */
  readonly total: RawBuilder<boolean>
  /** The number of all if there are no other conditions; null if it is counted like that with other conditions. */
  readonly alone: RawBuilder<{ readonly total: number }> | null
}

/** The trigram indexes know no shorter text than three characters. */
const isIndexed = (part: string) => /^.{3}/su.test(part)

/**
 * Matches up to which SQLite looks up all of them and sorts them. If there are more, reading in order until the page is full takes
 * less time.
 */
const mostLookedUp = 1000

/** Returns the conditions for `part`, which must have the form of `searchForm`. */
export async function searchConditions(
  database: Database,
  db: ReadConnection,
  part: string,
): Promise<SearchConditions> {
  if (database.engine === 'postgres') {
    const like = sql<boolean>`search like ${`%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`
    return { page: like, total: like, alone: null }
  }
  const read = sql<boolean>`instr(search, ${part}) > 0`
  if (!isIndexed(part)) return { page: read, total: read, alone: null }
  const phrase = `"${part.replaceAll('"', '""')}"`
  const matches = sql`select r.tenant_id from tenant_search s join tenant_search_rows r on r.number = s.rowid
    where s.text match ${phrase}`
  const { rows } = await sql<{ tenantId: string }>`${matches} limit ${mostLookedUp + 1}`.execute(db)
  if (rows.length > mostLookedUp)
    return {
      page: read,
      total: sql<boolean>`tenant_id in (${matches})`,
      alone: sql`select count(*) as total from tenant_search where text match ${phrase}`,
    }
  const found = sql<boolean>`tenant_id in (select value from json_each(${JSON.stringify(rows.map(({ tenantId }) => tenantId))}))`
  return { page: found, total: found, alone: null }
}
