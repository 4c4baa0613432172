// Supabase's sync engine copies an account of the sandbox into a real PostgreSQL, from lists and from signed events.
import type Stripe from 'stripe'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { payPage } from '../../support/shop/pay-page.ts'
import { startPostgres, type TestPostgres } from '../../support/stores/postgres.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { clientOf, idOf } from '../../support/sandbox.ts'
import { holds } from './holds.ts'
import { install, type Installed } from './installed.ts'
import { syncEngine } from './outcomes.ts'
import { startReceiver, type Receiver } from './receiver.ts'

/** What the tests use of the engine. */
interface Engine {
  stripe: Stripe
  processWebhook(payload: string, signature: string): Promise<void>
  syncSingleEntity(id: string): Promise<unknown>
  syncBackfill(params: { readonly object: string }): Promise<Readonly<Record<string, { readonly synced: number }>>>
  syncFeatures(): Promise<{ readonly synced: number }>
  syncEntitlements(customer: string): Promise<{ readonly synced: number }>
  close(): Promise<void>
}

interface EngineModule {
  readonly StripeSync: new (config: object) => Engine
  runMigrations(config: object): Promise<void>
}

const key = 'sk_test_sync_engine'

let installed: Installed
let sandbox: Sandbox
let receiver: Receiver
let postgres: TestPostgres
let database: pg.Client
let engine: Engine
let stripe: Stripe
beforeAll(async () => {
  installed = await install('sync-engine')
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  stripe = clientOf(sandbox, key)
  receiver = await startReceiver()
  postgres = await startPostgres()
  const databaseUrl = await postgres.createDatabase()
  database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  // Supabase's own role, to which the engine's migrations give its tables.
  await database.query('create role postgres')
  const { StripeSync, runMigrations } = installed.load('@supabase/stripe-sync-engine') as EngineModule
  // The engine only logs the failure of a migration.
  const failures: unknown[] = []
  const logger = { info: () => undefined, error: (error: unknown) => failures.push(error) }
  await runMigrations({ databaseUrl, schema: 'stripe', logger })
  expect(failures).toEqual([])
  const { secret } = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] })
  engine = new StripeSync({
    poolConfig: { connectionString: databaseUrl },
    stripeSecretKey: key,
    stripeWebhookSecret: secret,
    backfillRelatedEntities: true,
  })
  const Sdk = installed.load('stripe') as typeof Stripe
  engine.stripe = new Sdk(key, { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false })
}, 420_000)
afterAll(async () => {
  await engine.close()
  await endDatabase()
  receiver.close()
  await sandbox.close()
  installed.remove()
})

/** Ends the database once the engine's connections are closed: a pool has ended before they are. */
async function endDatabase(): Promise<void> {
  await vi.waitFor(
    async () => {
      const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
      expect((await database.query(others)).rows).toEqual([])
    },
    { timeout: 60_000 },
  )
  await database.end()
  await postgres.close()
}

async function rows(table: string): Promise<Record<string, unknown>[]> {
  return (await database.query<Record<string, unknown>>(`select * from stripe."${table}" order by id`)).rows
}

/** A customer with a paid subscription to a product that has a feature. */
async function soldSubscription(): Promise<Stripe.Subscription> {
  const product = await stripe.products.create({ name: 'Pro' })
  const feature = await stripe.entitlements.features.create({ name: 'SSO', lookup_key: `sso_${product.id}` })
  await stripe.products.createFeature(product.id, { entitlement_feature: feature.id })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const customer = await stripe.customers.create({ email: 'buyer@example.test' })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  return stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    default_payment_method: card.id,
  })
}

/** Kinds of objects that the engine lists, and its name of their count. */
const lists: readonly (readonly [object: string, count: string])[] = [
  ['product', 'products'],
  ['price', 'prices'],
  ['plan', 'plans'],
  ['customer', 'customers'],
  ['subscription', 'subscriptions'],
  ['subscription_schedules', 'subscriptionSchedules'],
  ['invoice', 'invoices'],
  ['charge', 'charges'],
  ['setup_intent', 'setupIntents'],
  ['payment_intent', 'paymentIntents'],
  ['payment_method', 'paymentMethods'],
  ['credit_note', 'creditNotes'],
  ['refund', 'refunds'],
  ['checkout_sessions', 'checkoutSessions'],
]

