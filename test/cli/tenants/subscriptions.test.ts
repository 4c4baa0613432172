// Commands that change what a tenant has, as typed.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { shopWorld } from '../shop-world.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'subscription-cli-key'
const shop = startedForAll(() => shopWorld(key))
const env = () => ({ RATECARD_API_URL: shop.server.url, RATECARD_SERVICE_KEY: key })
const run = (line: string) => shop.world.run(line.split(' '), { env: env() })
const json = async (line: string) => {
  const { exit, document } = await shop.world.json(line.split(' '), { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}

beforeAll(async () => {
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
  const customer = await payingCustomer(shop.stripe, { name: 'glazers' })
  await run(`tenants create glazers --customer ${customer}`)
  const { data } = await shop.stripe.prices.list({ active: true, limit: 100 })
  const price = data.find(({ metadata }) => metadata['ratecard_id'] === 'kiln_monthly')
  await shop.stripe.subscriptions.create({ customer, items: [{ price: price?.id ?? '', quantity: 2 }] })
})

describe('ratecard subscriptions', () => {
  test('shows what a change costs, and changes the subscription after a confirmation', async () => {
    const shown = await run('subscriptions preview glazers kiln_monthly=5')
    expect(shown.exit).toBe(0)
    expect(shown.stdout).toMatch(/items\s+kiln_monthly × 2\s+→\s+kiln_monthly × 5/)
    expect(shown.stdout).toMatch(/begins\s+now/)
    const silent = await json('subscriptions change glazers kiln_monthly=5')
    expect(silent).toMatchObject({ exit: 1, document: { error: { code: 'confirmation_required' } } })
    expect(await run('subscriptions change glazers kiln_monthly=5 --yes')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('Changed.') as string,
    })
    expect(await json('subscriptions change glazers kiln_monthly=3 --yes')).toMatchObject({
      document: { status: 'scheduled', after: [{ price_id: 'kiln_monthly', quantity: 3 }] },
    })
    expect((await run('tenants show glazers')).stdout).toMatch(
      /^sub_\w+ from 20..-..-.. ..:..:.. UTC: kiln_monthly × 3$/m,
    )
    expect(await run('subscriptions preview glazers kiln_monthly=a')).toMatchObject({ exit: 2 })
    expect((await run('subscriptions preview glazers kiln_monthly=99999999999')).stderr).toContain(
      '"quantity" must be <= 1000000.',
    )
    expect((await run('tenants audit glazers')).stdout).toMatch(
      /subscription changed\s+kiln_monthly × 2\s+kiln_monthly × 5\s/,
    )
  })

  test('keeps the price that the tenant has, or moves to the price of today on demand', async () => {
    const customer = await payingCustomer(shop.stripe, { name: 'faithful' })
    await run(`tenants create faithful --customer ${customer}`)
    const { data } = await shop.stripe.prices.list({ active: true, limit: 100 })
    const price = data.find(({ metadata }) => metadata['ratecard_id'] === 'kiln_monthly')
    await shop.stripe.subscriptions.create({ customer, items: [{ price: price?.id ?? '', quantity: 2 }] })
    const file = 'ratecard/billing/catalog.json'
    const text = readFileSync(path.join(shop.world.cwd, file), 'utf8')
    shop.world.write(file, text.replace('"amount": 4900,', '"amount": 5900,'))
    expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
    const kept = await run('subscriptions preview faithful kiln_monthly=3')
    expect(kept.stdout).toMatch(/a month\s+€98.00\s+→\s+€147.00/)
    const moved = await run('subscriptions preview faithful kiln_monthly=3 --to-current')
    expect(moved.stdout).toMatch(
      /^! The customer cannot come back to its price of "kiln_monthly": [\s\S]*a month\s+€98.00\s+→\s+€177.00/,
    )
  })

  test('cancels, resumes and pauses a subscription', async () => {
    expect((await run('subscriptions cancel glazers --yes')).stdout).toMatch(
      /is active, ends 20..-..-.. ..:..:.. UTC\./,
    )
    expect(await run('subscriptions resume glazers')).toMatchObject({ exit: 0 })
    const cancelled = await json('subscriptions cancel glazers --reason closing --yes')
    expect(cancelled).toMatchObject({ exit: 0, document: { cancel_at_period_end: true, scheduled: null } })
    expect(await json('subscriptions resume glazers')).toMatchObject({ document: { cancel_at: null } })
    expect(await json('subscriptions pause glazers --behavior keep_as_draft')).toMatchObject({
      document: { pause: { behavior: 'keep_as_draft', until: null } },
    })
    expect((await run('subscriptions resume glazers')).stdout).toContain('is active.')
    expect(await json('subscriptions pause glazers --until 30d')).toMatchObject({
      document: { pause: { behavior: 'void', until: expect.stringMatching(/^20..-..-..T/) as string } },
    })
    expect(await run('subscriptions pause glazers --until 2026-13-40')).toMatchObject({ exit: 2 })
    expect(await run('subscriptions cancel glazers --now --yes')).toMatchObject({
      stdout: expect.stringContaining('is canceled.') as string,
    })
  })
})
