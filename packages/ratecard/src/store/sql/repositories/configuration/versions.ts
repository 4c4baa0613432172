import { versionHeadColumns, type VersionRecord, type VersionHead } from '../../../records/configuration.ts'
import type { Database } from '../../database/database.ts'
import { readPage } from '../../database/queries.ts'
import type { PageQuery, Page } from '../../../records/page.ts'

export function sqlVersions(database: Database) {
  return {
    /** Returns the current configuration; null before the first push and after a reset. */
    current: (): Promise<VersionRecord | null> =>
      database.readFirst((db) =>
        db
          .selectFrom('published')
          .innerJoin('versions', 'versions.revision', 'published.revision')
          .selectAll('versions')
          .executeTakeFirst(),
      ),

    /** Returns the newest revision, which may be a reset. */
    latest: (): Promise<VersionRecord | null> =>
      database.readFirst((db) =>
        db.selectFrom('versions').selectAll().orderBy('revision', 'desc').limit(1).executeTakeFirst(),
      ),

    find: (revision: number): Promise<VersionRecord | null> =>
      database.readFirst((db) =>
        db.selectFrom('versions').selectAll().where('revision', '=', revision).executeTakeFirst(),
      ),

    /** Returns a page of revisions, newest first, without their documents, because large documents would make the list slow. */
    list: (page: PageQuery): Promise<Page<VersionHead>> =>
      database.read((db) =>
        readPage(db.selectFrom('versions').select(versionHeadColumns).orderBy('revision', 'desc'), page),
      ),
  }
}
