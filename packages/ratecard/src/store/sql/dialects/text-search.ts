// Searches tenants by a part of a text, with the search index of each engine.
import { sql, type RawBuilder } from 'kysely'
import type { Database, ReadConnection } from '../database/database.ts'

/** SQL conditions on `tenant_listings` for one search. */
export interface SearchConditions {
  /** Condition for reading one page in any order. */
  readonly page: RawBuilder<boolean>
  /** Condition that counts the matches together with the query's other conditions. */
  readonly total: RawBuilder<boolean>
  /** Query that counts the matches if the list has no other conditions. null if `total` is also used in that case. */
  readonly alone: RawBuilder<{ readonly total: number }> | null
}

/** True if the text is long enough for the trigram indexes: at least three characters. */
const isIndexed = (part: string) => /^.{3}/su.test(part)

/**
 * Maximum number of matches that SQLite looks up and sorts. If there are more, it is faster to read the listing in order until the page is
 * full.
 */
const mostLookedUp = 1000

/** Returns the conditions for tenants whose text contains `part`. `part` must have the form that `searchForm` returns. */
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
