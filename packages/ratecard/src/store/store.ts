// The store: what the repositories in sql/repositories do, for two engines (SQLite and PostgreSQL). Their functions say what each does; records/
// describes the tables column by column. Times are epoch milliseconds. Ids are lower-case texts that the service creates and that sort by time.
import type { KyselyStore } from './sql/kysely-store.ts'

/** The store without its database handle, which only the copy of a whole database uses. */
export type Store = Omit<KyselyStore, 'database' | 'sealer'>
