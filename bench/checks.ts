// Checks of features, compared with the public price list, and usage that is enforced on two replicas.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, RatecardError } from '@ratecard/client'
import Stripe from 'stripe'
import { generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import { postgresInstalled, startPostgres } from '../test/support/stores/postgres.ts'
import { asked, control } from './large.ts'
import { elapsedMs, median, perSecond, type BenchOptions, type BenchResult } from './support/measure.ts'
import { load, type Load } from './public-read.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

/** Service key that serve.ts sets for the service. */
const serviceKey = 'bench-service-key'
const secretKey = 'sk_test_benchChecks0000000'
const publicPath = '/api/v1/billing'

const documentOf = (allowance: number) => ({
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'calls' }],
  features: [
    { id: 'projects', name: 'Projects', type: 'limit' },
    { id: 'api_calls', name: 'API calls', type: 'metered', meter: 'calls' },
  ],
  products: [
    {
      ...{ id: 'pro', name: 'Pro' },
      features: [
        { id: 'projects', limit: 10 },
        { id: 'api_calls', limit: allowance },
      ],
      prices: [
        { id: 'pro_monthly', amount: 900, currency: 'usd', interval: 'month' },
        { id: 'pro_calls', amount: 1, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
      ],
    },
  ],
})

interface Shop {
  readonly sandbox: ServerProcess
  readonly replicas: readonly ServerProcess[]
}

export async function benchChecks({ quick }: BenchOptions): Promise<BenchResult[]> {
  const env = { RATECARD_MASTER_KEY: generateMasterKey() }
  const results = await withShop(env, { allowance: 1_000_000, replicas: ['service'] }, (shop) => checks(shop, quick))
  const reports = quick ? 40 : 1_600
  const sold = { allowance: reports / 2 }
  const one = { ...sold, replicas: ['unpaced'] } as const
  const two = { ...sold, replicas: ['unpaced', 'unpaced'] } as const
  results.push(await withShop(env, one, (shop) => enforced(shop, 'SQLite', reports)))
  results.push(await withShop(env, two, (shop) => enforced(shop, 'SQLite', reports)))
  if (!postgresInstalled()) return results
  const postgres = await startPostgres()
  try {
    const shared = { ...env, DATABASE_URL: await postgres.createDatabase() }
    results.push(await withShop(shared, two, (shop) => enforced(shop, 'PostgreSQL', reports)))
  } finally {
    await postgres.close()
  }
  return results
}

