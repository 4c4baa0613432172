// The example `limits` as its README has it: an application whose middleware refuses what is not bought, and offers the prices that allow it.
import type { Client } from '@ratecard/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payPage } from '../../../support/shop/pay-page.ts'
import { startExample, type RunningExample } from '../../../support/programs/running-example.ts'

const patience = { timeout: 30_000 }
let example: RunningExample
let address: string
let client: Client

beforeAll(async () => {
  example = await startExample('limits', 'server.mjs')
  ;({ url: address, client } = example)
  await client.tenants.create({ id: 'acme', name: 'Acme' })
})

afterAll(() => example.close())

async function post(route: string): Promise<[number, unknown]> {
  const answer = await fetch(`${address}${route}`, { method: 'POST', headers: { 'x-tenant': 'acme' } })
  return [answer.status, await answer.json()]
}

/** Buys a price, then waits until a check of the feature shows what it gives. */
async function buy(priceId: string, quantity: number, feature: string, limit: number): Promise<void> {
  const urls = { successUrl: `${address}/done`, cancelUrl: `${address}/back` }
  await payPage((await client.checkout.create({ tenantId: 'acme', priceId, quantity, ...urls })).url)
  await expect
    .poll(async () => (await client.entitlements.check(feature, { tenantId: 'acme' })).limit, patience)
    .toBe(limit)
}

test('a seat includes two projects, and a third project is refused with 402 and the price that allows more projects', async () => {
  expect(await post('/projects')).toEqual([
    402,
    {
      ...{ error: 'not_included', limit: 0, used: 0, resets_at: null },
      offered_by: ['crew_monthly', 'guild_monthly'],
    },
  ])
  await buy('crew_monthly', 2, 'projects', 4)
  // The application keeps a refusal for a second.
  await expect.poll(() => post('/projects'), patience).toEqual([201, { projects: 1 }])
  for (const projects of [2, 3, 4]) expect(await post('/projects')).toEqual([201, { projects }])
  expect(await post('/projects')).toMatchObject([
    402,
    { error: 'limit_reached', limit: 4, used: 4, offered_by: ['guild_monthly'] },
  ])
})

test('an API call is refused before the API is bought, counted afterwards, and accepted beyond the paid allowance', async () => {
  expect(await post('/render')).toMatchObject([402, { error: 'not_included', offered_by: ['api_monthly'] }])
  await buy('api_monthly', 1, 'calls', 1000)
  expect(await post('/render')).toEqual([200, { rendered: true }])
  await client.usage.record({ meter: 'api_calls', value: 999, tenantId: 'acme' })
  expect(await post('/render')).toEqual([200, { rendered: true }])
  const check = await client.entitlements.check('calls', { tenantId: 'acme' })
  expect(check).toMatchObject({ allowed: true, limit: 1000, used: 1001, remaining: 0, beyond: 'allow' })
})
