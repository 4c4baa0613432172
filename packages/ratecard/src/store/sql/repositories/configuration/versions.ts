import type { VersionRecord, VersionStore } from '../../../store.ts'
import { versionHeadColumns } from '../../../records/configuration.ts'
import type { Database, ReadConnection } from '../../database/database.ts'

export class SqlVersions implements VersionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async current(): Promise<VersionRecord | null> {
    return this.#one((db) =>
      db
        .selectFrom('published')
        .innerJoin('versions', 'versions.revision', 'published.revision')
        .selectAll('versions')
        .executeTakeFirst(),
    )
  }

  async latest(): Promise<VersionRecord | null> {
    return this.#one((db) =>
      db.selectFrom('versions').selectAll().orderBy('revision', 'desc').limit(1).executeTakeFirst(),
    )
  }

  async find(revision: number): Promise<VersionRecord | null> {
    return this.#one((db) => db.selectFrom('versions').selectAll().where('revision', '=', revision).executeTakeFirst())
  }

  async list(page: { readonly limit: number; readonly offset: number }) {
    return this.#database.read(async (db) => {
      const items = await db
        .selectFrom('versions')
        .select(versionHeadColumns)
        .orderBy('revision', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      const { total } = await db
        .selectFrom('versions')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return { items, total }
    })
  }

  async #one(query: (db: ReadConnection) => Promise<VersionRecord | undefined>): Promise<VersionRecord | null> {
    return (await this.#database.read(query)) ?? null
  }
}
