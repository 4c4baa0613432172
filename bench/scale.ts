// Scaling: measures a large user's data at a quarter, a half and the full size in one run, so that superlinear growth is visible.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { systemClock } from '../packages/ratecard/src/base/clock.ts'
import { createDocuments } from '../packages/ratecard/src/server/service/document-thread.ts'
import { createLookups } from '../packages/ratecard/src/push/lookup/lookups.ts'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { createSealer, generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import { openStore } from '../packages/ratecard/src/store/sql/open-store.ts'
import { postgresInstalled, startPostgres } from '../test/support/stores/postgres.ts'
import { documentOf } from './support/catalogue.ts'
import { elapsedMs, median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'
import { goldMoved, openShop, populateGold, type Shop } from './support/shop.ts'
import { deploy, memoryMb, read, workersUnder } from './worker-host.ts'

/** Skipped with `--quick`, because small numbers do not show growth. */
export async function benchScale({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (quick) return []
  return [
    ...(await manyTenants(10_000)),
    ...(await manyRevisions(500)),
    ...(await manyWorkers(200, 5)),
    ...(await manyReplicas(50)),
  ]
}

interface Grown {
  readonly n: number
  readonly value: number
}

const quarters = (n: number) => [n / 4, n / 2, n]

/**
 * Growth from a quarter to the full size. Target: at most `most` times (default 5: four times for linear growth, and a margin).
 */
function grown(name: string, values: readonly Grown[], unit: (value: number) => string, most = 5): BenchResult {
  const [first, last] = [values[0], values.at(-1)]
  if (first === undefined || last === undefined) throw new Error('nothing was measured')
  const ratio = last.value / first.value
  return {
    name,
    ours: unit(last.value),
    yardstick: values
      .slice(0, -1)
      .map(({ n, value }) => `${n.toLocaleString('en')}: ${unit(value)}`)
      .join(', '),
    ratio: `${ratio.toFixed(1)}× for 4×`,
    aim: `≤ ${most.toString()}×`,
    met: ratio <= most,
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`

const catalogue = (amount: number, gold: number): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount, currency: 'usd', interval: 'month' },
        { id: 'pro_monthly_gold', amount: gold, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
      ],
    },
  ],
})

/** Tenants on a template, every fifth with a second subscription. The processor has neither latency nor rate limit. */
async function manyTenants(n: number): Promise<BenchResult[]> {
  const shop = await openShop()
  try {
    const list: Grown[] = []
    const impact: Grown[] = []
    const move: Grown[] = []
    let gold = 800
    let there = 0
    await shop.push(catalogue(1000, gold))
    for (const size of quarters(n)) {
      await populate(shop, there, size)
      there = size
      list.push({ n: size, value: await lastPage(shop, size) })
      const dearer = catalogue(1000, gold + 1)
      impact.push({ n: size, value: await elapsedMs(() => plan(shop, dearer, size * 1.2)) })
      gold += 1
      await shop.push(dearer)
      move.push({ n: size, value: await elapsedMs(() => goldMoved(shop, size)) })
    }
    const [tenants, subscriptions] = [n, n * 1.2].map((count) => count.toLocaleString('en'))
    return [
      grown(`the last page of ${tenants ?? ''} tenants`, list, milliseconds),
      grown(`plan and impact of a price of ${subscriptions ?? ''} subscriptions`, impact, seconds),
      grown(`a template applied to ${tenants ?? ''} tenants, processor unthrottled`, move, seconds),
    ]
  } finally {
    await shop.close()
  }
}

/** Every fifth tenant has two subscriptions. */
async function populate(shop: Shop, from: number, to: number): Promise<void> {
  const price = (await shop.prices()).get('pro_monthly_gold') ?? ''
  await populateGold(shop, { from, to }, async (index) => {
    const { id: customer } = await shop.stripe.customers.create({ name: `t${String(index)}` })
    for (let count = 0; count < (index % 5 === 0 ? 2 : 1); count++)
      await shop.stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 30 })
    return customer
  })
}

async function lastPage({ service }: Shop, tenants: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 21; round++)
    times.push(
      await elapsedMs(async () => {
        const { items, total } = await service.listTenants({ limit: 100, offset: tenants - 100 })
        if (items.length !== 100 || total !== tenants) throw new Error(`${String(items.length)} of ${String(total)}`)
      }),
    )
  return median(times)
}

async function plan({ service }: Shop, document: BillingConfig, subscriptions: number): Promise<void> {
  const { impact } = await service.push(document, { author: null, by: null, message: null, dryRun: true })
  const found = impact.reduce((sum, price) => sum + price.subscriptions, 0)
  if (found !== subscriptions) throw new Error(`${String(found)} subscriptions of ${String(subscriptions)}`)
}

/** Revisions of 200 products × 5 prices as created by pushes, compared with revisions of one product. */
async function manyRevisions(n: number): Promise<BenchResult[]> {
  const [large, small] = [await revisions(n, documentOf(200, 5)), await revisions(n, documentOf(1, 5))]
  try {
    const name = `${String(n)} revisions of ${kilobytes(large.bytes)}:`
    const history = await alternating(large, small, ({ store }) => store.versions.list({ limit: 100, offset: n - 100 }))
    const pushes = await alternating(large, small, ({ store }) => store.pushes.list({ limit: 100, offset: n - 100 }))
    return [
      pageResult(`${name} a page of 100 of the history`, history, small.bytes),
      pageResult(`${name} a page of 100 of the pushes`, pushes, small.bytes),
      {
        name: `${name} what the store holds for each`,
        ours: kilobytes(large.storedBytes()),
        yardstick: `the document ${kilobytes(large.bytes)}`,
        ratio: `${(large.storedBytes() / large.bytes).toFixed(1)}×`,
        aim: null,
        met: true,
      },
    ]
  } finally {
    await large.close()
    await small.close()
  }
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024).toString()} kB`

function pageResult(name: string, [large, small]: readonly [number, number], smallBytes: number): BenchResult {
  const ratio = large / small
  const most = 2
  return {
    name,
    ours: milliseconds(large),
    yardstick: `the same of ${kilobytes(smallBytes)} ${milliseconds(small)}`,
    ratio: `${ratio.toFixed(1)}×`,
    aim: `≤ ${most.toString()}×`,
    met: ratio <= most,
  }
}

type Revisions = Awaited<ReturnType<typeof revisions>>

/** Medians of both. Measurements alternate, so that both meet the same load of the machine. */
async function alternating(
  large: Revisions,
  small: Revisions,
  list: (of: Revisions) => Promise<{ readonly items: readonly unknown[] }>,
): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < 41; round++)
    for (const [index, of] of [large, small].entries())
      times[index]?.push(
        await elapsedMs(async () => {
          const { items } = await list(of)
          if (items.length !== 100) throw new Error(`${String(items.length)} rows`)
        }),
      )
  return [median(times[0]), median(times[1])]
}

async function revisions(n: number, document: BillingConfig) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const file = path.join(folder, 'ratecard.db')
  const store = await openStore({ url: null, file, sealer: createSealer(generateMasterKey()) })
  const who = { author: 'ada', message: 'another price', keyId: null, keyName: null }
  const changes = JSON.stringify({ prices: { created: [], updated: ['product_0_price_0'], archived: [] } })
  let bytes = 0
  for (let index = 1; index <= n; index++) {
    const version = `1.0.${String(index)}`
    const text = JSON.stringify({ ...document, version })
    bytes = text.length
    const push = { kind: 'push' as const, version, document: text, ...who, createdAt: index }
    await store.exclusively('push', async ({ token }) => {
      const id = `push_${String(index).padStart(6, '0')}`
      await store.pushes.open({ ...push, id, plan: '{"changes":[]}', baseRevision: null, steps: ['{}'] }, token)
      await store.pushes.begin(id, 0, '{}', token)
      await store.pushes.succeed(id, 0, { processorId: 'price_1', requestId: null }, token)
      const checksum = String(index).padStart(64, '0')
      await store.pushes.close(id, { ...push, checksum, changes, pushId: id }, [], token)
    })
  }
  return {
    store,
    bytes,
    storedBytes: () => readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0) / n,
    close: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Many deployed workers of which a few are active: the cost of the idle ones. */
async function manyWorkers(n: number, warm: number): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  try {
    const memory: Grown[] = []
    const cold: Grown[] = []
    let there = 0
    for (const size of quarters(n)) {
      // A deployment starts its worker to check it. After a restart of the service, no worker is running.
      const deploying = await startProcess('host', folder)
      for (; there < size; there++) await deploy(deploying, `hello-${String(there)}`)
      await deploying.stop()
      const service = await startProcess('host', folder)
      const times: number[] = []
      for (let index = 0; index < warm; index++)
        times.push(await elapsedMs(() => read(`${service.url}/workers/hello-${String(index)}`)))
      const running = workersUnder(service.pid).length
      if (running !== warm) throw new Error(`${String(running)} workers run`)
      await pause(2_000)
      memory.push({ n: size, value: memoryMb(service.pid) })
      cold.push({ n: size, value: median(times) })
      await service.stop()
    }
    const name = `${String(n)} workers of which ${String(warm)} run:`
    return [
      grown(`${name} memory of the service without them`, memory, (mb) => `${mb.toFixed(0)} MB`, 1.25),
      grown(`${name} cold start`, cold, milliseconds, 1.5),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Queries of idle replicas to PostgreSQL. */
async function manyReplicas(n: number): Promise<BenchResult[]> {
  if (!postgresInstalled()) return []
  const server = await startPostgres()
  const stops: (() => Promise<void>)[] = []
  try {
    const url = await server.createDatabase()
    const sealer = createSealer(generateMasterKey())
    const documents = createDocuments()
    const watching = new pg.Client({ connectionString: url })
    await watching.connect()
    stops.push(() => watching.end())
    const asked: Grown[] = []
    for (const size of [12, 25, n]) {
      while (stops.length <= size) {
        const store = await openStore({ url, file: '', sealer })
        const lookups = createLookups({ store, clock: systemClock, documents })
        lookups.start()
        stops.push(async () => {
          lookups.stop()
          await store.close()
        })
      }
      await pause(2_000)
      const before = await transactions(watching)
      await pause(10_000)
      asked.push({ n: size, value: ((await transactions(watching)) - before) / 10 })
    }
    return [
      grown(`${String(n)} replicas at rest: transactions of PostgreSQL a second`, asked, (value) => value.toFixed(0)),
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
    await server.close()
  }
}

async function transactions(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<{ count: string }>(
    'select sum(xact_commit) as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.count)
}
