// The engine for many replicas.
import pg from 'pg'
import { CompiledQuery, PostgresDialect, PostgresDriver, PostgresQueryCompiler } from 'kysely'
import type { DatabaseConnection, Driver, QueryCompiler } from 'kysely'
import { ServiceError } from '../../../errors/service-error.ts'
import { storableParameter } from '../database/text.ts'

const bigintType = 20
const connectMs = 5000
/** Also ends a query whose connection died without a word. */
const queryMs = 30_000
/** Our transactions wait for nothing but their own statements. One that is silent this long belongs to a process that stands still. */
const silentMs = 5_000
/** Shorter, so that the other transactions of such a process give up while the first is waited for, and do not come after it one by one. */
const lockMs = 4_000

/** The URL is never part of an error: it may hold a password. */
export function openPostgresPool(url: string): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ServiceError('store_unavailable', 'DATABASE_URL is not a PostgreSQL URL.', {
      hint: 'Write it as postgres://user:password@host:5432/database, special characters of the password percent-encoded.',
    })
  const types = new pg.TypeOverrides()
  // Epoch milliseconds and counters are far below 2^53.
  types.setTypeParser(bigintType, Number)
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'ratecard',
    max: 10,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
    types,
  })
  // Without listeners, a connection that the server ends would end this process: idle ones tell the pool, busy ones
  // tell themselves. The query that is running or comes next fails by itself.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

export class CleaningPostgresDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new EndingDriver({ pool: this.#pool })
  }

  override createQueryCompiler(): QueryCompiler {
    return new CleaningCompiler()
  }
}

class CleaningCompiler extends PostgresQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(storableParameter(parameter))
  }
}

/** Or the locks of a replica that was paused in the middle of a transaction would stop all the others for as long. */
class EndingDriver extends PostgresDriver {
  // For the transaction alone and with its first message: poolers in between know no settings of a session.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const settings = { idle_in_transaction_session_timeout: silentMs, lock_timeout: lockMs }
    const statements = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${String(ms)}`)
    await connection.executeQuery(CompiledQuery.raw(['begin', ...statements].join('; ')))
  }
}
