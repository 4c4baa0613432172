// Migrations at a date: subscribers who renew earlier wait, and the service continues the job when it is due.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { toRfc3339, type Clock } from '../../../packages/ratecard/src/base/clock.ts'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { jobLease } from '../../../packages/ratecard/src/acts/lease.ts'
import { nobody } from '../../support/stack.ts'
import { refusalOf } from '../../support/stores/store.ts'
import { caller, negotiated, priceIn, tenantShop, type TenantShop } from '../../support/shop/tenant-shop.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { serviceOver } from '../../support/parts.ts'
import type { JobReport } from '../../../packages/ratecard/src/api/customers/jobs.ts'

const day = 86_400_000
const minute = 60_000

/** The service and its sandbox account share one clock. */
interface DatedShop extends TenantShop {
  readonly clock: Clock
  readonly subscriptions: readonly string[]
  readonly former: string
  pass(days: number): void
  /** Starts a migration at the first renewal after `days`. Resolves when the job waits or has ended. */
  migrate(days: number): Promise<JobReport>
}

async function datedShop(quantities: readonly number[]): Promise<DatedShop> {
  const at = { ms: Date.now() }
  const clock = { now: () => at.ms }
  const shop = await tenantShop(negotiated(), { clock })
  const subscriptions: string[] = []
  for (const [index, quantity] of quantities.entries()) {
    const customer = await shop.tenant(`t${String(index)}`)
    subscriptions.push((await shop.subscribe(customer, { pro_monthly: quantity })).id)
  }
  const former = await shop.processorPrice('pro_monthly')
  await shop.reprice('1.1.0', 'pro_monthly', 1200)
  return {
    ...shop,
    clock,
    subscriptions,
    former,
    pass: (days) => {
      at.ms += days * day
    },
    migrate: async (days) => {
      const to = { at: clock.now() + days * day }
      return shop.finished((await shop.service.startMigration({ priceId: 'pro_monthly', to }, caller)).id)
    },
  }
}

/** Another replica over the same store and account. */
function replica({ store, processor }: TenantShop, clock: Clock) {
  const service = serviceOver({ store, processor, clock })
  onTestFinished(() => service.close())
  return service
}

async function lastAmount(shop: TenantShop, tenant: string): Promise<number | undefined> {
  const { processorCustomerId } = await shop.service.findTenant(tenant)
  return (await shop.invoices(processorCustomerId ?? '')).at(-1)?.total
}

test('a subscriber who renews before the migration date keeps the price until that date, and is moved then without a further request', async () => {
  const shop = await datedShop([2])
  const [id = ''] = shop.subscriptions
  const at = shop.clock.now() + 45 * day
  const { lines } = await shop.service.planMigration({ priceId: 'pro_monthly', to: { at } })
  expect(lines).toMatchObject([{ effective: 'period_end', skipped: null }])
  expect(lines[0]?.effectiveAt).toBeGreaterThanOrEqual(at)

  const early = await shop.migrate(45)
  expect(early).toMatchObject({ state: 'waiting', stepsDone: 0, steps: [{ state: 'pending' }] })
  const renewal = early.resumesAt ?? 0
  expect(renewal - shop.clock.now()).toBeGreaterThan(27 * day)
  expect(early.error).toMatchObject({ resume_after: toRfc3339(renewal) })

  shop.pass(20)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(early.id)).toEqual(early)

  shop.pass(12)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(early.id)).toMatchObject({ state: 'done', resumesAt: null, stepsDone: 1 })
  expect(await lastAmount(shop, 't0')).toBe(2 * 1000)
  expect(await shop.items(id)).toEqual({ [shop.former]: 2 })
  shop.pass(32)
  expect(await shop.items(id)).toEqual({ pro_monthly: 2 })
  expect(await lastAmount(shop, 't0')).toBe(2 * 1200)
})

