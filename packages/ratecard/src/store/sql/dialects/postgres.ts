// PostgreSQL: the engine for installations with several replicas.
import pg from 'pg'
import { CompiledQuery, PostgresDialect, PostgresDriver, PostgresQueryCompiler } from 'kysely'
import type { DatabaseConnection, Driver, QueryCompiler } from 'kysely'
import { ServiceError } from '../../../errors/service-error.ts'
import { storableParameter } from '../database/text.ts'

const bigintType = 20
const connectMs = 5000
/** Timeout of a query (30 s), which also ends a query on a dead connection. */
const queryMs = 30_000
/**
 * Idle timeout within a transaction (5 s). Our transactions await nothing but their own statements, so an idle transaction belongs to a
 * suspended process (e.g. a frozen VM).
 */
const silentMs = 5_000
/**
 * Timeout for locks (4 s). It is shorter than the idle timeout. If a suspended process holds a lock and has more transactions waiting for
 * it, these time out first; otherwise each would get the lock in turn and hold it.
 */
const lockMs = 4_000

/** Opens the connection pool. Its errors never contain the URL, because the URL may contain a password. */
export function openPostgresPool(url: string): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ServiceError('store_unavailable', 'DATABASE_URL is not a PostgreSQL URL.', {
      hint: 'Write it as postgres://user:password@host:5432/database, special characters of the password percent-encoded.',
    })
  const types = new pg.TypeOverrides()
  // Parses bigint columns as Number: epoch milliseconds and counters are far below 2^53, so Number is exact.
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
  // Without these listeners, a connection that the server ends would crash this process. An idle connection emits its error on the pool, a
  // busy one on the client. The query that runs on it, or the next one, rejects anyway.
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
  // `set local` limits the timeouts to the transaction, because a pooler in between (e.g. PgBouncer) keeps no session settings. The
  // statement is sent together with `begin`.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const settings = { idle_in_transaction_session_timeout: silentMs, lock_timeout: lockMs }
    const statements = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${String(ms)}`)
    await connection.executeQuery(CompiledQuery.raw(['begin', ...statements].join('; ')))
  }
}
