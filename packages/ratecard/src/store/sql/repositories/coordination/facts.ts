import type { KeyValueStore } from '../../../store.ts'
import type { Database, ReadConnection } from '../../database/database.ts'

export function sqlFacts(database: Database): KeyValueStore {
  return {
    get: (name) => database.read((db) => valueOf(db, name)),

    async bind(name, value) {
      return database.write(async (db) => {
        await db
          .insertInto('facts')
          .values({ name, value })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        return (await valueOf(db, name)) ?? value
      })
    },

    async set(name, value) {
      await database.write((db) =>
        db
          .insertInto('facts')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute(),
      )
    },
  }
}

async function valueOf(db: ReadConnection, name: string): Promise<string | null> {
  const row = await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}
