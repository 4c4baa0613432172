// `billing pull` of an account that other programs made: counts, what is left out, secrets in webhook URLs, used-up codes.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Stripe from 'stripe'
import { beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, type CliWorld } from '../cli-world.ts'

const key = 'cli-pull-service-key'
const file = 'ratecard/billing/billing.json'
let world: CliWorld
let stripe: Stripe
let address: string

beforeEach(async () => {
  const home = cliWorld()
  const dataDir = path.join(home.cwd, 'data')
  const server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir,
    out: () => undefined,
  })
  stripe = new Stripe(readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim(), {
    host: '127.0.0.1',
    port: Number(new URL(server.sandboxUrl ?? '').port),
    protocol: 'http',
    telemetry: false,
  })
  address = server.url
  world = cliWorld({ RATECARD_API_URL: address, RATECARD_SERVICE_KEY: key })
  const product = await stripe.products.create({ name: 'Pro\tplan', description: 'one\ntwo' })
  await stripe.prices.create({
    product: product.id,
    currency: 'kwd',
    unit_amount: 5120,
    recurring: { interval: 'month', trial_period_days: 7 },
    lookup_key: 'Pro Monthly (2022)',
  })
  const coupon = await stripe.coupons.create({ id: 'TEN', percent_off: 10, duration: 'once' })
  await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'TEN' })
  await stripe.webhookEndpoints.create({
    url: 'https://hooks.example.com/books?token=s3cr3t',
    enabled_events: ['invoice.paid'],
  })
  return async () => {
    await server.close()
    home.remove()
    world.remove()
  }
})

const text = () => readFileSync(path.join(world.cwd, file), 'utf8')
const read = () => JSON.parse(text()) as { webhooks: { url: string }[]; promotion_codes?: unknown[] }

/** Pulls into the file, and adds the printed lines to the environment file. */
async function pullWithSecrets(): Promise<void> {
  const { stderr } = await world.run(['billing', 'pull', '--output', file])
  const lines = [`RATECARD_API_URL=${address}`, ...(stderr.match(/^ {2}WEBHOOK_.*$/gm) ?? [])]
  world.write('ratecard/environments/.env.dev', lines.map((line) => `${line.trim()}\n`).join(''))
}

describe('ratecard billing pull', () => {
  it('prints the number of objects of every kind and the fields that differ, and replaces secrets with variables', async () => {
    const { exit, stdout, stderr } = await world.run(['billing', 'pull', '--output', file])
    expect(exit).toBe(0)
    expect(stdout).toContain(
      '0 meters, 0 features, 1 product, 1 price, 1 coupon, 1 promotion code, 0 tax rates, 0 portal configurations, 1 webhook.',
    )
    expect(stderr).toMatch(/left out the field recurring\.trial_period_days of price price_\w+: /)
    expect(stderr).toContain('left out 1 field in all; a push changes none of them.')
    const [, name = '', value] = /^ {2}(WEBHOOK_HOOKS_EXAMPLE_COM_[0-9A-F]{6}_TOKEN)=(.*)$/m.exec(stderr) ?? []
    expect(value).toBe('s3cr3t')
    expect(read().webhooks.map(({ url }) => url)).toEqual([`https://hooks.example.com/books?token=\${${name}}`])
    expect(text()).not.toContain('s3cr3t')
  })

  it('prints the names of the variables, but not their values, with --debug', async () => {
    const { stderr } = await world.run(['billing', 'pull', '--output', file, '--debug'])
    expect(stderr).toMatch(/^ {2}WEBHOOK_\w+_TOKEN=\(run again without --debug to see it\)$/m)
    expect(stderr).not.toContain('s3cr3t')
  })

  it('writes a file that can be pushed to adopt all objects without changing them', async () => {
    await pullWithSecrets()
    const { exit, stdout } = await world.run(['billing', 'push', '--yes'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/price +adopted +pro_monthly_2022\n/)
    expect(stdout).toMatch(/^ {2}\[1\/\d\] adopted product /m)
    expect(stdout).not.toMatch(/created|updated/)
    expect(JSON.parse(text())).toMatchObject({ extra_currencies: ['kwd'] })
    const { data } = await stripe.prices.list({})
    expect(data[0]).toMatchObject({ lookup_key: 'Pro Monthly (2022)', unit_amount: 5120 })
    expect((await stripe.products.list({})).data[0]).toMatchObject({ name: 'Pro\tplan', description: 'one\ntwo' })
    const [hook] = (await stripe.webhookEndpoints.list({})).data
    expect(hook?.url).toBe('https://hooks.example.com/books?token=s3cr3t')
  })

  it('leaves out promotion codes that can no longer be redeemed, with --codes active', async () => {
    await pullWithSecrets()
    await world.run(['billing', 'push', '--yes'])
    const [code] = (await stripe.promotionCodes.list({})).data
    await stripe.promotionCodes.update(code?.id ?? '', { active: false })
    await world.run(['billing', 'pull', '--output', file])
    expect(read().promotion_codes).toHaveLength(1)
    await world.run(['billing', 'pull', '--output', file, '--codes', 'active'])
    expect(read().promotion_codes).toEqual([])
  })
})
