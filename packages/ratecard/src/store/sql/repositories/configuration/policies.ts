import { policyColumns, type PolicyRecord } from '../../../records/configuration.ts'
import type { Database } from '../../database/database.ts'
import { readPage } from '../../database/queries.ts'
import type { PageQuery, Page } from '../../../records/page.ts'

const columns = Object.keys(policyColumns) as (keyof typeof policyColumns)[]

export function sqlPolicies(database: Database) {
  return {
    current: (): Promise<PolicyRecord | null> =>
      database.readFirst((db) =>
        db.selectFrom('policies').select(columns).orderBy('number', 'desc').limit(1).executeTakeFirst(),
      ),

    /** Returns a page of records, newest first. */
    list: (page: PageQuery): Promise<Page<PolicyRecord>> =>
      database.read((db) => readPage(db.selectFrom('policies').select(columns).orderBy('number', 'desc'), page)),

    /** Adds a record with the next number and returns it. */
    add: (record: Omit<PolicyRecord, 'number'>): Promise<PolicyRecord> =>
      database.write(async (db) => {
        // The lock gives two changes at the same time two numbers.
        await database
          .locked(db.selectFrom('published').select('sequence'))
          .where('id', '=', 1)
          .executeTakeFirstOrThrow()
        const last = await db
          .selectFrom('policies')
          .select((eb) => eb.fn.max<number | null>('number').as('number'))
          .executeTakeFirst()
        const added = { ...record, number: (last?.number ?? 0) + 1 }
        await db.insertInto('policies').values(added).execute()
        return added
      }),
  }
}
