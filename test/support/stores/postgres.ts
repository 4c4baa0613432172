// A real PostgreSQL for tests, from the machine's packages, in a temporary folder and on a unix socket.
import { spawn, spawnSync, type ChildProcessByStdio, type SpawnOptions } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface TestPostgres {
  /** URL of a new database: empty, or a copy of `template`, which must have no open connections. */
  createDatabase(template?: string): Promise<string>
  /** Drops a database, including its open connections. */
  dropDatabase(url: string): Promise<void>
  /** URL of a new, empty schema in a shared database: sufficient for most tests, and created ten times faster. */
  createSchema(): Promise<string>
  /** Ends every connection to the database, like a restart of the server. Resolves when they have ended. */
  disconnectAll(url: string): Promise<void>
  close(): Promise<void>
}

/** Folder of the server's programs on Debian and its derivatives, newest version first. */
function binaries(): string | null {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return null
  const folders = readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(root, version, 'bin'))
  return (
    folders.find((folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres'))) ??
    null
  )
}

/** User that the package created, because PostgreSQL refuses to run as root. Null if this process is not root. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  )
  if (uid === undefined || gid === undefined || !(uid > 0))
    throw new Error('There is no user "postgres" to run the server as.')
  return { uid, gid }
}

export function postgresInstalled(): boolean {
  return binaries() !== null
}

/** Starts a separate server; check {@link postgresInstalled} first. It ends with `close`, at the latest with this process. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = binaries()
  if (bin === null) throw new Error('No PostgreSQL server is installed.')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-pg-'))
  const user = serverUser()
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const options: SpawnOptions = { ...user, cwd: folder }
  const data = path.join(folder, 'data')
  const init = spawnSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'ratecard', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...user, cwd: folder, encoding: 'utf8' },
  )
  if (init.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`initdb failed: ${init.stderr}`)
  }
  const keeper = runServer(path.join(bin, 'postgres'), folder, data, options)
  const url = (database: string) => `postgres://ratecard@localhost/${database}?host=${encodeURIComponent(folder)}`
  const close = async () => {
    keeper.stdin.end()
    if (keeper.exitCode === null && keeper.signalCode === null) await once(keeper, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answers(url('postgres'), keeper, path.join(folder, 'log'))
  } catch (error) {
    await close()
    throw error
  }
  const nameIn = (target: string) => new URL(target).pathname.slice(1)
  const newName = () => `test_${randomBytes(6).toString('hex')}`
  const admin = (sql: string, values: readonly string[] = []) => query(url('postgres'), sql, values)
  return {
    async createDatabase(template) {
      const name = newName()
      await admin(`create database ${name}${template === undefined ? '' : ` template ${nameIn(template)}`}`)
      return url(name)
    },
    async dropDatabase(target) {
      await admin(`drop database ${nameIn(target)} with (force)`)
    },
    async createSchema() {
      const name = newName()
      await admin(`create schema ${name}`)
      return `${url('postgres')}&options=${encodeURIComponent(`-c search_path=${name}`)}`
    },
    async disconnectAll(target) {
      await admin('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [nameIn(target)])
    },
    close,
  }
}

/** The shell stops the server when its input ends, which also happens if this process is killed. */
function runServer(program: string, folder: string, data: string, options: SpawnOptions) {
  const script =
    '"$0" "$@" >log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid; dir=$PWD; cd /; rm -rf "$dir"'
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    // Copying a database then takes half the CPU time.
    'wal_level=minimal',
    'max_wal_senders=0',
    'wal_init_zero=off',
    'shared_buffers=32MB',
    'max_connections=150',
    'deadlock_timeout=50ms',
  ]
  const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', ...settings.flatMap((setting) => ['-c', setting])]
  const keeper: ChildProcessByStdio<Writable, null, null> = spawn('sh', ['-c', script, program, ...args], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the process group of the test run must not reach the shell before its input ends.
    detached: true,
  })
  return keeper
}

async function answers(url: string, keeper: { readonly exitCode: number | null }, log: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await query(url, 'select 1')
      return
    } catch (error) {
      if (attempt === 300 || keeper.exitCode !== null)
        throw new Error(`PostgreSQL did not start: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`, {
          cause: error,
        })
    }
    await delay(50)
  }
}

/** Runs SQL on a connection of its own, and resolves with the rows. */
export async function query(url: string, sql: string, values: readonly string[] = []): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows
  } finally {
    await client.end()
  }
}

/**
 * Returns SQL that gives all tables of the URL's schema the rows that they have now. Running it takes milliseconds, and creating the tables
 * or copying their database a third of a second of CPU time.
 */
export async function sqlToRestore(url: string): Promise<string> {
  const tables = await query(url, 'select tablename as name from pg_tables where schemaname = current_schema()')
  const contents = (tables as readonly { name: string }[]).map(
    ({ name }) => `select '${name}' as name, (select json_agg(t)::text from ${name} t) as rows`,
  )
  const found = await query(url, contents.join(' union all '))
  const statements = (found as readonly { name: string; rows: string | null }[]).flatMap(({ name, rows }) => [
    `delete from ${name}`,
    ...(rows === null
      ? []
      : [`insert into ${name} select * from json_populate_recordset(null::${name}, $rows$${rows}$rows$)`]),
  ])
  // Without triggers, the order of the tables does not matter.
  return ['begin', 'set local session_replication_role = replica', ...statements, 'commit'].join('; ')
}
