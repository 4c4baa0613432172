// Migrates the schema at start. All pending migrations run in one transaction under a lock. So processes that start together migrate only
// once, and after a crash the old schema is still complete.
import { sql } from 'kysely'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Database, Engine, Write } from '../database/database.ts'
import type { Dialect, Migration } from './migration.ts'
import { migrations } from './migrations.ts'

/** Key of PostgreSQL's advisory lock. Its value is arbitrary, but every release must use the same. */
const advisoryLock = 727_283_227

/** Applies all pending migrations. Throws `store_unavailable` if a newer release has already changed the schema. */
export async function migrate(
  database: Database,
  clock: Clock,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await database.write(async (db) => {
    if (database.engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(db)
    const present = await schemaVersion(db)
    if (present > steps.length) throw tooNew(present, steps.length)
    for (const [index, step] of steps.entries()) {
      if (index < present) continue
      const statements = statementsOf(step, database.engine)
      // For a new store all statements are sent in one: on PostgreSQL each is a round trip, and on SQLite preparing each takes longer than
      // running it. If the store has rows, each statement is sent separately, so that each may take the whole query timeout.
      const atOnce = present === 0 && statements.length > 0
      for (const text of atOnce ? [statements.join(';\n')] : statements) await sql.raw(text).execute(db)
      await db
        .insertInto('schemaMigrations')
        .values({ version: index + 1, name: step.name, appliedAt: clock.now() })
        .execute()
    }
  })
}

/** Returns the whole schema of one engine as SQL text for review: all statements that create a new store. */
export function schemaText(engine: Engine, steps: readonly Migration[] = migrations): string {
  const blocks = steps.map((step, index) =>
    [`-- ${String(index + 1)}: ${step.name}`, ...statementsOf(step, engine).map((statement) => `${statement};`)].join(
      '\n',
    ),
  )
  return `${[`${ledger};`, ...blocks].join('\n\n')}\n`
}

const ledger = `create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  applied_at bigint not null
)`

const dialects: Readonly<Record<Engine, Dialect>> = {
  sqlite: { engine: 'sqlite', key: 'text' },
  postgres: { engine: 'postgres', key: 'text collate "C"' },
}

const statementsOf = (step: Migration, engine: Engine) => step.statements(dialects[engine])

async function schemaVersion(db: Write): Promise<number> {
  await sql.raw(ledger).execute(db)
  const { version } = await db
    .selectFrom('schemaMigrations')
    .select((eb) => eb.fn.coalesce(eb.fn.max('version'), sql.lit(0)).as('version'))
    .executeTakeFirstOrThrow()
  return version
}

function tooNew(present: number, known: number): ServiceError {
  return new ServiceError(
    'store_unavailable',
    `The database has schema ${String(present)}; this release knows ${String(known)}.`,
    { hint: 'A newer release of Ratecard has used this database. Run that release, or restore a backup from before.' },
  )
}
