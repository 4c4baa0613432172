// PostgreSQL: the engine for several replicas.
import pg from 'pg'
import { CompiledQuery, PostgresDialect, PostgresDriver, PostgresQueryCompiler } from 'kysely'
import type { DatabaseConnection, Driver, QueryCompiler } from 'kysely'
import { ServiceError } from '../../../errors/service-error.ts'
import { storableParameter } from '../database/text.ts'

const bigintType = 20
const connectMs = 5000
/** Query timeout (30 s); it also ends a query on a dead connection. */
const queryMs = 30_000
/**
 * Idle timeout within a transaction (5 s). Transactions wait for nothing but their own statements, so an idle one belongs to a suspended
 * process (e.g. a frozen VM).
 */
const silentMs = 5_000
/**
 * Lock timeout (4 s). It is shorter than the idle timeout, so that other queued transactions of a suspended process give up before its
 * first one ends; otherwise they would hold the lock one after the other.
 */
const lockMs = 4_000

/** The URL is never part of an error, because it may contain a password. */
export function openPostgresPool(url: string): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ServiceError('store_unavailable', 'DATABASE_URL is not a PostgreSQL URL.', {
      hint: 'Write it as postgres://user:password@host:5432/database, special characters of the password percent-encoded.',
    })
  const types = new pg.TypeOverrides()
  // Epoch milliseconds and counters are far below 2^53, so Number is exact.
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
  // Without listeners, a connection that the server ends would end this process: idle connections emit the error on the pool, busy ones on
  // the client. The running or next query fails by itself.
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

/**
 * Sets timeouts per transaction: otherwise a replica suspended in mid-transaction (e.g. a frozen VM) would block the others with its locks.
 */
class EndingDriver extends PostgresDriver {
  // `set local` limits the timeouts to the transaction, because a pooler in between (e.g. PgBouncer) keeps no session settings. Sent with
  // `begin` in one message.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const settings = { idle_in_transaction_session_timeout: silentMs, lock_timeout: lockMs }
    const statements = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${String(ms)}`)
    await connection.executeQuery(CompiledQuery.raw(['begin', ...statements].join('; ')))
  }
}
