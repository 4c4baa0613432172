// The specification, "States and transitions".
import { expect, test } from 'vitest'
import { admin, changedConfig, sampleConfig, startPushedApp } from '../support/app.ts'
import { startedForEach } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

const app = startedForEach(() => startPushedApp())

const bare = () =>
  changedConfig('2.0.0', (config) => {
    config.products = [{ id: 'only', name: 'Only' }]
    delete config.meters
    delete config.coupons
    delete config.promotion_codes
  })
const active = async () => ({
  products: (await app.stripe.products.list({ active: true, limit: 100 })).data.map(({ name }) => name).sort(),
  prices: (await app.stripe.prices.list({ active: true, limit: 100 })).data.length,
  codes: (await app.stripe.promotionCodes.list({ active: true, limit: 100 })).data.length,
  meters: (await app.stripe.billing.meters.list({ status: 'active' })).data.length,
})

test('what a pushed configuration leaves out is archived: it is not sold any more and stays readable', async () => {
  const { changes } = (await app.push(bare())).json<{ changes: Record<string, object> }>()
  expect(changes['products']).toMatchObject({ archived: ['free', 'pro', 'usage', 'backstage', 'announced'] })
  expect(await active()).toEqual({ products: ['Only'], prices: 0, codes: 0, meters: 0 })
  expect((await app.stripe.prices.list({ active: false, limit: 100 })).data.length).toBeGreaterThan(0)
  const first = await app.asAdmin({ url: `${admin}/config/history/1` })
  expect(first.json()).toMatchObject({ document: { products: sampleConfig().products.map(({ id }) => ({ id })) } })
})

test('a meter that is left out is deactivated', async () => {
  expect((await app.push(bare())).json()).toMatchObject({ changes: { meters: { deactivated: ['api_calls'] } } })
})

test('a reset archives products, prices, meters, coupons and promotion codes', async () => {
  const { statusCode } = await app.asAdmin({ method: 'POST', url: `${admin}/config/reset` })
  expect(statusCode).toBe(200)
  expect(await active()).toEqual({ products: [], prices: 0, codes: 0, meters: 0 })
  expect((await app.stripe.coupons.list()).data).toEqual([])
})

test('a tenant has a template or an enterprise id, and applying one clears the other', async () => {
  await app.service.createTenant({ id: 't', name: 'T' }, { author: null, by: null, requestId: null })
  const apply = async (act: string, payload: object) => {
    await app.asAdmin({ method: 'POST', url: `${admin}/enterprise/${act}`, payload: { tenant_id: 't', ...payload } })
    return (await app.asAdmin({ url: `${admin}/tenants/t` })).json<object>()
  }
  expect(await apply('apply-template', { enterprise_template: 'gold' })).toMatchObject({
    ...{ enterprise_template: 'gold', enterprise_id: null },
  })
  expect(await apply('apply-custom', { enterprise_id: 'acme' })).toMatchObject({
    ...{ enterprise_template: null, enterprise_id: 'acme' },
  })
  expect(await apply('apply-template', { enterprise_template: 'gold' })).toMatchObject({ enterprise_id: null })
})

elsewhere(
  'applying enterprise pricing swaps the matching items of the tenant’s subscriptions',
  'test/specification/5-enterprise-and-checkout.test.ts',
  'every item whose price has an enterprise price is swapped',
)

test('a push that passes validation is recorded with its differences, and one that does not pass is not recorded', async () => {
  const broken = await app.push(changedConfig('1.1.0', ({ products }) => products.push({ id: 'pro', name: 'Twice' })))
  expect(broken.statusCode).toBe(422)
  await app.push(changedConfig('1.1.0', ({ products }) => products.push({ id: 'next', name: 'Next' })))
  const { versions } = (await app.asAdmin({ url: `${admin}/config/history` })).json<{ versions: object[] }>()
  expect(versions).toHaveLength(2)
  expect(versions[0]).toMatchObject({ version: '1.1.0', changes: { products: { created: ['next'] } } })
})
