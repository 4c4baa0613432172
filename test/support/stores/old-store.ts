// Databases of earlier releases on each engine, with the sandbox account that they belong to. Each contains two revisions, an
// interrupted push, tenants with and without a deal, a free subscription, a completed job, and a migration that waits for its date.
// `scripts/keep-release.ts` creates those of a release.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import pg from 'pg'

export interface OldStore {
  readonly engine: 'sqlite' | 'postgres'
  /** Time of the fixture in epoch milliseconds. */
  readonly now: number
  readonly masterKey: string
  /** Secret key of the account at the processor. */
  readonly secretKey: string
  readonly serviceKey: string
  /** Session cookie of the tenant `ada`. */
  readonly session: string
  /** Subscription of each tenant, on `pro_monthly`. */
  readonly subscriptions: Readonly<Record<'ada' | 'bob' | 'cleo', string>>
  readonly jobs: { readonly waiting: string; readonly moved: string }
  readonly interruptedPush: string
  readonly ddl: string
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, string | number | null>>[]>>
  readonly sandbox: { readonly file: string; readonly content: string }
}

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url))
const stores = path.join(fixtures, 'stores')

/** Versions of the releases with a database. */
export const keptReleases: readonly string[] = existsSync(stores)
  ? readdirSync(stores)
      .flatMap((file) => /^(.+)-sqlite\.json\.gz$/.exec(file)?.[1] ?? [])
      .toSorted()
  : []

/** A release whose stores and service are kept in a folder. */
export interface OldRelease {
  readonly name: string
  readonly folder: string
}

/**
 * Returns the releases that an upgrade may begin from. Before the first release that is this build, kept in the given folder, so that
 * the tests of upgrades run.
 */
export function oldReleases(folder: string): readonly OldRelease[] {
  if (keptReleases.length > 0) return keptReleases.map((name) => ({ name, folder: fixtures }))
  const name = 'this-build'
  const script = fileURLToPath(new URL('../../../scripts/keep-release.ts', import.meta.url))
  execFileSync(process.execPath, [script, name, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  return [{ name, folder }]
}

export function readOldStore({ name, folder }: OldRelease, engine: OldStore['engine']): OldStore {
  const file = path.join(folder, `stores/${name}-${engine}.json.gz`)
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as OldStore
}

/** Tables with rows created by the schema itself. */
const begun = ['published', 'worker_changes', 'mirror_numbers']
/** Tables that other tables reference. They are filled first. */
const first = ['versions', 'pushes', 'jobs']

function tablesOf({ rows }: OldStore) {
  const place = (table: string) => (first.includes(table) ? first.indexOf(table) : first.length)
  return Object.entries(rows).sort(([a], [b]) => place(a) - place(b))
}

export function layOldSqlite(old: OldStore, file: string): void {
  const db = new Database(file)
  db.exec(old.ddl)
  for (const [table, rows] of tablesOf(old)) {
    if (begun.includes(table)) db.exec(`delete from ${table}`)
    for (const row of rows) {
      const names = Object.keys(row)
      const marks = names.map(() => '?').join(', ')
      db.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(Object.values(row))
    }
  }
  db.close()
}

export async function layOldPostgres(old: OldStore, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(old.ddl)
    for (const [table, rows] of tablesOf(old)) {
      if (begun.includes(table)) await client.query(`delete from ${table}`)
      for (const row of rows) {
        const names = Object.keys(row)
        const marks = names.map((_, index) => `$${String(index + 1)}`).join(', ')
        await client.query(`insert into ${table} (${names.join(', ')}) values (${marks})`, Object.values(row))
      }
    }
  } finally {
    await client.end()
  }
}

export function laySandbox({ sandbox }: OldStore, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(folder, sandbox.file), Buffer.from(sandbox.content, 'base64'), { mode: 0o600 })
}
