import { expect, test } from 'vitest'
import { caller, startWorld } from './world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(() => startWorld({ tenant: { id: 'acme', name: 'Acme' } }))

const openPages = async () => (await world.stripe.checkout.sessions.list({ status: 'open' })).data
async function expectGone(): Promise<void> {
  await expect(world.service.findTenant('acme')).rejects.toMatchObject({ code: 'tenant_not_found' })
}

test('a tenant can be removed by a retry after the processor failed to close the tenant’s checkout page', async () => {
  const { sandbox, service } = world
  await world.buy('acme', 'kiln_monthly')
  sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/checkout/sessions/*/expire' })
  await service.removeTenant('acme', caller).catch(() => service.removeTenant('acme', caller))
  expect(await openPages()).toEqual([])
  await expectGone()
})

test.each([
  ['whose customer is known', true],
  ['whose customer is being created', false],
])('a checkout page that is opened while its tenant, %s, is being removed is closed', async (_which, known) => {
  const { sandbox, service } = world
  if (known) await world.buy('acme', 'kiln_monthly')
  sandbox.control.fail({ kind: 'latency', method: 'POST', path: '/v1/checkout/sessions', latencyMs: 300 })
  if (!known) sandbox.control.fail({ kind: 'latency', method: 'POST', path: '/v1/customers', latencyMs: 100 })
  const buying = Promise.allSettled([world.buy('acme', 'kiln_monthly')])
  await expect.poll(() => sandbox.control.faults()).toHaveLength(known ? 0 : 1)
  await service.removeTenant('acme', caller)
  await buying
  expect(await openPages()).toEqual([])
  await expectGone()
})

test('a checkout during the application of a deal sells the negotiated price', async () => {
  const { sandbox, service, stripe } = world
  await world.buy('acme', 'kiln')
  sandbox.control.fail({ kind: 'latency', method: 'GET', path: '/v1/subscriptions', latencyMs: 200 })
  const applying = service.applyEnterprise(
    'acme',
    { kind: 'template', template: 'partner' },
    { ...caller, dryRun: false },
  )
  await expect.poll(() => sandbox.control.faults()).toHaveLength(0)
  const { sessionId } = await world.buy('acme', 'kiln_monthly')
  await applying
  expect(await stripe.checkout.sessions.retrieve(sessionId ?? '')).toMatchObject({ amount_total: 3900 })
})
