import { policyColumns } from '../../../records/configuration.ts'
import type { PolicyStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'
import { readPage } from '../../database/read-page.ts'

const columns = Object.keys(policyColumns) as (keyof typeof policyColumns)[]

export function sqlPolicies(database: Database): PolicyStore {
  return {
    current: () =>
      database.readFirst((db) =>
        db.selectFrom('policies').select(columns).orderBy('number', 'desc').limit(1).executeTakeFirst(),
      ),

    list: (page) =>
      database.read((db) => readPage(db.selectFrom('policies').select(columns).orderBy('number', 'desc'), page)),

    add: (record) =>
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
