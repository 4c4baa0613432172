// The client library against the real server: each operation of the description is called by its method.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, RatecardError, type Client, type ClientOptions } from '../../packages/client/src/client.ts'
import { sampleConfig } from '../support/app.ts'
import { buy, sessionOf } from '../support/shop/selling.ts'
import { mirrored, mirrorSettings } from '../support/mirror.ts'
import { startWorkerWorld, type WorkerWorld } from '../workers/requests/worker-world.ts'

let world: WorkerWorld
let client: Client
/** Requests of the client, as `GET /path`. */
let asked: string[]

const seeing: typeof fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  asked.push(`${init?.method ?? 'GET'} ${new URL(url).pathname}`)
  return fetch(input, init)
}
const clientWith = (options: Partial<ClientOptions>) => createClient({ baseUrl: world.url, fetch: seeing, ...options })

beforeAll(async () => {
  asked = []
  world = await startWorkerWorld({}, { mirror: mirrorSettings })
  client = clientWith({ serviceKey: world.key })
  await client.admin.push({ ...sampleConfig(), features: [{ id: 'sso', name: 'Single sign-on' }] })
  await sessionOf(world, 'buyer')
  await buy(world, 'buyer', { price_id: 'pro_monthly', quantity: 3 })
  await mirrored(world)
  await world.deploy(
    'hello',
    `export default { fetch: () => new Response('hi'), scheduled: () => console.log('ran') }`,
    { crons: ['0 0 1 1 *'] },
  )
})
afterAll(() => world.close())

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: unknown) => (error instanceof RatecardError ? error.code : error),
  )

async function firstOf<Value>(source: AsyncIterable<Value>): Promise<Value | undefined> {
  for await (const value of source) return value
  return undefined
}

const deployment = {
  modules: [{ name: 'w.js', type: 'esm', content: 'export default { fetch: () => new Response("two") }' }],
  main: 'w.js',
  compatibilityDate: '2026-01-01',
  vars: { snake_case: 'stays', camelCase: 'stays' },
} as const

