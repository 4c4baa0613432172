// Lists of tenants and subscribers show paused invoices and planned ends, although the processor still reports the status `active`.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { admin, sampleConfig, startTestApp, type TestApp } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { buy, nobody, sessionOf } from '../../support/shop/selling.ts'

const resumesAtS = Math.floor(Date.now() / 1000) + 40 * 86_400

let test: TestApp
const subscriptions = new Map<string, string>()

beforeAll(async () => {
  test = await startTestApp({ mirror: mirrorSettings })
  await test.push(sampleConfig())
  for (const tenant of ['going', 'leaving', 'resting']) {
    await sessionOf(test, tenant)
    await buy(test, tenant, { price_id: 'pro_monthly', quantity: 1 })
    const customer = (await test.service.findTenant(tenant)).processorCustomerId ?? ''
    const { data } = await test.stripe.subscriptions.list({ customer })
    subscriptions.set(tenant, data[0]?.id ?? '')
  }
  await test.service.createTenant({ id: 'works', name: 'Łódź works' }, nobody)
  await test.stripe.subscriptions.update(subscriptions.get('resting') ?? '', {
    pause_collection: { behavior: 'void', resumes_at: resumesAtS },
  })
  await test.stripe.subscriptions.update(subscriptions.get('leaving') ?? '', { cancel_at_period_end: true })
  await mirrored(test)
})
afterAll(() => test.close())

const get = async (path: string) => (await test.asAdmin({ url: `${admin}/${path}` })).json<Record<string, unknown>>()

async function periodEnd(tenant: string): Promise<string> {
  const { items } = await test.stripe.subscriptions.retrieve(subscriptions.get(tenant) ?? '')
  return new Date((items.data[0]?.current_period_end ?? 0) * 1000).toISOString()
}

it('the list of tenants contains the numbers of paused and ending subscriptions, and the earliest end date', async () => {
  const { tenants } = (await get('tenants')) as { readonly tenants: readonly Record<string, unknown>[] }
  const shown = tenants.map((one) => [
    ...[one['id'], one['billing_status'], one['subscriptions']],
    ...[one['paused_subscriptions'], one['ending_subscriptions'], one['ends_at']],
  ])
  expect(shown).toEqual([
    ['going', 'active', 1, 0, 0, null],
    ['leaving', 'active', 1, 0, 1, await periodEnd('leaving')],
    ['resting', 'active', 1, 1, 0, null],
    ['works', 'none', 0, 0, 0, null],
  ])
})

it('the list of subscribers contains the name of the tenant, the pause and the end date', async () => {
  const { subscribers } = (await get('prices/pro_monthly/subscribers')) as {
    readonly subscribers: readonly Record<string, unknown>[]
  }
  expect(subscribers.map((one) => [one['tenant_name'], one['status'], one['pause'], one['ends_at']])).toEqual([
    ['going', 'active', null, null],
    ['leaving', 'active', null, await periodEnd('leaving')],
    ['resting', 'active', { behavior: 'void', until: new Date(resumesAtS * 1000).toISOString() }, null],
  ])
})