test('a second date for a migration is refused until the waiting job of the first date is cancelled', async () => {
  const shop = await datedShop([2])
  const first = await shop.migrate(45)
  expect(first.state).toBe('waiting')
  const later = { priceId: 'pro_monthly', to: { at: shop.clock.now() + 120 * day } }
  const reason = `The job ${first.id} will move the item at a later date; cancel that job first.`
  expect((await shop.service.planMigration(later)).lines).toMatchObject([{ skipped: reason }])
  expect((await shop.migrate(120)).steps).toMatchObject([{ state: 'skipped', result: { reason } }])
  await shop.service.cancelJob(first.id, false, caller)
  expect((await shop.service.planMigration(later)).lines).toMatchObject([{ skipped: null }])
})

test('subscribers who renew on different days are moved by several runs, and each run reads only those that are due', async () => {
  const shop = await datedShop([1])
  shop.pass(10)
  const customer = await shop.tenant('later')
  await shop.stripe.prices.update(shop.former, { active: true })
  const { id } = await shop.stripe.subscriptions.create({ customer, items: [{ price: shop.former, quantity: 3 }] })
  const job = await shop.migrate(50)
  expect(job).toMatchObject({ state: 'waiting', stepsTotal: 2 })
  // The job resumes at the earlier of the two renewals.
  expect(job.resumesAt).toBeLessThan(shop.clock.now() + 25 * day)
  shop.pass(((job.resumesAt ?? 0) - shop.clock.now()) / day + 0.01)
  await shop.service.waitingJobs.continueDue()
  const after = await shop.service.findJob(job.id)
  expect(after).toMatchObject({ state: 'waiting', stepsDone: 1 })
  expect(after.steps.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['succeeded', 2],
    ['pending', 1],
  ])
  expect(after.resumesAt).toBeGreaterThan(shop.clock.now() + 5 * day)
  shop.pass(32)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(job.id)).toMatchObject({ state: 'done' })
  shop.pass(32)
  expect(await shop.items(id)).toEqual({ pro_monthly: 3 })
})

test('a subscription that the processor has not renewed yet on its date is checked again after 10 minutes', async () => {
  const shop = await datedShop([1])
  // The processor's clock does not advance, in contrast to the service's.
  const stays = { now: () => shop.clock.now() + 40 * day }
  const { id } = await shop.migrate(45)
  const late = replica(shop, stays)
  await late.waitingJobs.continueDue()
  const job = await shop.service.findJob(id)
  expect(job).toMatchObject({ state: 'waiting', steps: [{ state: 'pending', attempts: 2 }] })
  expect(job.resumesAt).toBe(stays.now() + 10 * minute)
  await late.waitingJobs.continueDue()
  expect(await shop.service.findJob(id)).toEqual(job)
})

test('two replicas that continue a due job at the same time run each step once', async () => {
  const shop = await datedShop([1, 2])
  const { id } = await shop.migrate(45)
  shop.pass(32)
  const other = replica(shop, shop.clock)
  await Promise.all([shop.service.waitingJobs.continueDue(), other.waitingJobs.continueDue()])
  const job = await shop.service.findJob(id)
  expect(job).toMatchObject({ state: 'done', steps: [{ attempts: 2 }, { attempts: 2 }] })
})

test('a due job whose lease is held by another process stays in the state waiting, without an error', async () => {
  const shop = await datedShop([1])
  const { id } = await shop.migrate(45)
  shop.pass(32)
  await shop.store.exclusively(jobLease(id), () => shop.service.waitingJobs.continueDue())
  expect(await shop.service.findJob(id)).toMatchObject({ state: 'waiting', stepsDone: 0 })
})

