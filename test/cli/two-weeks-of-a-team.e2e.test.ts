// Two weeks of a team: three people with a machine each, staging and production, by the command line alone. At the end every subscription
// is on the configured price, every invoice is correct, and the history names the author of each change.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, type CliWorld } from './cli-world.ts'
import { payingCustomer } from '../support/shop/paying-customer.ts'

const environments = ['staging', 'production'] as const
type Environment = (typeof environments)[number]
const people = ['ada', 'bo', 'cy'] as const
type Person = (typeof people)[number]

const worlds = {} as Record<Person, CliWorld>
const servers = {} as Record<Environment, RunningServer>
let data: CliWorld
let stripe: Stripe

beforeAll(async () => {
  data = cliWorld()
  for (const name of environments)
    servers[name] = await startServer({
      env: {
        RATECARD_SANDBOX_PORT: '0',
        RATECARD_SERVICE_KEY: `first-key-of-${name}`,
        RATECARD_LOG_LEVEL: 'silent',
        RATECARD_WORKERS: 'off',
      },
      port: 0,
      dataDir: path.join(data.cwd, name),
      out: () => undefined,
    })
  for (const person of people) worlds[person] = cliWorld()
  const { hostname: host, port } = new URL(servers.production.sandboxUrl ?? '')
  const key = readFileSync(path.join(data.cwd, 'production', 'sandbox-key'), 'utf8').trim()
  stripe = new Stripe(key, { host, port, protocol: 'http', telemetry: false })
})
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()))
  for (const world of [...Object.values(worlds), data]) world.remove()
})

/** The files in the repository, which everyone in the team has. */
let files: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount: 1900, currency: 'usd', interval: 'month' },
        { id: 'pro_gold', amount: 1500, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
        { id: 'pro_silver', amount: 1700, currency: 'usd', interval: 'month', enterprise_template: 'silver' },
        { id: 'pro_acme', amount: 1200, currency: 'usd', interval: 'month', enterprise_id: 'acme' },
      ].map((price) => (price.id === 'pro_monthly' ? price : { ...price, base_price: 'pro_monthly' })) as never,
    },
  ],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once' }],
  promotion_codes: [{ id: 'launch', code: 'LAUNCH', coupon: 'ten' }],
  webhooks: [{ id: 'hook', url: 'https://${HOOK_HOST}/hooks', events: ['invoice.paid'] }],
}
function commit(version: string, change: (config: BillingConfig) => void): void {
  files = { ...structuredClone(files), version }
  change(files)
  for (const person of people) worlds[person].write('ratecard/billing/shop.json', files)
}
const pricesOf = (config: BillingConfig) => config.products.flatMap(({ prices = [] }) => prices)

const run = (person: Person, line: string) => worlds[person].run(line.split(' '))
async function must(person: Person, line: string) {
  const ran = await run(person, line)
  expect([`${person}: ${line}`, ran.exit, ran.stderr.includes('Error')]).toEqual([`${person}: ${line}`, 0, false])
  return ran
}
const json = async (person: Person, line: string) =>
  (await worlds[person].json(line.split(' '))).document as unknown as Record<string, never>

