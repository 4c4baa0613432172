// Creates the fixtures of a release for the upgrade tests: a database of each engine with all kinds of data, and the service itself.
// Tests run this old service beside a newer one:
//   node scripts/keep-release.ts <version> [folder]
// Run it once, on the commit of that release. The fixtures of a release are never recreated. Before the first release the tests of
// upgrades run it on this build, into a folder of their own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { build } from 'esbuild'
import pg from 'pg'
import Stripe from 'stripe'
import type { Clock } from '../packages/ratecard/src/base/clock.ts'
import { createService } from '../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import type { Processor } from '../packages/ratecard/src/processor/processor.ts'
import { unlimitedBudget } from '../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer, generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import { schemaText } from '../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'
import { openStore } from '../packages/ratecard/src/store/sql/open-store.ts'
import { startSandbox } from '../packages/sandbox/src/server.ts'
import { callsMeter, perCall } from '../test/support/fixtures.ts'
import { payingCustomer } from '../test/support/shop/paying-customer.ts'
import type { OldStore } from '../test/support/stores/old-store.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const [name = '', fixtures = path.join(root, 'test/fixtures')] = process.argv.slice(2)
if (!/^[\w.-]+$/.test(name)) throw new Error('Say how the release is called: node scripts/keep-release.ts 1.2.3')

function keep(file: string, content: object): void {
  const target = path.join(fixtures, file)
  // Never overwrites a fixture, because existing tests depend on its content.
  if (existsSync(target)) throw new Error(`${target} is there already.`)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, gzipSync(JSON.stringify(content), { level: 9 }))
}

/** Time at which the history in the fixtures begins. */
const began = Date.parse('2026-10-01T12:00:00.000Z')
const minute = 60_000
const by = { keyId: 'key_fixture', keyName: 'fixture' }
const caller = { author: 'ada', by, message: 'new prices', requestId: 'req_fixture' }
const actor = (message: string | null) => ({ author: 'ada', by, message, approveImpact: true })

const document = (version: string, amount: number): BillingConfig => ({
  version,
  meters: [callsMeter],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount, currency: 'usd', interval: 'month' },
        { id: 'pro_monthly_gold', amount: 800, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
        perCall,
      ],
    },
    { id: 'free', name: 'Free', prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }] },
  ],
  webhooks: [{ id: 'app', url: 'https://app.example.test/hooks', events: ['invoice.paid'] }],
  coupons: [{ id: 'spring', name: 'Spring', percent_off: 10, duration: 'once' }],
})

type Rows = OldStore['rows']
interface Place {
  readonly engine: OldStore['engine']
  readonly url: string | null
  readonly file: string
}