const jobs: Record<keyof typeof syncEngine.jobs, () => Promise<void>> = {
  'creates its tables': async () => {
    const { rows: tables } = await database.query(
      "select 1 from information_schema.tables where table_schema = 'stripe'",
    )
    expect(tables.length).toBeGreaterThan(20)
  },
  'copies the objects of an existing account': async () => {
    const subscription = await soldSubscription()
    const copied: Record<string, number | undefined> = {}
    for (const [object, count] of lists) copied[object] = (await engine.syncBackfill({ object }))[count]?.synced
    expect(Object.entries(copied).filter(([, synced]) => synced === undefined)).toEqual([])
    expect(copied).toMatchObject({ product: 1, price: 1, customer: 1, subscription: 1, invoice: 1, charge: 1 })
    expect(await rows('subscriptions')).toMatchObject([{ id: subscription.id, status: 'active' }])
    expect(await rows('invoices')).toMatchObject([{ id: idOf(subscription.latest_invoice), status: 'paid' }])
  },
  'takes the signed events of a sale and of its end': async () => {
    const seen = receiver.received.length
    const price = (await stripe.prices.list({ limit: 1 })).data[0]?.id ?? ''
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price, quantity: 1 }],
      success_url: 'https://shop.example/thanks',
    })
    await payPage(session.url)
    const bought = idOf((await stripe.checkout.sessions.retrieve(session.id)).subscription)
    // The engine ignores an event of the same second as the object's last one.
    await fetch(`${sandbox.url}/_sandbox/clock`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ advance_seconds: 60 }),
    })
    await stripe.subscriptions.cancel(bought)
    await vi.waitFor(
      () => {
        expect(receiver.received.map(({ type }) => type)).toContain('customer.subscription.deleted')
      },
      { timeout: 60_000 },
    )
    const events = receiver.received.slice(seen)
    expect(events.map(({ type }) => type)).toContain('checkout.session.completed')
    for (const { payload, signature } of events) await engine.processWebhook(payload, signature)
    const [first] = events
    await expect(engine.processWebhook(first?.payload ?? '', 't=1,v1=0')).rejects.toThrow('signature')
    expect(await rows('subscriptions')).toContainEqual(expect.objectContaining({ id: bought, status: 'canceled' }))
    expect(await rows('checkout_sessions')).toContainEqual(expect.objectContaining({ id: session.id }))
  },
  'copies single objects by id': async () => {
    const made = [
      await stripe.customers.create({ name: 'One' }),
      await stripe.products.create({ name: 'Two' }),
      await stripe.setupIntents.create({}),
    ]
    for (const { id } of made) await engine.syncSingleEntity(id)
    expect(await rows('customers')).toContainEqual(expect.objectContaining({ name: 'One' }))
    expect(await rows('products')).toContainEqual(expect.objectContaining({ name: 'Two' }))
  },
  'copies entitlements and features': async () => {
    const [subscription] = (await stripe.subscriptions.list({ limit: 1 })).data
    expect(await engine.syncFeatures()).toEqual({ synced: 1 })
    expect(await engine.syncEntitlements(idOf(subscription?.customer))).toEqual({ synced: 1 })
    expect(await rows('active_entitlements')).toHaveLength(1)
  },
  'copies tax ids': () => engine.syncBackfill({ object: 'tax_id' }).then(() => undefined),
  'copies disputes': () => engine.syncBackfill({ object: 'dispute' }).then(() => undefined),
  'copies early fraud warnings': () => engine.syncBackfill({ object: 'early_fraud_warning' }).then(() => undefined),
}

const names = Object.keys(jobs) as (keyof typeof jobs)[]

test.each(names)('the sync engine %s', async (name) => {
  await holds(syncEngine.jobs[name], jobs[name])
})
