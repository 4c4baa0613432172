// Worker-thread side of sqlite-thread.ts: one database, one statement after the other.
import { parentPort, workerData } from 'node:worker_threads'
import type SqliteFile from 'better-sqlite3'
import { beginImmediate, openSqlite } from './sqlite-file.ts'
import type { ThreadReply, ThreadRequest, ThreadOptions } from './sqlite-thread.ts'

const port = parentPort
if (port === null) throw new Error('This file is the body of a thread.')
const { file, spare } = workerData as ThreadOptions
const opening = openSqlite(file, { spare })
let broken = false
// An error of opening is returned to the first request; then the thread ends, and the next request starts another.
opening.catch(() => (broken = true))
const statements = new Map<string, SqliteFile.Statement>()
let turn: Promise<unknown> = Promise.resolve()

port.on('message', (order: ThreadRequest) => {
  turn = turn.then(async () => {
    const answer = await carryOut(order).catch(failed)
    const last = order.sql === null || broken
    port.postMessage({ id: order.id, last, ...answer } satisfies ThreadReply)
    if (last) port.close()
  })
})

type StatementResult = Omit<ThreadReply, 'id'>

async function carryOut({ sql, parameters }: ThreadRequest): Promise<StatementResult> {
  const database = await opening
  if (sql === null) {
    statements.clear()
    database.close()
    return {}
  }
  if (sql === 'begin') {
    await beginImmediate(database)
    return {}
  }
  // After some failures (disk full, read error) SQLite has already rolled back by itself.
  if (sql === 'rollback' && !database.inTransaction) return {}
  // `incremental_vacuum` yields a row without columns for each page, so only `exec` runs it to its end.
  if (sql.startsWith('pragma incremental_vacuum')) {
    database.exec(sql)
    return {}
  }
  const statement = statements.get(sql) ?? database.prepare(sql)
  if (statements.size > 200) statements.clear()
  statements.set(sql, statement)
  if (statement.reader) return { rows: statement.all(...parameters) }
  return { changes: statement.run(...parameters).changes }
}

function failed(error: unknown): StatementResult {
  const { message } = error instanceof Error ? error : new Error(String(error))
  return { error: { message, code: error instanceof Error && 'code' in error ? String(error.code) : '' } }
}