test('an interrupted or failed job is never continued automatically, even if its error contains a resume time', async () => {
  const shop = await datedShop([1])
  const { id } = await shop.migrate(45)
  const endAs = (state: 'interrupted' | 'failed', error: object | null) =>
    shop.store.exclusively(jobLease(id), ({ token }) =>
      shop.store.jobs.end(id, state, error === null ? null : JSON.stringify(error), token),
    )
  shop.pass(400)
  const past = { resume_after: toRfc3339(shop.clock.now() - day) }
  for (const [state, error] of [
    ['interrupted', { code: 'shutting_down', detail: 'it stopped' }],
    ['interrupted', null],
    ['failed', { detail: 'it failed' }],
    ['interrupted', past],
    ['failed', past],
  ] as const) {
    await endAs(state, error)
    await shop.service.waitingJobs.continueDue()
    expect(await shop.service.findJob(id)).toMatchObject({ state, resumesAt: null, stepsDone: 0 })
  }
  await shop.store.exclusively(jobLease(id), ({ token }) => shop.store.jobs.wait(id, shop.clock.now(), '{}', token))
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(id)).toMatchObject({ state: 'done' })
})

test('a failed step does not delay the other subscribers, and is retried in the next run', async () => {
  const shop = await datedShop([1, 1])
  const [first = '', second = ''] = shop.subscriptions
  const reading = { kind: 'error_before' as const, method: 'GET', path: `/v1/subscriptions/${first}`, count: null }
  shop.sandbox.control.fail(reading)
  const early = await shop.migrate(45)
  expect(early).toMatchObject({ state: 'waiting', stepsDone: 0 })
  expect(early.steps.map(({ state }) => state).sort()).toEqual(['failed', 'pending'])
  expect(String(early.error?.['detail'])).toMatch(/1 step must wait.*1 step failed/)
  shop.pass(32)
  shop.sandbox.control.clearFaults()
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(early.id)).toMatchObject({ state: 'done', stepsDone: 2 })
  shop.pass(32)
  for (const id of [first, second]) expect(await shop.items(id)).toEqual({ pro_monthly: 1 })
})

test('a job returns to the state waiting after an outage of the processor or after its process was shut down', async () => {
  const shop = await datedShop([1, 1, 1, 1, 1, 1])
  const { id } = await shop.migrate(45)
  shop.pass(32)
  shop.sandbox.control.fail({ kind: 'error_before', method: 'GET', path: '/v1/subscriptions/*', count: null })
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(id)).toMatchObject({ state: 'waiting', resumesAt: shop.clock.now() + 10 * minute })
  shop.sandbox.control.clearFaults()
  shop.pass(1)
  const other = replica(shop, shop.clock)
  await shop.store.exclusively('tenant:t0', async () => {
    const passing = other.waitingJobs.continueDue()
    while ((await shop.service.findJob(id)).stepsDone < 5) await new Promise((resolve) => setImmediate(resolve))
    await other.close()
    await passing
  })
  const stopped = await shop.service.findJob(id)
  expect(stopped).toMatchObject({ state: 'waiting', stepsDone: 5, error: { code: 'shutting_down' } })
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(id)).toMatchObject({ state: 'done', stepsDone: 6 })
})

test('a waiting job can be cancelled immediately, and a job that is resumed before its date returns to the state waiting', async () => {
  const shop = await datedShop([1])
  const first = await shop.migrate(45)
  expect(await shop.service.cancelJob(first.id, false, caller)).toMatchObject({ state: 'cancelled', resumesAt: null })
  const second = await shop.migrate(45)
  await shop.service.resumeJob(second.id)
  expect(await shop.finished(second.id)).toMatchObject({ state: 'waiting', steps: [{ attempts: 2 }] })
  shop.pass(32)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.service.findJob(first.id)).toMatchObject({ state: 'cancelled', stepsDone: 0 })
  expect(await refusalOf(shop.service.cancelJob(second.id, false, caller))).toBe('job_not_running')
})

test('a job that became due while no process was running is continued at the next start', async () => {
  const shop = await datedShop([1])
  const { id } = await shop.migrate(45)
  shop.pass(32)
  const complaints: unknown[] = []
  shop.service.waitingJobs.start((error) => complaints.push(error))
  while ((await shop.service.findJob(id)).state !== 'done') await new Promise((resolve) => setImmediate(resolve))
  shop.service.waitingJobs.stop()
  expect(complaints).toEqual([])
})

