// Credits of a tenant, as typed.
import { expect, test } from 'vitest'
import { startedForAll } from '../../support/started.ts'
import { shopWorld } from '../shop-world.ts'

const key = 'credits-cli-service-key'
const shop = startedForAll(() => shopWorld(key, { RATECARD_MIRROR: 'on' }))

const env = () => ({ RATECARD_API_URL: shop.server.url, RATECARD_SERVICE_KEY: key })
const run = (...words: string[]) => shop.world.run(words, { env: env() })
const json = async (...words: string[]) => {
  const { exit, document } = await shop.world.json(words, { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}

test('the command line grants credits to a tenant in major units of the currency, lists them, and shows them with the tenant', async () => {
  expect(await run('billing', 'push', '--yes', '--quiet')).toMatchObject({ exit: 0 })
  await run('tenants', 'create', 'glazeworks')
  await expect.poll(() => run('tenants', 'credits', 'glazeworks'), { timeout: 60_000 }).toMatchObject({ exit: 0 })
  expect((await run('tenants', 'credits', 'glazeworks')).stdout).toContain('Balance: no credit')

  const mistakes = [
    ['tenants', 'credits', 'glazeworks', 'take'],
    ['tenants', 'credits', 'glazeworks', 'add', '50', 'euros'],
    ['tenants', 'credits', 'glazeworks', 'add', '0', 'usd'],
    ['tenants', 'credits', 'glazeworks', 'add', '1.234', 'usd'],
    ['tenants', 'credits', 'glazeworks', 'add', '50', 'usd', '--expires', '2020-01-01'],
  ]
  for (const words of mistakes) expect([words, (await run(...words)).exit]).toEqual([words, 2])

  const given = await json(
    ...['tenants', 'credits', 'glazeworks', 'add', '50', 'usd', '--expires', '90d', '--reason', 'Sorry for Monday'],
  )
  expect(given).toMatchObject({
    exit: 0,
    document: { amount: 5000, formatted: '$50.00', category: 'promotional', reason: 'Sorry for Monday' },
  })
  const days = (Date.parse(String(given.document['expires_at'])) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(90)
  expect((await run('tenants', 'credits', 'glazeworks', 'add', '500', 'jpy')).stdout).toContain('¥500 of credit')

  const { stdout } = await run('tenants', 'credits', 'glazeworks')
  expect(stdout).toContain('Balance: ¥500, $50.00')
  expect(stdout).toContain(String(given.document['id']))
  expect((await run('tenants', 'show', 'glazeworks')).stdout).toMatch(/credit {8}¥500, \$50\.00/)
  expect((await json('tenants', 'show', 'glazeworks')).document).toMatchObject({
    credits: [
      { currency: 'jpy', amount: 500 },
      { currency: 'usd', amount: 5000 },
    ],
  })
})
