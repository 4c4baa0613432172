// An embedded database in a worker thread, for data (log lines) that must never block the service, neither by a large statement nor by the
// disk. The thread starts with the first statement.
import { Worker } from 'node:worker_threads'
import SqliteFile from 'better-sqlite3'
import { CompiledQuery, SqliteAdapter, SqliteIntrospector } from 'kysely'
import type { DatabaseConnection, Dialect, Driver, Kysely, QueryCompiler, QueryResult } from 'kysely'
import { CleaningCompiler } from './sqlite.ts'
import type { SqliteFileOptions } from './sqlite-file.ts'

export interface ThreadOptions extends SqliteFileOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string
}

/** One statement; with `sql: null` a request to close the database and end the thread. */
export interface ThreadRequest {
  readonly id: number
  readonly sql: string | null
  readonly parameters: readonly unknown[]
}

export interface ThreadReply {
  readonly id: number
  readonly rows?: readonly unknown[]
  readonly changes?: number
  readonly error?: { readonly message: string; readonly code: string }
  /** True if the thread ends after this reply: it was asked to, or the database could not be opened. */
  readonly last?: boolean
}

export class ThreadSqliteDialect implements Dialect {
  readonly #options: ThreadOptions

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  createDriver(): Driver {
    return new ThreadDriver(this.#options)
  }

  createQueryCompiler(): QueryCompiler {
    return new CleaningCompiler()
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter()
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db)
  }
}

class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection

  constructor(options: ThreadOptions) {
    this.#connection = new ThreadConnection(options)
  }

  async init(): Promise<void> {
    // The thread starts with the first statement.
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async releaseConnection(): Promise<void> {
    // The driver has a single connection.
  }

  async destroy(): Promise<void> {
    await this.#connection.close()
  }
}

interface PendingReply {
  readonly resolve: (answer: ThreadReply) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, PendingReply>
}

class ThreadConnection implements DatabaseConnection {
  readonly #options: ThreadOptions
  #thread: Thread | undefined
  #count = 0

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.#ask(sql, parameters)
    return {
      rows: (rows ?? []) as R[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    }
  }

  // Required by Kysely's interface; streams are not used here.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('This database gives no streams.')
  }

  async close(): Promise<void> {
    const worker = this.#thread?.worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    await this.#ask(null, [])
    // The reply removed the reference to the thread: without a new one, the process could end before the thread does.
    worker.ref()
    await ended
  }

  #ask(sql: string | null, parameters: readonly unknown[]): Promise<ThreadReply> {
    const { worker, waiting } = (this.#thread ??= this.#start())
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      // Keeps the process alive while a reply is pending; an idle thread does not.
      worker.ref()
      worker.postMessage({ id, sql, parameters } satisfies ThreadRequest)
    })
  }

  #start(): Thread {
    const body = new URL(`./sqlite-thread-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
    const worker = new Worker(body, { workerData: this.#options, execArgv: [] })
    const thread: Thread = { worker, waiting: new Map() }
    const over = (): void => {
      if (this.#thread === thread) this.#thread = undefined
    }
    worker.on('message', ({ id, error, ...answer }: ThreadReply) => {
      const waiting = thread.waiting.get(id)
      thread.waiting.delete(id)
      if (thread.waiting.size === 0) worker.unref()
      if (answer.last === true) over()
      if (error === undefined) waiting?.resolve({ id, ...answer })
      else waiting?.reject(new SqliteFile.SqliteError(error.message, error.code))
    })
    let cause: unknown = null
    worker.on('error', (error: unknown) => {
      cause = error
    })
    worker.on('exit', () => {
      over()
      const lost = new Error('The thread of the database ended: connection terminated.', { cause })
      for (const { reject } of thread.waiting.values()) reject(lost)
    })
    return thread
  }
}
