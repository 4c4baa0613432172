// Subscriptions to free prices exist only in Ratecard. They end when they are cancelled, or when a paid one replaces them.
import { beforeEach, describe, expect, it } from 'vitest'
import { admin, billing, startPushedApp } from '../../support/app.ts'
import { buy, urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)
let count = 0
let tenant = ''

beforeEach(async () => {
  tenant = `tenant_${String(++count)}`
  await test.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: { id: tenant, name: 'A tenant' } })
})

interface Listed {
  readonly billing_status: string
  readonly subscriptions: readonly {
    readonly id: string
    readonly home: string
    readonly items: { price_id: string }[]
  }[]
}

const list = async () => (await test.asAdmin({ url: `${admin}/tenants/${tenant}/subscriptions` })).json<Listed>()
const prices = async () => (await list()).subscriptions.map(({ items }) => items.map(({ price_id: id }) => id)).flat()
const checkOut = async (priceId: string) => {
  const payload = { ...urls, price_id: priceId, tenant_id: tenant }
  return test.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
}
const cancel = (subscription: string) =>
  test.asAdmin({
    method: 'DELETE',
    url: `${admin}/tenants/${tenant}/subscriptions/${subscription}`,
    headers: { 'x-ratecard-author': 'Ada' },
  })
const endings = async () => {
  const { entries } = (await test.asAdmin({ url: `${admin}/tenants/${tenant}/audit` })).json<{
    entries: { action: string; author: string | null; result: Record<string, unknown> | null }[]
  }>()
  return entries.filter(({ action }) => action === 'subscription_ended')
}

describe('a free subscription', () => {
  it('can be cancelled once by its id, with an entry in the audit log, and can then be started again', async () => {
    await checkOut('free')
    const id = (await list()).subscriptions[0]?.id ?? ''
    expect((await cancel(id)).statusCode).toBe(204)
    expect(await list()).toMatchObject({ billing_status: 'none', subscriptions: [] })
    expect(await endings()).toMatchObject([
      { author: 'Ada', result: { subscription: id, price_id: 'free', because: 'cancelled' } },
    ])
    const again = await cancel(id)
    expect([again.statusCode, again.json<{ code: string }>().code]).toEqual([404, 'subscription_not_found'])
    await checkOut('free')
    const { subscriptions } = await list()
    expect(subscriptions).toHaveLength(1)
    expect(subscriptions[0]?.id).not.toBe(id)
  })

  it('ends once a paid subscription is bought, but continues while the checkout page is open', async () => {
    await checkOut('free')
    await checkOut('pro_monthly')
    expect(await prices()).toEqual(['free'])
    await buy(test, tenant, { price_id: 'pro_monthly' })
    expect(await prices()).toEqual(['pro_monthly'])
    expect(await endings()).toMatchObject([{ result: { price_id: 'free', because: 'paid' } }])
    expect(await prices()).toEqual(['pro_monthly'])
    expect(await endings()).toHaveLength(1)
  })

  it('continues beside a paid subscription that was bought earlier', async () => {
    await checkOut('free')
    await buy(test, tenant, { price_id: 'pro_monthly' })
    await checkOut('free')
    expect((await prices()).sort()).toEqual(['free', 'pro_monthly'])
  })

  it('can be cancelled at the route for free subscriptions, which returns a 409 for a subscription that the processor bills', async () => {
    await buy(test, tenant, { price_id: 'pro_monthly' })
    const id = (await list()).subscriptions[0]?.id ?? ''
    const refused = await cancel(id)
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'conflict'])
    expect(await prices()).toEqual(['pro_monthly'])
  })
})
