import type { KeyValueStore } from '../../../store.ts'
import type { Database, ReadConnection } from '../../database/database.ts'

export class SqlFacts implements KeyValueStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(name: string): Promise<string | null> {
    return this.#database.read((db) => valueOf(db, name))
  }

  async bind(name: string, value: string): Promise<string> {
    return this.#database.write(async (db) => {
      await db
        .insertInto('facts')
        .values({ name, value })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return (await valueOf(db, name)) ?? value
    })
  }

  async set(name: string, value: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .insertInto('facts')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute(),
    )
  }
}

async function valueOf(db: ReadConnection, name: string): Promise<string | null> {
  const row = await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}