/** The call of the client for each operation. A call that is expected to fail states the reason. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  getPolicies: () => client.admin.policies(),
  putPolicies: () => client.admin.setPolicies({ rules: [] }, { message: 'none' }),
  getHealth: () => client.server.health(),
  getReadiness: () => client.server.readiness(),
  getMetrics: () => client.server.metrics(),
  getOpenApi: () => client.server.openApi(),
  getSchema: () => client.billing.schema(),
  getConfig: () => client.billing.config(),
  getPrice: () => client.billing.price('pro_monthly'),
  getProduct: () => client.billing.product('pro'),
  getMeter: () => client.billing.meter('api_calls'),
  calculatePrice: () => client.billing.calculate('pro_monthly', 2),
  convertProcessorId: () => client.billing.convert('free'),
  createCheckout: () =>
    client.checkout.create({
      priceId: 'free',
      successUrl: 'http://127.0.0.1:9/',
      cancelUrl: 'http://127.0.0.1:9/',
      tenantId: 'buyer',
    }),
  getEntitlements: () => client.entitlements({ tenantId: 'buyer' }),
  checkEntitlements: () => client.entitlements.check('sso', { tenantId: 'buyer' }),
  listSessionPrices: () => client.sessionPrices({ tenantId: 'buyer' }),
  listSessionSubscriptions: () => client.subscription.list({ tenantId: 'buyer' }),
  listSessionInvoices: () => client.subscription.invoices({ tenantId: 'buyer' }),
  previewChange: () =>
    client.subscription.preview({ items: [{ priceId: 'pro_monthly', quantity: 4 }], tenantId: 'buyer' }),
  changeSubscription: () =>
    client.subscription.change({ items: [{ priceId: 'pro_monthly', quantity: 4 }], tenantId: 'buyer' }),
  pauseSubscription: () => client.subscription.pause({ tenantId: 'buyer' }),
  cancelOwnSubscription: () => client.subscription.cancel({ tenantId: 'buyer' }),
  resumeSubscription: () => client.subscription.resume({ tenantId: 'buyer' }),
  createPortal: () => client.portal.create({ returnUrl: 'http://127.0.0.1:9/', tenantId: 'buyer' }),
  recordUsage: () => client.usage.record({ meter: 'api_calls', value: 1, tenantId: 'buyer' }),
  getFullConfig: () => client.admin.config(),
  pushConfig: () => client.admin.push(sampleConfig(), { dryRun: true }),
  validateConfig: () => client.admin.validate(sampleConfig()),
  keepWritten: () => client.admin.keepWritten(sampleConfig()),
  rollbackConfig: () => client.admin.rollback(1),
  pullConfig: () => client.admin.pull(),
  getDrift: () => client.admin.drift(),
  listVersions: () => client.admin.history(),
  getRevision: () => client.admin.revision(1),
  compareRevisions: () => client.admin.diff(1, 1),
  listPushes: () => client.admin.pushes(),
  getPush: async () => client.admin.findPush(await pushId()),
  followPush: async () => firstOf(client.admin.pushEvents(await pushId())),
  resumePush: async () => codeOf(client.admin.resume(await pushId())),
  cancelPush: async () => codeOf(client.admin.cancelPush(await pushId())),
  listWebhooks: () => client.admin.webhooks(),
  rotateWebhook: async () =>
    client.admin.rotateWebhook((await client.admin.webhooks())[0]?.id ?? '', { overlapSeconds: 60, author: 'Zoë' }),
  listProcessorEvents: () => client.admin.processorEvents({ after: '', types: ['price.created'] }),
  createKey: () => client.admin.createKey('another'),
  listKeys: () => client.admin.keys(),
  revokeKey: async () => client.admin.revokeKey((await client.admin.createKey('brief')).id),
  runDoctor: () => client.admin.doctor(),
  getOwnKey: () => client.admin.ownKey(),
  getAccount: () => client.admin.account(),
  getChangeTag: async () => ({ tag: await client.admin.changeTag() }),
  createDashboardLink: () => client.admin.dashboardLink(),
  createTenant: () => client.tenants.create({ name: 'Made' }),
  listTenants: () => client.tenants.list({ limit: 1 }),
  getTenant: () => client.tenants.find('buyer'),
  updateTenant: () => client.tenants.update('buyer', { name: 'Buyer', email: null }),
  removeTenant: async () => client.tenants.remove((await client.tenants.create({ name: 'Brief' })).id),
  listGrants: () => client.tenants.grants('buyer'),
  putGrant: () => client.tenants.grant('buyer', 'sso', { enabled: true }),
  removeGrant: () => client.tenants.removeGrant('buyer', 'sso'),
  getTenantEntitlements: () => client.tenants.entitlements('buyer'),
  listTenantSubscriptions: () => client.tenants.subscriptions('buyer'),
  cancelSubscription: async () => client.tenants.cancelSubscription('buyer', await freeSubscription()),
  listDroppedUsage: () => client.usage.dropped({ tenantId: 'buyer' }),
  listTenantInvoices: () => client.tenants.invoices('buyer'),
  getMoney: () => client.money.now(),
  listMoneyDays: () => client.money.days({ from: '2026-01-01', to: '2026-01-31' }),
  listSubscribers: () => client.money.subscribers('pro_monthly', { generation: 'current' }),
  exportInvoices: async () => {
    const text = await new Response(await client.money.exportInvoices({ format: 'json' })).text()
    return { rows: (JSON.parse(text) as { rows: unknown[] }).rows.length }
  },
  getUpcomingInvoice: () => client.tenants.upcomingInvoice('buyer'),
  listTenantAudit: () => client.tenants.audit('buyer', { limit: 1 }),
  createSession: () => client.sessions.create({ tenantId: 'buyer', ttlSeconds: 60 }),
  revokeSession: async () => client.sessions.revoke((await client.sessions.create({ tenantId: 'buyer' })).id),
  listTemplatePrices: () => client.admin.enterprisePricesByTemplate('gold'),
  listEnterprisePrices: () => client.admin.enterprisePricesById('acme'),
  applyTemplate: () => client.enterprise.applyTemplate({ tenantId: 'buyer', enterpriseTemplate: 'gold' }),
  applyCustom: () => client.enterprise.applyCustom({ tenantId: 'buyer', enterpriseId: 'acme' }, { dryRun: true }),
  removeEnterprise: () => client.enterprise.remove({ tenantId: 'buyer' }),
  listCredits: () => client.credits.list('buyer'),
  addCredit: () => client.credits.add('buyer', { amount: 100, currency: 'usd', reason: 'Sorry' }),
  listDiscounts: () => client.discounts.list('buyer'),
  addDiscount: () => client.discounts.add('buyer', { couponId: 'welcome' }),
  removeDiscount: () => codeOf(client.discounts.remove('buyer', 'di_none')),
  getEnterpriseCoverage: () => client.enterprise.coverage(),
  moveTemplate: () => client.enterprise.moveTemplate({ enterpriseTemplate: 'gold' }, { author: 'Zoë' }),
  startMigration: () => client.migrations.start({ priceId: 'pro_monthly', to: new Date(), except: ['buyer'] }),
  listJobs: () => client.jobs.list({ kind: 'migration' }),
  getJob: async () => client.jobs.find(await jobId()),
  resumeJob: () => codeOf(client.jobs.resume('none')),
  cancelJob: () => codeOf(client.jobs.cancel('none')),
  deployWorker: () => client.workers.deploy('second', deployment, { author: 'Zoë', message: 'First' }),
  listWorkers: () => client.workers.list(),
  getWorker: () => client.workers.find('hello'),
  listDeployments: () => client.workers.deployments('hello', { limit: 1 }),
  rollBackWorker: () => codeOf(client.workers.rollback('hello')),
  getWorkerLogs: () => client.workers.logs('hello', { limit: 5, since: new Date(0) }),
  listCronRuns: () => client.workers.cronRuns('hello', { cron: '0 0 1 1 *' }),
  triggerCron: () => client.workers.triggerCron('hello'),
  removeWorker: () => client.workers.remove('second'),
  resetConfig: () => client.admin.reset(),
}

const pushId = async () => (await client.admin.pushes()).pushes[0]?.id ?? ''
/** Of the checkout of the free price, earlier in the list. */
const freeSubscription = async () => {
  const { subscriptions } = await client.tenants.subscriptions('buyer')
  return subscriptions.find(({ home }) => home === 'local')?.id ?? ''
}
const jobId = async () => (await client.jobs.list()).jobs[0]?.id ?? ''

