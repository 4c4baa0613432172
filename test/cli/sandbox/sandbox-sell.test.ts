// Selling at the sandbox by hand: what a founder types before the application can sell.
import { createServer } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { listenLocally } from '../../support/listen.ts'
import { shopWorld } from '../shop-world.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'sandbox-sell-key'
const shop = startedForAll(() => shopWorld(key, { RATECARD_MIRROR: 'on', RATECARD_MIRROR_POLL_SECONDS: '1' }))
const env = () => ({ RATECARD_API_URL: shop.server.url, RATECARD_SERVICE_KEY: key })
const run = (line: string) => shop.world.run(line.split(' '), { env: env() })
const json = async (line: string) => {
  const { exit, document } = await shop.world.json(line.split(' '), { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}

beforeAll(async () => {
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
})

describe('ratecard sandbox buy', () => {
  test('sells to a tenant, and prints the subscription, its invoice and what is billed next', async () => {
    await run('tenants create glazers')
    const { exit, stdout } = await run('sandbox buy glazers kiln_monthly=5')
    expect(exit).toBe(0)
    expect(stdout).toMatch(/✓ glazers bought kiln_monthly=5\./)
    expect(stdout).toMatch(/^subscription {2}sub_\w+\s+kiln_monthly × 5: active$/m)
    expect(stdout).toMatch(/^invoice\s+\S+-0001\s+€245\.00, paid$/m)
    expect(stdout).toMatch(/^next\s+20..-..-.. ..:..:.. UTC\s+€245\.00$/m)
  })

  test('sells what is paid once, as JSON', async () => {
    await run('tenants create once')
    expect(await json('sandbox buy once kiln')).toMatchObject({
      exit: 0,
      document: { subscriptions: [], invoices: [{ type: 'payment', formatted: '€99.00' }] },
    })
  })

  test('sells what is billed by usage, without an invoice at the beginning', async () => {
    await run('tenants create metered')
    expect(await json('sandbox buy metered sensor_readings')).toMatchObject({
      exit: 0,
      document: { subscriptions: [{ status: 'active', items: [{ quantity: null }] }], invoices: [] },
    })
  })

  test('buys nothing with a card that is declined, and the page can be paid afterwards', async () => {
    await run('tenants create poor')
    const declined = await json('sandbox buy poor kiln_monthly --card declined')
    expect(declined).toMatchObject({ exit: 1, document: { error: { code: 'payment_declined' } } })
    expect(await json('tenants subscriptions poor')).toMatchObject({ document: { subscriptions: [] } })
    const { hint } = declined.document['error'] as { readonly hint: string }
    const page = /http:\S+/.exec(hint)?.[0] ?? ''
    expect(await run(`sandbox pay ${page} --card declined`)).toMatchObject({ exit: 1 })
    expect(await run(`sandbox pay ${page}`)).toMatchObject({ exit: 0, stdout: '✓ The page is paid.\n' })
    expect(await json('tenants subscriptions poor')).toMatchObject({
      document: { subscriptions: [{ status: 'active' }] },
    })
  })

  test('refuses a second subscription, and names the command that changes the first one', async () => {
    await run('tenants create loyal')
    await run('sandbox buy loyal kiln_monthly')
    expect(await run('sandbox buy loyal kiln_yearly')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('ratecard subscriptions change') as string,
    })
  })

  test.each([
    ['sandbox buy nobody kiln_monthly', 1, 'There is no tenant "nobody".'],
    ['sandbox buy glazers kiln_weekly', 1, 'There is no price "kiln_weekly".'],
    ['sandbox buy glazers kiln_monthl', 1, 'hint: Did you mean "kiln_monthly"?'],
    ['sandbox buy glazers kiln_sensors', 1, '"kiln_sensors" is a product; its prices: sensor_readings.'],
    ['sandbox buy glazers kiln_monthly=0', 2, '"kiln_monthly=0" is not a valid item.'],
    ['sandbox buy glazers', 2, "Missing required argument 'prices'."],
    ['sandbox buy glazers kiln_monthly --card stolen', 2, '--card'],
  ])('`%s` says what is wrong', async (line, exit, says) => {
    const ran = await run(line)
    expect(ran.exit).toBe(exit)
    expect(ran.stderr).toContain(says)
  })
})

describe('ratecard sandbox clock advance', () => {
  test.each(['2027-02-30', '2027-02-30T00:00:00Z', '2027-01-31T00:00:00'])(
    'refuses %s, which does not exist or has no zone',
    async (time) => {
      expect(
        await run(`sandbox clock advance ${time} --url ${shop.server.sandboxUrl ?? ''} --key sk_test_other`),
      ).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining(`"${time}" is not a valid time.`) as string,
      })
    },
  )
})

describe('ratecard sandbox pay', () => {
  test('refuses pages that are not those of a sandbox', async () => {
    expect(await json(`sandbox pay ${shop.server.url}/pay/cs_test_x`)).toMatchObject({
      exit: 1,
      document: { error: { code: 'not_a_sandbox' } },
    })
    expect(await run('sandbox pay cs_test_x')).toMatchObject({ exit: 2 })
  })

  test('says that nothing answers at the address of the page', async () => {
    const server = createServer()
    const port = await listenLocally(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await json(`sandbox pay http://127.0.0.1:${String(port)}/pay/cs_test_x`)).toMatchObject({
      exit: 70,
      document: { error: { code: 'server_unreachable' } },
    })
  })

  test('says that a sandbox does not have the page', async () => {
    expect(await json(`sandbox pay ${shop.server.sandboxUrl ?? ''}/pay/cs_test_x`)).toMatchObject({
      exit: 1,
      document: { error: { code: 'sandbox_refused' } },
    })
  })
})
