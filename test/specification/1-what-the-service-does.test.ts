// The specification, "What the service does", sentence by sentence. This folder is what the product promises, in the order of the
// specification; a sentence whose test stands elsewhere says where.
import { expect, test } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startPushedApp } from '../support/app.ts'
import { startedForEach } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

const app = startedForEach(() => startPushedApp())

test('1. configurations are JSON documents with a version, and every accepted change is kept in a history', async () => {
  await app.push(changedConfig('1.1.0', ({ products }) => products.pop()))
  const { versions } = (await app.asAdmin({ url: `${admin}/config/history` })).json<{
    versions: { version: string }[]
  }>()
  expect(versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0'])
})

test('2. a push creates what is new, updates what it can, and archives what was removed, which is never deleted', async () => {
  const pushed = await app.push(
    changedConfig('1.1.0', ({ products }) => {
      products.splice(3, 2, { id: 'extra', name: 'Extra' })
      if (products[1] !== undefined) products[1].name = 'Pro plan'
    }),
  )
  expect(pushed.json()).toMatchObject({
    changes: { products: { created: ['extra'], updated: ['pro'], archived: ['backstage', 'announced'] } },
  })
  const { data } = await app.stripe.products.list({ active: false })
  expect(data.map(({ name }) => name).sort()).toEqual(['Announced', 'Backstage'])
})

test('3. a price of zero is a free plan that exists only here', async () => {
  const { data } = await app.stripe.prices.list({ limit: 100 })
  expect(data.filter(({ unit_amount: amount }) => amount === 0)).toEqual([])
  expect((await app.inject({ url: `${billing}/config/prices/free` })).json()).toMatchObject({ price: { amount: 0 } })
})

test('4. ids of the configuration and ids of the processor lead to each other', async () => {
  const { price } = (await app.inject({ url: `${billing}/config/prices/pro_monthly` })).json<{
    price: { processor_id: string }
  }>()
  const back = await app.inject({ url: `${billing}/convert/processor-id/${price.processor_id}` })
  expect(back.json()).toMatchObject({ config_id: 'pro_monthly', processor_id: price.processor_id, item_type: 'price' })
})

test('5. the public configuration has public prices only, and a service key reads all of it', async () => {
  const shown = (await app.inject({ url: `${billing}/config` })).body
  const whole = (await app.asAdmin({ url: `${admin}/config` })).body
  for (const id of ['pro_secret', 'pro_monthly_gold', 'pro_monthly_acme', 'backstage']) {
    expect(shown).not.toContain(id)
    expect(whole).toContain(id)
  }
})

test('6. a tenant gets enterprise prices by a template that many share, or by an enterprise id of its own', async () => {
  await app.service.createTenant({ id: 'acme', name: 'Acme' }, { author: null, by: null, requestId: null })
  const apply = (act: string, payload: object) =>
    app.asAdmin({ method: 'POST', url: `${admin}/enterprise/${act}`, payload: { tenant_id: 'acme', ...payload } })
  expect((await apply('apply-template', { enterprise_template: 'gold' })).statusCode).toBe(200)
  expect((await apply('apply-custom', { enterprise_id: 'acme' })).statusCode).toBe(200)
})

elsewhere(
  '7. a client creates a checkout for a price, and gets the URL to which the customer is sent',
  'test/specification/5-enterprise-and-checkout.test.ts',
  'is created with priceId, successUrl and cancelUrl',
)
elsewhere(
  '8. a command-line tool validates, pushes, pulls, shows the history, resets, gets webhook secrets, and starts projects and deploys workers',
  'test/specification/6-command-line.test.ts',
  'a shell script of thirty lines',
)
elsewhere(
  '9. workers written by users handle HTTP requests and, if they wish, cron schedules',
  'test/specification/7-workers.test.ts',
  'is a module with a `fetch` handler',
)

test('the same document pushed again changes nothing', async () => {
  expect((await app.push(sampleConfig())).json()).toMatchObject({ status: 'unchanged' })
})
