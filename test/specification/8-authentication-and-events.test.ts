// The specification, "Authentication" and "Events".
import { expect, test } from 'vitest'
import { admin, billing, startPushedApp } from '../support/app.ts'
import { startedForAll } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

const app = startedForAll(() => startPushedApp())

test('public endpoints need no credential', async () => {
  for (const path of [
    'schema',
    'config',
    'config/prices/pro_monthly',
    'config/products/pro',
    'config/meters/api_calls',
  ])
    expect((await app.inject({ url: `${billing}/${path}` })).statusCode).toBe(200)
})

test('admin endpoints need the header X-Service-Key on every request', async () => {
  for (const path of ['config', 'config/history', 'config/pull', 'webhooks', 'enterprise/prices/by-template/gold']) {
    const status = async (headers: Record<string, string>) =>
      (await app.inject({ url: `${admin}/${path}`, headers })).statusCode
    expect([path, await status({}), await status({ 'x-service-key': 'wrong' })]).toEqual([path, 401, 401])
    expect([path, await status({ 'x-service-key': app.key })]).toEqual([path, 200])
  }
})

elsewhere(
  'a client that creates a checkout may send the cookie of a session instead',
  'test/specification/5-enterprise-and-checkout.test.ts',
  'needs a service key or the cookie of a session',
)

test('the webhooks of the configuration are registered at the processor, with their URL and events', async () => {
  const { data } = await app.stripe.webhookEndpoints.list()
  expect(data).toMatchObject([
    {
      url: 'https://hooks.example.test/billing',
      enabled_events: ['invoice.created', 'invoice.paid'],
      status: 'enabled',
    },
  ])
})

elsewhere(
  'the signing secrets can be read with the service key and on the command line',
  'test/specification/4-endpoints.test.ts',
  'GET webhooks lists the webhooks with their signing secrets',
)
elsewhere(
  'a worker verifies the signature of an event',
  'test/workers/runtime/dev.e2e.test.ts',
  'its webhook with signature check',
)
elsewhere(
  'a scheduled event has its time and its expression',
  'test/specification/7-workers.test.ts',
  'may have a `scheduled` handler',
)
