// Discounts of running subscriptions, as typed.
import { expect, test } from 'vitest'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForAll } from '../../support/started.ts'
import { shopWorld } from '../shop-world.ts'

const key = 'discounts-cli-service-key'
const shop = startedForAll(async () => {
  const started = await shopWorld(key)
  started.world.write('ratecard/billing/coupons.json', {
    version: '1.0.0',
    products: [],
    coupons: [{ id: 'loyal_20', percent_off: 20, duration: 'forever' }],
    promotion_codes: [{ id: 'code_loyal', code: 'LOYAL', coupon: 'loyal_20' }],
  })
  return started
})

const env = () => ({ RATECARD_API_URL: shop.server.url, RATECARD_SERVICE_KEY: key })
const run = (line: string) => shop.world.run(line.split(' '), { env: env() })
const json = async (line: string) => {
  const { exit, document } = await shop.world.json(line.split(' '), { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}

test('the command line previews, applies, lists and removes discounts', async () => {
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
  const customer = await payingCustomer(shop.stripe, { name: 'Glazeworks' })
  await run(`tenants create glazeworks --customer ${customer}`)
  const { data } = await shop.stripe.prices.list({ active: true, limit: 100 })
  const price = data.find(({ metadata }) => metadata['ratecard_id'] === 'kiln_monthly')?.id ?? ''
  const { id } = await shop.stripe.subscriptions.create({ customer, items: [{ price }] })
  expect((await run('tenants discounts list glazeworks')).stdout).toContain('No subscription has a discount.')

  const refused = await run('tenants discounts add glazeworks')
  expect(refused).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Give either --coupon or --code.') as string,
  })
  expect(await json('tenants discounts add glazeworks --coupon nothing')).toMatchObject({
    exit: 1,
    document: { error: { code: 'discount_invalid' } },
  })
  const planned = await run('tenants discounts add glazeworks --coupon loyal_20 --dry-run')
  expect(planned.stdout).toMatch(new RegExp(`^ +${id} {2}next invoice \\S+ → \\S+`))
  expect(await json('tenants discounts list glazeworks')).toEqual({ exit: 0, document: { discounts: [] } })

  const given = await json('tenants discounts add glazeworks --code loyal')
  expect(given).toMatchObject({
    exit: 0,
    document: { coupon_id: 'loyal_20', promotion_code_id: 'code_loyal', subscription: id, ends_at: null },
  })
  const discount = String(given.document['id'])
  expect((await run('tenants discounts list glazeworks')).stdout).toContain(discount)
  expect(await run(`tenants discounts remove glazeworks ${discount}`)).toMatchObject({ exit: 1 })
  const removed = await run(`tenants discounts remove glazeworks ${discount} --yes`)
  expect(removed).toMatchObject({ exit: 0, stdout: expect.stringContaining(`Took ${discount} away.`) as string })
  expect(await json('tenants discounts list glazeworks')).toEqual({ exit: 0, document: { discounts: [] } })
})
