// Commands that read the mirror, in a shop with a subscriber on an earlier price.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import type { RunOptions } from '../cli-world.ts'
import { shopWorld, type ShopWorld } from '../shop-world.ts'

const key = 'money-cli-service-key'
let shop: ShopWorld

beforeAll(async () => {
  shop = await shopWorld(key, { RATECARD_MIRROR: 'on', RATECARD_MIRROR_POLL_SECONDS: '1' })
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
  const { stripe } = shop
  const customer = await payingCustomer(stripe, { name: 'Glazeworks' })
  await run(`tenants create glazeworks --name Glazeworks --customer ${customer}`)
  await run('tenants create kiln --name Kiln')
  const { data } = await stripe.prices.list({ active: true, limit: 100 })
  const price = data.find((each) => each.metadata['ratecard_id'] === 'kiln_monthly')
  await stripe.subscriptions.create({ customer, items: [{ price: price?.id ?? '', quantity: 3 }] })
  while (ids(await json('tenants list --state active')).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 100))
})
afterAll(() => shop.close())

const env = () => ({ RATECARD_API_URL: shop.server.url, RATECARD_SERVICE_KEY: key })
const words = (line: string) => line.split(' ')
const run = (line: string, options: RunOptions = {}) => shop.world.run(words(line), { ...options, env: env() })
const json = async (line: string) => {
  const { exit, document } = await shop.world.json(words(line), { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}
const ids = ({ document }: Awaited<ReturnType<typeof json>>) =>
  ((document['tenants'] ?? []) as readonly { id: string }[]).map(({ id }) => id)

describe('the list of tenants on the command line', () => {
  test('can be searched, filtered and sorted, and shows amounts of money', async () => {
    expect(ids(await json('tenants list --search GLAZE'))).toEqual(['glazeworks'])
    expect(ids(await json('tenants list --price kiln_monthly'))).toEqual(['glazeworks'])
    expect(ids(await json('tenants list --sort monthly'))).toEqual(['glazeworks', 'kiln'])
    expect(ids(await json('tenants list --sort monthly --order asc'))).toEqual(['kiln', 'glazeworks'])
    expect(ids(await json('tenants list --owing'))).toEqual([])
    const { stdout } = await run('tenants list')
    expect(stdout).toMatch(/id +name +state +products +a month +owed/)
    expect(stdout).toMatch(/glazeworks +Glazeworks +active +kiln +[€$][\d.,]+/)
  })

  test('refuses an unknown state and names the valid ones', async () => {
    const { exit, stderr } = await run('tenants list --state broke')
    expect(exit).not.toBe(0)
    expect(stderr).toContain('past_due')
  })
})

test('the list of a price’s subscribers shows whether each subscriber pays the current price or a replaced (legacy) price', async () => {
  const { stdout } = await run('billing subscribers kiln_monthly')
  expect(stdout).toMatch(/glazeworks +Glazeworks +active +sub_\w+ .* 3 .* current/)
  expect((await json('billing subscribers kiln_monthly --generation legacy')).document).toMatchObject({
    subscribers: [],
  })
  expect(await json('billing subscribers nothing')).toMatchObject({ exit: 1 })
})

test('the invoices of a tenant are listed; the list is empty for a tenant that never bought anything', async () => {
  expect((await run('tenants invoices glazeworks')).stdout).toMatch(/paid +\d{4}-\d\d-\d\d/)
  expect((await run('tenants invoices kiln')).stdout).toContain('No invoices yet.')
})

describe('the command `ratecard money`', () => {
  test('prints the revenue, the prices that the revenue comes from, and the last pushes', async () => {
    const { stdout } = await run('money')
    expect(stdout).toMatch(/a month of 1 subscription, 1 tenant/)
    expect(stdout).toMatch(/kiln_monthly +1 /)
    expect(stdout).toMatch(/push +version +when/)
  })

  test('prints revenue, days and pushes with --json, and a header line and one line per day with --csv', async () => {
    const { document } = await json('money --days 30')
    expect(document).toMatchObject({ currencies: [{ subscriptions: 1 }], days: [], pushes: [{ revision: 1 }] })
    expect((await run('money --csv')).stdout).toBe(
      'day,currency,mrr,usage_last_period,new,expansion,contraction,churn,reactivation,past_due\n',
    )
  })
})

describe('the export of invoices by the command line', () => {
  test('prints CSV on stdout, and JSON with --json', async () => {
    const { stdout } = await run('invoices export')
    expect(stdout).toMatch(/^date,type,id,number,tenant_id,.*\n\d{4}-\d\d-\d\d,invoice,in_\w+,[^,]*,glazeworks,/)
    const all = await run('invoices export --json')
    expect(JSON.parse(all.stdout)).toMatchObject({ rows: [{ type: 'invoice', tenant_id: 'glazeworks' }] })
  })

  test('writes a complete file with --out, and writes no file if the given day is invalid', async () => {
    expect(await run('invoices export --from 2020-01-01 --out all.csv')).toMatchObject({ exit: 0 })
    expect(readFileSync(path.join(shop.world.cwd, 'all.csv'), 'utf8')).toContain('glazeworks')
    const wrong = await run('invoices export --from 2026-02-30 --out wrong.csv')
    expect([wrong.exit, wrong.stderr.includes('2026-02-30')]).toEqual([1, true])
    expect(() => readFileSync(path.join(shop.world.cwd, 'wrong.csv'))).toThrow('ENOENT')
  })
})