type Operation = { readonly operationId: string }
/** Operations that only the processor calls. */
const ofProcessor = ['receiveProcessorEvent']
const described = () =>
  Object.entries(world.app.swagger().paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([method, { operationId }]) => ({
      operationId,
      pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    })),
  )

describe('the client library', () => {
  it('has a method for each operation of the API description, and no other methods', () => {
    expect(Object.keys(calls).sort()).toEqual(
      described()
        .map(({ operationId }) => operationId)
        .filter((id) => !ofProcessor.includes(id))
        .sort(),
    )
  })

  it('can perform each operation, and its results have camelCase names', async () => {
    const problems: Record<string, unknown> = {}
    for (const [id, call] of Object.entries(calls)) {
      asked = []
      const answer = await call()
      expect([
        id,
        asked.some((request) =>
          described()
            .find((one) => one.operationId === id)
            ?.pattern.test(request),
        ),
      ]).toEqual([id, true])
      if (typeof answer === 'string' && id !== 'getMetrics') problems[id] = answer
      else if (!documents.has(id)) expect([id, snakeNames(answer)]).toEqual([id, []])
    }
    expect(problems).toEqual({
      removeDiscount: 'discount_not_found',
      resumePush: 'push_not_resumable',
      cancelPush: 'push_not_running',
      resumeJob: 'job_not_found',
      cancelJob: 'job_not_found',
      rollBackWorker: 'deployment_not_found',
    })
  })

  it('follows the log of a worker: first the stored lines, then each new line', async () => {
    const earlier = await client.workers.triggerCron('hello')
    let later = ''
    const runs: (string | undefined)[] = []
    for await (const { runId, message } of client.workers.followLogs('hello', { level: 'log' })) {
      expect(message).toBe('ran')
      runs.push(runId)
      if (runId === earlier.id) later = (await client.workers.triggerCron('hello')).id
      if (runId === later) break
    }
    expect(runs.slice(-2)).toEqual([earlier.id, later])
  })
})

/** Operations whose responses contain names chosen by others: documents, reports of the journal, objects of the processor. */
const documents = new Set([
  'getOpenApi',
  'getSchema',
  'getConfig',
  'getPrice',
  'getProduct',
  'getMeter',
  'getFullConfig',
  'pullConfig',
  'getRevision',
  'listTemplatePrices',
  'listEnterprisePrices',
  'listProcessorEvents',
  'listTenantAudit',
  'getJob',
  // The change report keeps the specification's names.
  'pushConfig',
  'rollbackConfig',
  'listVersions',
  'resetConfig',
])

function snakeNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name.includes('_') ? [name] : []),
    ...snakeNames(member),
  ])
}
