import type { Database, ReadConnection } from '../../database/database.ts'

export function sqlFacts(database: Database) {
  return {
    get: (name: string): Promise<string | null> => database.read((db) => valueOf(db, name)),

    /** Stores the value under the name if the name has no value yet. Returns the stored value. */
    async bind(name: string, value: string): Promise<string> {
      return database.write(async (db) => {
        await db
          .insertInto('facts')
          .values({ name, value })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        return (await valueOf(db, name)) ?? value
      })
    },

    async set(name: string, value: string): Promise<void> {
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