async function leaveStore(place: Place, folder: string): Promise<OldStore> {
  const at = { ms: began }
  const clock: Clock = { now: () => at.ms }
  const masterKey = generateMasterKey()
  const secretKey = `sk_test_fixture${name.replaceAll(/\W/g, '')}`
  const dataDir = path.join(folder, 'sandbox')
  const sandbox = await startSandbox({ port: 0, dataDir, clock })
  const store = await openStore({ ...place, sealer: createSealer(masterKey), clock })
  const whole = createStripeProcessor({
    secretKey,
    apiBase: sandbox.url,
    budget: unlimitedBudget,
    clock,
    firstWaitMs: 1,
  })
  let afterStep = (): Promise<void> => Promise.resolve()
  const processor: Processor = {
    ...whole,
    perform: async (step, options) => {
      const performed = await whole.perform(step, options)
      await afterStep()
      return performed
    },
  }
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off', allowedRedirects: ['https://app.example.test'] },
    store,
    processor,
    processorName: 'sandbox',
    processorMode: 'sandbox',
    clock,
  })
  const { port } = sandbox
  const stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false })
  const done = async (id: string) => {
    for (;;) {
      const job = await service.findJob(id)
      if (job.state !== 'running') return job
      await pause(5)
    }
  }

  const serviceKey = await service.ensureFirstKey(null)
  if (serviceKey === null) throw new Error('no first key')
  await service.push(document('1.0.0', 1000), actor(null))
  const price = (await store.mappings.all()).find(
    ({ kind, configId }) => kind === 'price' && configId === 'pro_monthly',
  )
  const subscribed = async (id: string, quantity: number) => {
    const email = `${id}@example.test`
    const customer = await payingCustomer(stripe, { name: id, email })
    await service.createTenant({ id, name: id, email, processorCustomerId: customer }, caller)
    return (await stripe.subscriptions.create({ customer, items: [{ price: price?.processorId ?? '', quantity }] })).id
  }
  const subscriptions = {
    ada: await subscribed('ada', 2),
    bob: await subscribed('bob', 1),
    cleo: await subscribed('cleo', 3),
  }

  at.ms += minute
  await service.createTenant({ id: 'dora', name: 'Dora', email: null, processorCustomerId: null }, caller)
  const free = {
    priceId: 'free',
    quantity: 1,
    successUrl: 'https://app.example.test/',
    cancelUrl: 'https://app.example.test/',
  }
  await service.createCheckout(free, { kind: 'key', keyId: by.keyId, tenantId: 'dora' }, null)
  await service.updateTenant('dora', { name: 'Dora Ltd' }, caller)
  await service.applyEnterprise('cleo', { kind: 'template', template: 'gold' }, { ...caller, dryRun: false })

  at.ms += minute
  await service.push(document('1.1.0', 1200), actor('dearer'))
  const moved = await done((await service.moveTemplate('gold', caller)).id)
  const waiting = await done(
    (await service.startMigration({ priceId: 'pro_monthly', to: { at: at.ms + 45 * 86_400_000 } }, caller)).id,
  )

  at.ms += minute
  const session = await service.createSession('ada', 86_400)
  let interruptedPush = ''
  afterStep = async () => {
    afterStep = () => Promise.resolve()
    void service.cancelPush(interruptedPush)
    // Gives the push time to notice the cancellation before its next step.
    await pause(1_000)
  }
  await service
    .push(document('1.2.0', 1300), { ...actor(null), onOpen: (id) => void (interruptedPush = id) })
    .catch(() => undefined)
  const { state, stepsDone } = await service.findPush(interruptedPush)
  if (state !== 'interrupted' || stepsDone !== 1) throw new Error(`the push is ${state} after ${String(stepsDone)}`)
  if (moved.state !== 'done' || waiting.state !== 'waiting') throw new Error(`${moved.state}, ${waiting.state}`)

  await service.close()
  await store.close()
  await sandbox.close()
  const file = readdirSync(dataDir).find((entry) => entry.endsWith('.db')) ?? ''
  return {
    engine: place.engine,
    now: at.ms,
    masterKey,
    secretKey,
    serviceKey: serviceKey.key,
    session: session.value,
    subscriptions,
    jobs: { waiting: waiting.id, moved: moved.id },
    interruptedPush,
    ddl: schemaText(place.engine),
    rows: place.url === null ? sqliteRows(place.file) : await postgresRows(place.url),
    sandbox: { file, content: readFileSync(path.join(dataDir, file)).toString('base64') },
  }
}

/** Returns the names of the tables in order of creation, without SQLite's search index, which triggers fill. */
function tableNames(): readonly string[] {
  const db = new Database(':memory:')
  try {
    db.exec(schemaText('sqlite'))
    const names = `select name from sqlite_master where type = 'table' and name not like 'tenant!_search%' escape '!'`
    return db.prepare(`${names} order by rowid`).pluck().all() as string[]
  } finally {
    db.close()
  }
}

function sqliteRows(file: string): Rows {
  const db = new Database(file)
  try {
    return filled(tableNames().map((table) => [table, db.prepare(`select * from ${table}`).all() as Rows[string]]))
  } finally {
    db.close()
  }
}

async function postgresRows(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const all: [string, Rows[string]][] = []
    for (const table of tableNames()) all.push([table, (await client.query(`select * from ${table}`)).rows])
    return filled(all)
  } finally {
    await client.end()
  }
}

const filled = (tables: readonly (readonly [string, Rows[string]])[]): Rows =>
  Object.fromEntries(tables.filter(([, rows]) => rows.length > 0))

/** Bundles the service without its libraries: the main script, and the entry points of its threads. */
async function keepService(): Promise<void> {
  const sources = path.join(root, 'packages/ratecard/src')
  const main = path.join(sources, 'server/composition/main.ts')
  const threads = [sources, path.join(root, 'packages/sandbox/src')]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => path.join(folder, String(file))))
    .filter((file) => file.endsWith('thread-main.ts'))
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries([['main', main], ...threads.map((file) => [path.basename(file, '.ts'), file])]),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    minify: true,
    outdir: 'service',
    external: Object.keys(
      (JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, unknown> })
        .packages,
    )
      .filter((entry) => entry.startsWith('node_modules/') && !entry.includes('@ratecard/'))
      .flatMap((entry) => [entry.slice(13), `${entry.slice(13)}/*`]),
  })
  keep(
    `services/${name}.json.gz`,
    Object.fromEntries(outputFiles.map(({ path: file, text }) => [path.basename(file), text])),
  )
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-keep-'))
try {
  const sqlite = { engine: 'sqlite', url: null, file: path.join(folder, 'ratecard.db') } as const
  keep(`stores/${name}-sqlite.json.gz`, await leaveStore(sqlite, path.join(folder, 'sqlite')))
  const server = await startPostgres()
  try {
    const postgres = { engine: 'postgres', url: await server.createDatabase(), file: '' } as const
    keep(`stores/${name}-postgres.json.gz`, await leaveStore(postgres, path.join(folder, 'postgres')))
  } finally {
    await server.close()
  }
  await keepService()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
