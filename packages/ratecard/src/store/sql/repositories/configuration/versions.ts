import type { VersionStore } from '../../../store.ts'
import { versionHeadColumns } from '../../../records/configuration.ts'
import type { Database } from '../../database/database.ts'
import { readPage } from '../../database/read-page.ts'

export function sqlVersions(database: Database): VersionStore {
  return {
    current: () =>
      database.readFirst((db) =>
        db
          .selectFrom('published')
          .innerJoin('versions', 'versions.revision', 'published.revision')
          .selectAll('versions')
          .executeTakeFirst(),
      ),

    latest: () =>
      database.readFirst((db) =>
        db.selectFrom('versions').selectAll().orderBy('revision', 'desc').limit(1).executeTakeFirst(),
      ),

    find: (revision) =>
      database.readFirst((db) =>
        db.selectFrom('versions').selectAll().where('revision', '=', revision).executeTakeFirst(),
      ),

    list: (page) =>
      database.read((db) =>
        readPage(db.selectFrom('versions').select(versionHeadColumns).orderBy('revision', 'desc'), page),
      ),
  }
}
