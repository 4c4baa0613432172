// A bit that flips in the file of an embedded store or in its log, after the process was killed: each start serves what was there, or says what
// is wrong. None serves an emptier store.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KyselyStore } from '../../packages/ratecard/src/store/sql/kysely-store.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore, type OpenStoreOptions } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { keepMark, refuseBehind } from '../../packages/ratecard/src/server/composition/store-mark.ts'
import { publish } from '../support/stores/store.ts'
import { fillStore } from './suite/filled-store.ts'

const sealer = createSealer(generateMasterKey())
const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-flips-'))
let whole: Readonly<Record<string, number>> = {}
const at = (dataDir: string): OpenStoreOptions => ({ url: null, file: path.join(dataDir, 'ratecard.db'), sealer })

/** Number of rows of each table. */
async function rowsOf({ database }: KyselyStore): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await database.read((db) =>
    sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`.execute(db),
  )
  const counts = tables.map(async ({ name }) => {
    const { rows } = await database.read((db) =>
      sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db),
    )
    return [name, rows[0]?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** Starts with a copy of the store as the killed process left it. Returns how many rows it has, or why it was not served. */
async function started(change: (dataDir: string) => void): Promise<Readonly<Record<string, number>> | string> {
  const dataDir = path.join(folder, 'start')
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(path.join(folder, 'killed'), dataDir, { recursive: true })
  change(dataDir)
  try {
    const options = at(dataDir)
    refuseBehind(dataDir, options.file)
    const store = await openStore(options)
    try {
      return store.refusal()?.kind === 'damage' ? 'damaged' : await rowsOf(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

const flipped = (name: string, share: number, bit: number) => (dataDir: string) => {
  const file = path.join(dataDir, name)
  const bytes = readFileSync(file)
  const place = Math.min(bytes.length - 1, Math.floor(bytes.length * share))
  bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
  writeFileSync(file, bytes)
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

beforeAll(async () => {
  const dataDir = path.join(folder, 'living')
  const store = await openStore(at(dataDir))
  await fillStore(store)
  await keepMark(dataDir, store, () => 'store_1')
  await publish(store)
  for (let index = 0; index < 200; index++) await store.facts.set(`fact_${String(index)}`, 'value '.repeat(100))
  whole = await rowsOf(store)
  // As a lease is renewed at any time: without a later commit, a damaged one cannot be told from one that was cut off.
  await store.facts.set('fact_0', 'renewed')
  cpSync(dataDir, path.join(folder, 'killed'), { recursive: true })
  await store.close()
})

describe('after a kill', () => {
  it('the store is whole without damage', async () => {
    expect(await started(() => undefined)).toEqual(whole)
  })

  it.each(['ratecard.db', 'ratecard.db-wal'])('a bit that flips in %s is noticed, or nothing is lost', async (name) => {
    const lost: unknown[] = []
    const said: string[] = []
    for (let flip = 0; flip < 50; flip++) {
      const found = await started(flipped(name, flip / 50, flip % 8))
      if (typeof found === 'string') said.push(found)
      else if (Object.entries(whole).some(([table, rows]) => (found[table] ?? 0) < rows)) lost.push([flip, found])
    }
    expect(lost).toEqual([])
    // Most flips of the log are in the page of a commit, which is noticed always.
    if (name.endsWith('-wal')) expect(said.length).toBeGreaterThan(40)
  })

  it.each<[string, (dataDir: string) => void]>([
    [
      'without its log',
      (dataDir) => {
        rmSync(path.join(dataDir, 'ratecard.db-wal'))
      },
    ],
    [
      'without its file',
      (dataDir) => {
        for (const end of ['', '-wal', '-shm']) rmSync(path.join(dataDir, `ratecard.db${end}`), { force: true })
      },
    ],
    [
      'with an empty file',
      (dataDir) => {
        writeFileSync(path.join(dataDir, 'ratecard.db'), '')
        rmSync(path.join(dataDir, 'ratecard.db-wal'))
      },
    ],
  ])('a store %s that is behind its mark is not served', async (_name, change) => {
    const dataDir = path.join(folder, 'killed')
    const store = await openStore(at(path.join(folder, 'start')))
    await store.close()
    const mark = path.join(dataDir, 'store-mark.json')
    const written = readFileSync(mark, 'utf8')
    writeFileSync(
      mark,
      written.replace(/"revision":(\d+)/, (_text, revision) => `"revision":${String(Number(revision) + 1)}`),
    )
    expect(await started(change)).toBe('store_behind')
    writeFileSync(mark, written)
  })
})
