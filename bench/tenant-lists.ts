// Lists of 100,000 tenants on both engines: a page, a search as it is typed, and every order, with their number of all.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { processorId } from '../packages/ratecard/src/catalog/resource.ts'
import { createSealer, generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import type { KyselyStore } from '../packages/ratecard/src/store/sql/kysely-store.ts'
import { openStore } from '../packages/ratecard/src/store/sql/open-store.ts'
import { refreshListings } from '../packages/ratecard/src/store/sql/repositories/tenants/listings.ts'
import { newSubscription, newItem } from '../test/store/suite/mirror-records.ts'
import { postgresInstalled, startPostgres } from '../test/support/stores/postgres.ts'
import { elapsedMs, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import type { TenantListQuery } from '../packages/ratecard/src/store/records/tenants.ts'

const aimMs = 20
const words = ['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Grove', 'Haven', 'Indigo', 'Juniper']
const statuses = ['active', 'past_due', 'trialing', 'unpaid'] as const
const pick = <T>(list: readonly T[], index: number) => list[index % list.length] as T

interface TenantOf {
  readonly id: string
  readonly name: string
  readonly customer: string
}

function tenantOf(index: number): TenantOf {
  const scattered = (index * 7_919) % 1_000_003
  return {
    id: `ten_${scattered.toString(36).padStart(5, '0')}`,
    name: `${pick(words, scattered)} ${pick(words, Math.floor(scattered / 10))} ${String(scattered)} GmbH`,
    customer: `cus_${(scattered * 104_729).toString(36)}`,
  }
}

/** Skipped with `--quick`: small numbers are fast in any way. */
export async function benchTenantLists({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (quick) return []
  const count = 100_000
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-lists-'))
  const results: BenchResult[] = []
  try {
    results.push(...(await measured('SQLite', { url: null, file: path.join(folder, 'ratecard.db') }, count)))
    if (postgresInstalled()) {
      const server = await startPostgres()
      try {
        results.push(...(await measured('PostgreSQL', { url: await server.createDatabase(), file: '' }, count)))
      } finally {
        await server.close()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return results
}

async function measured(engine: string, place: { readonly url: string | null; readonly file: string }, count: number) {
  const store = await openStore({ ...place, sealer: createSealer(generateMasterKey()) })
  try {
    await fill(store, count)
    const of = `of ${count.toLocaleString('en')} tenants on ${engine}`
    const results: BenchResult[] = []
    for (const [name, queries] of Object.entries(questions(count)))
      results.push(await p99(`${name} ${of}`, store, queries))
    return results
  } finally {
    await store.close()
  }
}

/** Queries of each kind, as a page of the dashboard makes them. */
function questions(count: number): Readonly<Record<string, readonly Partial<TenantListQuery>[]>> {
  const some = Array.from({ length: 20 }, (_, index) => tenantOf((index * 4_999) % count))
  const sorts = (['id', 'name', 'created_at', 'monthly', 'owed'] as const).flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => ({ sort, order })),
  )
  return {
    'a page in any order': sorts.flatMap((sorted) => [sorted, { ...sorted, offset: count / 10 }]),
    'a search for one tenant': some.flatMap(({ id, name, customer }) => [id, customer, name].map((q) => ({ q }))),
    'a search for a word of a tenth': words.map((q) => ({ q, sort: 'monthly' as const, order: 'desc' as const })),
    'a search that finds all': ['gmbh', 'ten_'].map((q) => ({ q })),
    'a page by status or of debtors in any order': sorts.flatMap((sorted) => [
      ...statuses.map((state) => ({ ...sorted, state })),
      { ...sorted, owing: true },
    ]),
    'a page by price': [{ onPrices: [['price_1']] }, { onPrices: [['price_rare']], sort: 'name' }],
  }
}

async function p99(
  name: string,
  store: KyselyStore,
  queries: readonly Partial<TenantListQuery>[],
): Promise<BenchResult> {
  const times: number[] = []
  const began = process.threadCpuUsage()
  let calls = 0
  for (let round = 0; times.length < 400; round++)
    for (const query of queries) {
      const ms = await elapsedMs(() => store.tenants.list({ limit: 50, offset: 0, ...query }))
      calls += 1
      // The first round warms caches up.
      if (round > 0) times.push(ms)
    }
  times.sort((a, b) => a - b)
  const [half = 0, high = 0] = [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.99)]]
  const { user, system } = process.threadCpuUsage(began)
  const cpu = (user + system) / 1000 / calls
  return {
    name: `${name}, p99`,
    ours: milliseconds(high),
    yardstick: `${milliseconds(aimMs)} (p50 ${milliseconds(half)}, CPU of this process ${milliseconds(cpu)})`,
    ratio: `${(high / aimMs).toFixed(2)}×`,
    aim: '≤ 1×',
    met: high <= aimMs,
  }
}

async function fill(store: KyselyStore, count: number): Promise<void> {
  const size = 1_000
  for (let start = 0; start < count; start += size) {
    const slice = Array.from({ length: size }, (_, index) => ({ index: start + index, ...tenantOf(start + index) }))
    await store.database.write(async (db) => {
      const rows = slice.map(({ index, id, name, customer }) => ({
        id,
        name,
        email: `billing@${id}.example`,
        processorCustomerId: customer,
        enterpriseTemplate: null,
        enterpriseId: null,
        createdAt: index,
        updatedAt: index,
      }))
      await db.insertInto('tenants').values(rows).execute()
      await db
        .insertInto('mirrorStandings')
        .values(
          slice.map(({ index, customer }) => ({
            customer,
            billingStatus: pick(statuses, index),
            monthly: JSON.stringify({ usd: String(index * 13) }),
            owed: JSON.stringify(index % 10 === 0 ? { usd: index + 1 } : {}),
            writtenOff: '{}',
          })),
        )
        .execute()
      await refreshListings(
        store.database,
        db,
        slice.map(({ id }) => id),
      )
    })
    const subscriptions = slice.map(({ index, id, customer }) =>
      newSubscription(`sub_${id}`, {
        customer: processorId(customer),
        items: [newItem(`si_${id}`, index % 5_000 === 0 ? 'price_rare' : `price_${String(index % 10)}`)],
      }),
    )
    await store.mirror.save('subscription', subscriptions, await store.mirror.beginRead())
  }
  await store.database.read(async (db) => {
    await sql`${sql.raw(store.engine === 'sqlite' ? 'pragma wal_checkpoint(truncate)' : 'vacuum analyze')}`.execute(db)
  })
}
