// Features that a tenant may use: read with a key for any tenant, with a session for its own.
import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, startTestApp } from '../../../support/app.ts'
import { payingCustomer } from '../../../support/shop/paying-customer.ts'
import { cookieOf, sessionOf } from '../../../support/shop/selling.ts'
import { startedForAll } from '../../../support/started.ts'

const test = startedForAll(startTestApp)
let cookie: string
let price: string

const features = Array.from({ length: 120 }, (_, index) => ({
  id: `feature_${String(index).padStart(3, '0')}`,
  name: `Feature ${String(index)}`,
}))
/** The id and name of each feature of the answer. */
const named = (body: { features: { id: string; name: string }[] }) => ({
  features: body.features.map(({ id, name }) => ({ id, name })),
})
const ofTenant = async (id: string) => {
  const answer = await test.asAdmin({ url: `${admin}/tenants/${id}/entitlements` })
  return [answer.statusCode, answer.statusCode === 200 ? named(answer.json()) : answer.json()]
}

beforeAll(async () => {
  await test.push(
    changedConfig('1.0.0', (config) => {
      config.features = features
      for (const product of config.products)
        if (product.prices?.some(({ id }) => id === 'pro_monthly')) product.features = features.map(({ id }) => id)
    }),
  )
  price = (await test.stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data[0]?.id ?? ''
  cookie = cookieOf(await sessionOf(test, 'acme'))
})

describe('GET entitlements', () => {
  it('returns an empty list for a tenant without a customer or a subscription', async () => {
    expect(await ofTenant('acme')).toEqual([200, { features: [] }])
    expect((await test.inject({ url: `${billing}/entitlements`, headers: { cookie } })).json()).toEqual({
      features: [],
    })
    expect((await ofTenant('nobody'))[0]).toBe(404)
  })

  it('returns the features of the subscribed products with their configuration ids, even if the processor’s list has several pages', async () => {
    const { stripe } = test
    const customer = await payingCustomer(stripe)
    await test.asAdmin({
      method: 'PATCH',
      url: `${admin}/tenants/acme`,
      payload: { processor_customer_id: customer },
    })
    await stripe.subscriptions.create({ customer, items: [{ price }] })
    expect(await ofTenant('acme')).toEqual([200, { features }])
    const own = await test.inject({ url: `${billing}/entitlements`, headers: { cookie } })
    expect([own.statusCode, named(own.json()), own.headers['cache-control']]).toEqual([200, { features }, 'no-store'])
    expect((await test.inject({ url: `${billing}/entitlements` })).statusCode).toBe(401)
  })

  it('returns an empty list after the end of the subscription', async () => {
    const { data } = await test.stripe.subscriptions.list()
    for (const { id } of data) await test.stripe.subscriptions.cancel(id)
    expect(await ofTenant('acme')).toEqual([200, { features: [] }])
  })
})