/** Sets up a person's machine: both servers, each with a key of that person. */
async function join(person: Person, scope: Record<Environment, string>): Promise<void> {
  for (const name of environments) {
    const { url } = servers[name]
    const first = ['--api-url', url, '--service-key', `first-key-of-${name}`]
    const made = await worlds.ada.run(['keys', 'create', person, ...scope[name].split(' '), ...first])
    expect(made.exit).toBe(0)
    const variables = {
      RATECARD_API_URL: url,
      RATECARD_SERVICE_KEY: made.stdout.trim(),
      HOOK_HOST: `${name}.example.com`,
    }
    const text = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`)
    worlds[person].write(`ratecard/environments/.env.${name}`, text.join(''))
  }
}

const customers: Record<string, string> = {}
async function subscriber(tenant: string, quantity: number): Promise<void> {
  const id = await payingCustomer(stripe, { name: tenant })
  await must('ada', `tenants create ${tenant} --customer ${id} --env production`)
  customers[tenant] = id
  const { data: live } = await stripe.prices.list({ active: true, lookup_keys: ['pro_monthly'] })
  await stripe.subscriptions.create({ customer: id, items: [{ price: live[0]?.id ?? '', quantity }] })
}
const invoices = async (tenant: string) =>
  (await stripe.invoices.list({ customer: customers[tenant] ?? '' })).data.toReversed().map(({ total }) => total)
const advance = async (days: number) => {
  const key = readFileSync(path.join(data.cwd, 'production', 'sandbox-key'), 'utf8').trim()
  const clock = [
    'sandbox',
    'clock',
    'advance',
    `${String(days)}d`,
    '--url',
    servers.production.sandboxUrl ?? '',
    '--key',
    key,
  ]
  expect(await worlds.ada.run(clock)).toMatchObject({ exit: 0 })
}

test('after two weeks of simulated changes every subscriber is on the configured price, billed correctly, and in the audit log', async () => {
  // Monday: each person gets a key, and what was tested is promoted.
  await join('ada', { staging: '--scope write', production: '--scope write' })
  await join('bo', { staging: '--scope write', production: '--scope write' })
  await join('cy', { staging: '--scope write', production: '--scope read --expires 1s' })
  commit('1.0.0', () => undefined)
  await must('ada', 'billing push --env staging --yes')
  await must('ada', 'billing promote --from staging --to production --yes')
  await subscriber('small', 2)
  await subscriber('deal', 1)

  // Tuesday: a deal, changed twice.
  await must('bo', 'enterprise apply deal --template gold --env production')
  await must('bo', 'enterprise apply deal --id acme --env production')
  await must('bo', 'enterprise apply deal --template silver --env production')

  // Wednesday: a leaked code is switched off in Stripe's dashboard, and a price is renamed.
  const [code] = (await stripe.promotionCodes.list({ code: 'LAUNCH' })).data
  await stripe.promotionCodes.update(code?.id ?? '', { active: false })
  commit('1.1.0', (config) => {
    for (const price of pricesOf(config)) {
      if (price.id === 'pro_monthly') Object.assign(price, { id: 'team_monthly', previous_ids: ['pro_monthly'] })
      else price.base_price = 'team_monthly'
    }
  })
  await must('cy', 'billing push --env staging --yes')
  const renamed = await must('ada', 'billing promote --from staging --to production --yes')
  expect(renamed.stdout + renamed.stderr).toContain('"launch" was switched off at the processor, and stays off')
  expect((await stripe.promotionCodes.retrieve(code?.id ?? '')).active).toBe(false)

  // Thursday: an edit in Stripe's dashboard is found as drift, and taken over into the files.
  const { data: products } = await stripe.products.list({ active: true })
  await stripe.products.update(products[0]?.id ?? '', { name: 'Pro for teams' })
  expect((await run('bo', 'billing drift --env production --exit-code')).exit).toBe(3)
  commit('1.2.0', (config) => {
    if (config.products[0] !== undefined) config.products[0].name = 'Pro for teams'
    if (config.promotion_codes?.[0] !== undefined) config.promotion_codes[0].active = false
  })
  await must('bo', 'billing push --env staging --yes')
  await must('bo', 'billing promote --from staging --to production --yes')
  expect(await json('bo', 'billing drift --env production')).toMatchObject({ in_sync: true })

  // Friday: the price rises, and its subscribers move at their renewal.
  commit('1.3.0', (config) => {
    const price = pricesOf(config).find(({ id }) => id === 'team_monthly')
    if (price !== undefined) price.amount = 2500
  })
  await must('cy', 'billing push --env staging --yes')
  await must('ada', 'billing promote --from staging --to production --yes')
  await must('ada', 'billing migrate --price team_monthly --to renewal --env production --yes')
  const good = (await json('ada', 'billing history --env production'))['versions'] as unknown as { revision: number }[]

  // Second Monday: the webhook secret is rotated, and the files stay the same.
  const secret = await must('bo', 'billing webhook rotate hook --overlap 24h --env production')
  expect(secret.stdout).toMatch(/^whsec_\w+\n$/)
  expect(await json('bo', 'billing drift --env production')).toMatchObject({ in_sync: true })

  // Tuesday: a release with a mistake, taken back.
  commit('1.4.0', (config) => {
    const price = pricesOf(config).find(({ id }) => id === 'team_monthly')
    if (price !== undefined) price.amount = 250
  })
  await must('bo', 'billing push --env staging --yes')
  // Its price replaces one that a subscriber is scheduled to move to, so somebody has to say that this is meant.
  const refused = await run('bo', 'billing promote --from staging --to production --yes')
  expect(refused.stderr).toContain('1 subscriber is scheduled to move to "team_monthly"')
  await must('bo', 'billing promote --from staging --to production --yes --approve-impact')
  await must('ada', `billing rollback ${String(good[0]?.revision)} --env production --yes`)

  // Second Wednesday: a read key has expired.
  await expect
    .poll(async () => (await run('cy', 'billing history --env production')).stderr, { timeout: 20_000 })
    .toContain('service_key_expired')

  // The renewal: each customer pays the amount in the files.
  expect([await invoices('small'), await invoices('deal')]).toEqual([[3800], [1900]])
  await advance(32)
  expect([await invoices('small'), await invoices('deal')]).toEqual([
    [3800, 5000],
    [1900, 1700],
  ])
  for (const [tenant, price] of [
    ['small', 'team_monthly'],
    ['deal', 'pro_silver'],
  ] as const)
    expect(await json('bo', `tenants subscriptions ${tenant} --env production`)).toMatchObject({
      subscriptions: [{ items: [{ price_id: price, legacy: false }] }],
    })

  // The history names the key of each author, whatever name they claim.
  const { versions } = (await json('bo', 'billing history --limit 20 --env production')) as unknown as {
    versions: { kind: string; version: string; by: { key_name: string } | null }[]
  }
  expect(versions.map(({ kind, version, by }) => [kind, version, by?.key_name])).toEqual([
    ['rollback', '1.3.0', 'ada'],
    ['push', '1.4.0', 'bo'],
    ['push', '1.3.0', 'ada'],
    ['push', '1.2.0', 'bo'],
    ['push', '1.1.0', 'ada'],
    ['push', '1.0.0', 'ada'],
  ])
  const trail = await must('ada', 'tenants audit deal --env production')
  expect(trail.stdout.match(/key bo/g)).toHaveLength(3)
  const { jobs } = (await json('bo', 'jobs list --env production')) as unknown as {
    jobs: { kind: string; by: { key_name: string } }[]
  }
  expect(Object.fromEntries(jobs.map(({ kind, by }) => [kind, by.key_name]))).toMatchObject({
    migration: 'ada',
    webhook_rotation: 'bo',
    enterprise_apply: 'bo',
  })
})