/** Runs `work` in a shop with one tenant, `acme`, on all prices. */
async function withShop<T>(
  env: Readonly<Record<string, string>>,
  { allowance, replicas: kinds }: { readonly allowance: number; readonly replicas: readonly ('service' | 'unpaced')[] },
  work: (shop: Shop) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const sandbox = await startProcess('sandbox', path.join(folder, 'sandbox'))
  const replicas: ServerProcess[] = []
  try {
    const settings = { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: sandbox.url, ...env }
    const start = (kind: 'service' | 'unpaced', pollSeconds: string) =>
      startProcess(kind, path.join(folder, 'service'), { ...settings, RATECARD_MIRROR_POLL_SECONDS: pollSeconds })
    const seller = await start('service', '1')
    await sell(seller, sandbox, allowance).finally(() => seller.stop())
    // A poll each second would count as CPU of the checks.
    for (const kind of kinds) replicas.push(await start(kind, '60'))
    return await work({ sandbox, replicas })
  } finally {
    for (const replica of replicas) await replica.stop()
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function sell(service: ServerProcess, sandbox: ServerProcess, allowance: number): Promise<void> {
  const { hostname: host, port } = new URL(sandbox.url)
  const stripe = new Stripe(secretKey, { protocol: 'http', host, port, maxNetworkRetries: 0, telemetry: false })
  const client = createClient({ baseUrl: service.url, serviceKey })
  await client.admin.push(documentOf(allowance))
  const { data: prices } = await stripe.prices.list({ limit: 10 })
  const { id: customer } = await stripe.customers.create({ name: 'Acme' })
  const items = prices.map(({ id }) => ({ price: id }))
  await stripe.subscriptions.create({ customer, items, trial_period_days: 30 })
  await client.tenants.create({ id: 'acme', name: 'Acme', processorCustomerId: customer })
  // Until the first fill of the mirror is complete, checks are answered by the processor, and money is not answered.
  for (;;) {
    const { status } = await fetch(`${service.url}${publicPath}/admin/money`, { headers })
    const { allowed } = await ask(service, 'projects')
    if (allowed && status === 200) return
    await pause(50)
  }
}

interface Answer {
  readonly allowed: boolean
}

const headers = { 'x-service-key': serviceKey, 'content-type': 'application/json' }

async function ask(service: ServerProcess, feature: string): Promise<Answer> {
  const body = JSON.stringify({ feature, used: 3, tenant_id: 'acme' })
  const response = await fetch(`${service.url}${publicPath}/entitlements/check`, { method: 'POST', headers, body })
  return (await response.json()) as Answer
}

async function checks({ replicas: [service], sandbox }: Shop, quick: boolean): Promise<BenchResult[]> {
  if (service === undefined) throw new Error('There is no replica.')
  const check = (feature: string) => (seconds: number) =>
    load(service, `${service.url}${publicPath}/entitlements/check`, seconds, headers, {
      method: 'POST',
      body: JSON.stringify({ feature, tenant_id: 'acme' }),
    })
  const reads = {
    list: (seconds: number) => load(service, `${service.url}${publicPath}/config`, seconds),
    limit: check('projects'),
    metered: check('api_calls'),
  }
  // Until V8 has compiled what a request runs, its compiler's threads count as CPU of the server.
  for (const read of Object.values(reads)) await read(quick ? 1 : 3)
  await control(sandbox, 'requests', { method: 'DELETE' })
  const rounds: { readonly [Name in keyof typeof reads]: Load }[] = []
  for (let round = 0; round < (quick ? 1 : 7); round++) {
    const seconds = quick ? 1 : 2
    rounds.push({
      limit: await reads.limit(seconds),
      list: await reads.list(seconds),
      metered: await reads.metered(seconds),
    })
  }
  const polls = /^\/v1\/(account|events)$/
  const calls = (await asked(sandbox)).filter(({ path: asks }) => !polls.test(asks)).length
  const seconds = quick ? 1 : 2
  const made = rounds.reduce((sum, { limit, metered }) => sum + (limit.perSecond + metered.perSecond) * seconds, 0)
  return [
    rateOf(rounds.map(({ limit, list }) => [limit, list])),
    costOf(
      'a limit',
      rounds.map(({ limit, list }) => [limit, list]),
    ),
    costOf(
      'a metered allowance',
      rounds.map(({ metered, list }) => [metered, list]),
    ),
    {
      name: 'calls to the processor for checks',
      ours: String(calls),
      yardstick: `${Math.round(made).toLocaleString('en')} checks`,
      ratio: String(calls),
      aim: '0',
      met: calls === 0,
    },
  ]
}

type Pairs = readonly (readonly [ours: Load, list: Load])[]

function rateOf(pairs: Pairs): BenchResult {
  const rate = median(pairs.map(([ours, list]) => ours.perSecond / list.perSecond))
  return {
    name: 'checks with 32 connections',
    ours: perSecond(median(pairs.map(([ours]) => ours.perSecond))),
    yardstick: `public price list ${perSecond(median(pairs.map(([, list]) => list.perSecond)))}`,
    ratio: `${rate.toFixed(2)}×`,
    aim: null,
    met: true,
  }
}

function costOf(what: string, pairs: Pairs): BenchResult {
  const cost = median(pairs.map(([ours, list]) => ours.cpuMicroseconds / list.cpuMicroseconds))
  const micros = (loads: readonly Load[]) => `${median(loads.map((one) => one.cpuMicroseconds)).toFixed(1)} µs`
  return {
    name: `check of ${what}, CPU of the server for a request`,
    ours: micros(pairs.map(([ours]) => ours)),
    yardstick: `public price list ${micros(pairs.map(([, list]) => list))}`,
    ratio: `${cost.toFixed(2)}×`,
    aim: '≤ 3×',
    met: cost <= 3,
  }
}

/** Sends `count` enforced reports of 1, 32 at a time, to all replicas in turn. The allowance is half of them. */
async function enforced({ replicas }: Shop, engine: string, count: number): Promise<BenchResult> {
  const clients = replicas.map(({ url }) => createClient({ baseUrl: url, serviceKey }))
  let next = 0
  let recorded = 0
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const usage = { meter: 'calls', value: 1, tenantId: 'acme', identifier: `r${String(index)}`, enforce: true }
      try {
        await clients[index % clients.length]?.usage.record(usage)
        recorded++
      } catch (error) {
        if (!(error instanceof RatecardError) || error.code !== 'limit_reached') throw error
      }
    }
  }
  const seconds = (await elapsedMs(() => Promise.all(Array.from({ length: 32 }, worker)))) / 1000
  return {
    name: `enforced usage of one tenant, ${engine}, ${clients.length === 1 ? 'one replica' : 'two replicas'}`,
    ours: perSecond(count / seconds),
    yardstick: `${String(recorded)} recorded of ${String(count)}, ${String(count / 2)} allowed`,
    ratio: `${(recorded / (count / 2)).toFixed(2)}×`,
    aim: '1.00×',
    met: recorded === count / 2,
  }
}
