import type { DashboardPassRecord, DashboardPassStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'

export class SqlDashboardPasses implements DashboardPassStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(pass: DashboardPassRecord): Promise<void> {
    await this.#database.write(async (db) => {
      await db.deleteFrom('dashboardPasses').where('expiresAt', '<=', pass.createdAt).execute()
      await db.insertInto('dashboardPasses').values(pass).execute()
    })
  }

  async find(hash: string): Promise<DashboardPassRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('dashboardPasses').selectAll().where('hash', '=', hash).executeTakeFirst(),
    )
    return row ?? null
  }

  async end(hash: string, kind: DashboardPassRecord['kind'], at: number): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('dashboardPasses')
        .set({ endedAt: at })
        .where('hash', '=', hash)
        .where('kind', '=', kind)
        .where('endedAt', 'is', null)
        .where('expiresAt', '>', at)
        .executeTakeFirst(),
    )
    return result.numUpdatedRows === 1n
  }
}
