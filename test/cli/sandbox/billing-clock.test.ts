// One clock: a service that runs its own sandbox takes billing time from the sandbox's clock, which `sandbox clock advance` moves.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startedForAll } from '../../support/started.ts'
import { shopWorld } from '../shop-world.ts'

const key = 'billing-clock-key'
const shop = startedForAll(() => shopWorld(key, { RATECARD_MIRROR: 'on' }))

interface Answer {
  readonly [member: string]: unknown
}

/** Runs a command, and returns what it prints with `--json`. */
async function run(line: string): Promise<Answer> {
  const { world, server } = shop
  const env = { RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key }
  const { exit, document } = await world.json(line.split(' '), { env })
  expect({ line, exit, document }).toMatchObject({ exit: 0 })
  return document as unknown as Answer
}

/** Moves the clock of the sandbox account of the service. */
async function advance(time: string): Promise<void> {
  const { world, server } = shop
  const account = readFileSync(path.join(world.cwd, '.ratecard', 'sandbox-key'), 'utf8').trim()
  await run(`sandbox clock advance ${time} --url ${server.sandboxUrl ?? ''} --key ${account}`)
}

const rows = (answer: Answer, name: string) => answer[name] as readonly Answer[]
const timeAt = (answer: Answer | undefined, name: string) => Date.parse(String(answer?.[name]))
const day = 86_400_000

beforeAll(async () => {
  const limits = {
    version: '1.0.0',
    meters: [{ id: 'firings', display_name: 'Firings', event_name: 'firing' }],
    features: [{ id: 'firings', name: 'Firings', type: 'metered', meter: 'firings' }],
    products: [
      {
        id: 'studio',
        name: 'Studio',
        features: [{ id: 'firings', limit: 100, resets: 'billing_period' }],
        prices: [{ id: 'studio_monthly', amount: 3000, currency: 'eur', interval: 'month' }],
      },
    ],
  }
  shop.world.write('ratecard/billing/limits.json', limits)
  await run('billing push --yes')
})

test('a deal that ends while the clock advances is billed until its end, and the list price from the next renewal on', async () => {
  await run('tenants create glazers')
  await run('sandbox buy glazers kiln_monthly=5')
  await run('enterprise apply glazers --template school --until 45d')
  await advance('70d')

  const invoices = rows(await run('tenants invoices glazers'), 'invoices')
  expect(invoices.map(({ total }) => total).toReversed()).toEqual(['24500', '14700', '24500'])
  const audit = rows(await run('tenants audit glazers'), 'entries')
  expect(audit.map(({ action }) => action)).toEqual(['deal_ended', 'apply_template', 'tenant_created'])
  const [ended, applied] = audit
  const days = (timeAt(ended, 'created_at') - timeAt(applied, 'created_at')) / day
  expect(days).toBeCloseTo(45, 3)
})

test('an allowance begins anew, a grant and a credit expire, and durations count from the sandbox’s time', async () => {
  await run('tenants create potters')
  await run('sandbox buy potters studio_monthly')
  await fetch(`${shop.server.url}/api/v1/billing/usage`, {
    method: 'POST',
    headers: { 'x-service-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant_id: 'potters', meter: 'firings', value: 40 }),
  })
  await run('tenants grant potters firings --limit 25 --until 20d')
  await run('tenants credits potters add 10 eur --expires 20d')
  const firings = async () =>
    rows(await run('tenants entitlements potters'), 'features').find(({ id }) => id === 'firings')
  const credit = async () => rows(await run('tenants credits potters'), 'credits')[0]
  expect(await firings()).toMatchObject({ limit: 125, used: 40 })

  await advance('19d')
  expect(await firings()).toMatchObject({ limit: 125, used: 40 })
  expect(await credit()).toMatchObject({ state: 'active' })

  await advance('2d')
  expect(await firings()).toMatchObject({ limit: 100, used: 40 })
  expect(await credit()).toMatchObject({ state: 'expired' })

  await advance('14d')
  expect(await firings()).toMatchObject({ limit: 100, used: 0 })
})

test('a day of revenue is written for each day that passes', async () => {
  const before = rows(await run('money --days 365'), 'days').length
  await advance('10d')
  expect(rows(await run('money --days 365'), 'days')).toHaveLength(before + 10)
})

test('keys, sessions and the service’s own duration stay on real time', async () => {
  const session = await run('tenants session glazers')
  const made = await run('keys create clerk --expires 1d')
  await advance('3d')
  const { server } = shop
  const asked = await fetch(`${server.url}/api/v1/billing/admin/keys/current`, {
    headers: { 'x-service-key': String(made['key']) },
  })
  expect(asked.status).toBe(200)
  const tenant = await fetch(`${server.url}/api/v1/billing/session/subscriptions`, {
    headers: { cookie: `ratecard_session=${String(session['value'])}` },
  })
  expect(tenant.status).toBe(200)
  const health = (await (await fetch(`${server.url}/healthz`)).json()) as Answer
  expect(health['uptime_seconds']).toBeLessThan(3600)
})
