// PostgreSQL: the engine for installations with several replicas.
import pg from 'pg'
import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Driver,
  type QueryCompiler,
} from 'kysely'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { storableParameter } from '../database/queries.ts'

const bigintType = 20
const connectMs = 5000
/** Timeout of a query (30 s), which also ends a query on a dead connection. */
const queryMs = 30_000
/**
 * Timeout for idle time within a transaction (5 s). The code awaits nothing but database statements within a transaction. So an idle
 * transaction belongs to a suspended process (e.g. a frozen VM).
 */
const silentMs = 5_000
/**
 * Timeout for locks (4 s). It must be shorter than the idle timeout. If a process is suspended, several of its transactions may wait for a
 * lock that another of its transactions holds. They must time out before that transaction does. Otherwise each of them would get the lock
 * in turn and block other processes.
 */
const lockMs = 4_000

/** Opens the connection pool. Its errors never contain the URL, because the URL may contain a password. */
export function openPostgresPool(url: string): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ServiceError('store_unavailable', 'DATABASE_URL is not a PostgreSQL URL.', {
      hint: 'Write it as postgres://user:password@host:5432/database, and percent-encode special characters in the password.',
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
  // Without these listeners, a connection that the server closes would crash this process. An idle connection emits its error on the pool,
  // a busy one on the client. The error can be ignored, because the present or the next query on the connection rejects anyway.
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
 * Sets timeouts for each transaction. Otherwise a replica that is suspended within a transaction (e.g. a frozen VM) would block other
 * replicas with its locks.
 */
class EndingDriver extends PostgresDriver {
  // `set local` limits the timeouts to this transaction. Session settings would not work, because a pooler between service and database
  // (e.g. PgBouncer) does not keep them. The statement is sent together with `begin`.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const settings = { idle_in_transaction_session_timeout: silentMs, lock_timeout: lockMs }
    const statements = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${String(ms)}`)
    await connection.executeQuery(CompiledQuery.raw(['begin', ...statements].join('; ')))
  }
}