test('a server continues its waiting jobs after a restart', async () => {
  const dataDir = temporaryFolder()
  const at = { ms: Date.now() }
  const start = async () => {
    const env = {
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_WORKERS: 'off',
      RATECARD_LOG_LEVEL: 'error',
      RATECARD_SERVICE_KEY: 'waiting-jobs-service-key',
    }
    const server = await startServer({ env, port: 0, dataDir, clock: { now: () => at.ms }, out: () => undefined })
    onTestFinished(() => server.close())
    return server
  }
  const first = await start()
  const stripe = new Stripe(readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim(), {
    host: '127.0.0.1',
    port: new URL(first.sandboxUrl ?? '').port,
    protocol: 'http',
    telemetry: false,
  })
  await first.service.push(negotiated(), { ...nobody, approveImpact: true })
  const { data: prices } = await stripe.prices.list({ limit: 100 })
  const price = prices.find(({ metadata }) => metadata['ratecard_id'] === 'pro_monthly')?.id ?? ''
  const customer = await payingCustomer(stripe, { name: 't' })
  await stripe.subscriptions.create({ customer, items: [{ price, quantity: 2 }] })
  const next = negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200))
  await first.service.push(next, { ...nobody, approveImpact: true })
  const to = { at: at.ms + 45 * day }
  const { id } = await first.service.startMigration({ priceId: 'pro_monthly', to }, caller)
  while ((await first.service.findJob(id)).state === 'running') await new Promise((resolve) => setImmediate(resolve))
  expect(await first.service.findJob(id)).toMatchObject({ state: 'waiting' })
  // The sandbox of a server has its own clock.
  await fetch(`${first.sandboxUrl ?? ''}/_sandbox/clock`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim()}` },
    body: JSON.stringify({ advance_seconds: (32 * day) / 1000 }),
  })
  await first.close()
  at.ms += 32 * day
  const second = await start()
  while ((await second.service.findJob(id)).state !== 'done') await new Promise((resolve) => setImmediate(resolve))
  expect(await second.service.findJob(id)).toMatchObject({ steps: [{ state: 'succeeded', attempts: 2 }] })
})

test('a push that replaces the price of a waiting migration warns first, and all subscribers move to the newest price', async () => {
  const shop = await datedShop([2, 1])
  const waiting = await shop.migrate(45)
  expect(waiting).toMatchObject({ state: 'waiting', stepsTotal: 2 })
  const newest = negotiated('1.2.0', (config) => (priceIn(config, 'pro_monthly').amount = 1500))
  const told = { code: 'migration_waiting', detail: expect.stringMatching(/^2 subscribers wait/) as string }
  const planned = await shop.service.push(newest, { ...nobody, dryRun: true })
  expect(planned.warnings).toContainEqual(expect.objectContaining(told))
  expect(await refusalOf(shop.service.push(newest, nobody))).toBe('impact_not_approved')
  await shop.push(newest)
  expect(await shop.service.findJob(waiting.id)).toMatchObject({ state: 'waiting', resumesAt: waiting.resumesAt })
  shop.advance(46)
  shop.pass(46)
  await shop.service.waitingJobs.continueDue()
  const done = await shop.finished(waiting.id)
  expect(done.steps.map(({ state, result }) => [state, result?.['reason']])).toEqual([
    ['succeeded', undefined],
    ['succeeded', undefined],
  ])
  expect(done.state).toBe('done')
  shop.advance(31)
  expect(await lastAmount(shop, 't0')).toBe(3000)
  expect(await lastAmount(shop, 't1')).toBe(1500)
})

test('a push that removes the price of a waiting migration warns that its subscribers stay', async () => {
  const shop = await datedShop([1])
  await shop.migrate(45)
  const without = negotiated('1.2.0', (config) => {
    for (const product of config.products)
      product.prices = (product.prices ?? []).filter(({ id }) => id !== 'pro_monthly' && !id.startsWith('pro_monthly_'))
  })
  const planned = await shop.service.push(without, { ...nobody, dryRun: true })
  expect(planned.warnings).toContainEqual(
    expect.objectContaining({ code: 'migration_waiting', detail: expect.stringContaining('they stay') as string }),
  )
  expect(await refusalOf(shop.service.push(without, nobody))).toBe('impact_not_approved')
})

/** The document with `pro_monthly` renamed to `team_monthly`, and its negotiated prices. */
function teamPrice(version: string, amount: number, previous: readonly string[] = ['pro_monthly']) {
  return negotiated(version, (config) => {
    const price = priceIn(config, 'pro_monthly')
    Object.assign(price, { id: 'team_monthly', amount }, previous.length === 0 ? {} : { previous_ids: [...previous] })
    for (const { prices = [] } of config.products)
      for (const one of prices) if (one.id.startsWith('pro_monthly_')) one.base_price = 'team_monthly'
  })
}

/** Advances past the date of the migration, continues due jobs, and advances to the next renewal. */
async function dateComes(shop: DatedShop, id: string): Promise<JobReport> {
  shop.pass(32)
  await shop.service.waitingJobs.continueDue()
  const job = await shop.finished(id)
  shop.pass(32)
  return job
}

test('a waiting migration whose price is renamed moves its subscribers to the renamed price', async () => {
  const shop = await datedShop([2, 1])
  const { id } = await shop.migrate(45)
  await shop.push(teamPrice('1.2.0', 1200))
  expect(await shop.service.findJob(id)).toMatchObject({ state: 'waiting', subject: 'team_monthly' })
  // The first date stays although the migration is requested again with another date, and although the earlier id is dropped.
  const later = { priceId: 'pro_monthly', to: { at: shop.clock.now() + 120 * day } }
  expect(await shop.service.planMigration(later)).toMatchObject({
    priceId: 'team_monthly',
    lines: [{ skipped: expect.stringContaining(id) as string }, { skipped: expect.stringContaining(id) as string }],
  })
  await shop.push(teamPrice('1.3.0', 1200, []))
  expect(await dateComes(shop, id)).toMatchObject({ state: 'done', stepsDone: 2 })
  expect(await shop.items(shop.subscriptions[0] ?? '')).toEqual({ team_monthly: 2 })
  expect(await lastAmount(shop, 't0')).toBe(2 * 1200)
  expect(await lastAmount(shop, 't1')).toBe(1200)
})

test.each([
  ['in the push that renames it', [['1.2.0', 1500]]],
  [
    'after it was renamed',
    [
      ['1.2.0', 1200],
      ['1.3.0', 1500],
    ],
  ],
] as const)(
  'a push that replaces the price of a waiting migration %s needs approval, and subscribers move to the newest price',
  async (_, pushes) => {
    const shop = await datedShop([2])
    const { id } = await shop.migrate(45)
    for (const [version, amount] of pushes) {
      const next = teamPrice(version, amount)
      if (amount === 1500) expect(await refusalOf(shop.service.push(next, nobody))).toBe('impact_not_approved')
      await shop.push(next)
    }
    expect((await dateComes(shop, id)).steps).toMatchObject([{ state: 'succeeded' }])
    expect(await shop.items(shop.subscriptions[0] ?? '')).toEqual({ team_monthly: 2 })
    expect(await lastAmount(shop, 't0')).toBe(2 * 1500)
  },
)

test('a rollback of a rename restores the price of the waiting migration', async () => {
  const shop = await datedShop([2])
  const { id } = await shop.migrate(45)
  await shop.push(teamPrice('1.2.0', 1200))
  await shop.service.rollback(2, { ...nobody, approveImpact: true })
  expect(await shop.service.findJob(id)).toMatchObject({ subject: 'pro_monthly' })
  expect((await dateComes(shop, id)).steps).toMatchObject([{ state: 'succeeded' }])
  expect(await lastAmount(shop, 't0')).toBe(2 * 1200)
})
