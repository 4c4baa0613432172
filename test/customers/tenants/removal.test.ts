// The removal of a tenant with open checkout pages or subscriptions: afterwards no customer without a tenant may be billed.
import { describe, expect, test } from 'vitest'
import type { FaultKind } from '../../../packages/sandbox/src/control/faults.ts'
import { adapterTo, serviceOver } from '../../support/parts.ts'
import { caller, startWorld } from './world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(() => startWorld({ tenant: { id: 'acme', name: 'Acme' } }))

const stays = async () => expect(await world.service.findTenant('acme')).toMatchObject({ name: 'Acme' })
const isGone = () => expect(world.service.findTenant('acme')).rejects.toMatchObject({ code: 'tenant_not_found' })
const statusOf = async (sessionId: string | null) =>
  (await world.stripe.checkout.sessions.retrieve(sessionId ?? '')).status

/** Returns a service on the same store with the key of another account, as after a restart. */
function inAnotherAccount() {
  return serviceOver({ store: world.store, processor: adapterTo(world.sandbox.url, 'sk_test_of_another_account') })
}

describe('the removal of a tenant', () => {
  test('is refused with the key of another account, with which the tenant’s subscriptions cannot be seen', async () => {
    await world.pay((await world.buy('acme', 'kiln_monthly')).url)
    await expect(inAnotherAccount().removeTenant('acme', caller)).rejects.toMatchObject({ code: 'account_mismatch' })
    await stays()
    await expect(world.service.removeTenant('acme', caller)).rejects.toMatchObject({ code: 'conflict' })
  })

  test.each<[FaultKind, string, string]>([
    ['rate_limit', 'POST', '/v1/checkout/sessions/*/expire'],
    ['close_before', 'POST', '/v1/checkout/sessions/*/expire'],
    ['error_before', 'GET', '/v1/checkout/sessions'],
  ])('is refused while a checkout page cannot be closed (%s of %s %s)', async (kind, method, path) => {
    const { sandbox, service } = world
    const { sessionId } = await world.buy('acme', 'kiln_monthly')
    sandbox.control.fail({ kind, method, path, count: null })
    await expect(service.removeTenant('acme', caller)).rejects.toMatchObject({ code: /^processor_/ })
    await stays()
    expect(await statusOf(sessionId)).toBe('open')
    sandbox.control.clearFaults()
    await service.removeTenant('acme', caller)
    await isGone()
    expect(await statusOf(sessionId)).toBe('expired')
  })

  test('waits for a checkout that is creating the tenant’s customer', async () => {
    const { sandbox, service } = world
    sandbox.control.fail({ kind: 'latency', method: 'POST', path: '/v1/customers', latencyMs: 300 })
    const buying = world.buy('acme', 'kiln_monthly')
    await expect.poll(() => sandbox.control.faults()).toHaveLength(0)
    const removal = service.removeTenant('acme', caller)
    expect(await buying).toMatchObject({ sessionId: expect.stringMatching(/^cs_/) })
    await removal
    const { items } = await service.tenantAudit('acme', { limit: 1, offset: 0 })
    const [customer] = (await world.stripe.customers.list()).data
    expect(items).toMatchObject([{ action: 'tenant_deleted', before: { processor_customer_id: customer?.id } }])
  })

  test('fails with tenant_busy while another request changes the tenant', async () => {
    const { store, service } = world
    await store.exclusively('tenant:acme', async () => {
      await expect(service.removeTenant('acme', caller)).rejects.toMatchObject({ code: 'tenant_busy' })
    })
    await stays()
    await service.removeTenant('acme', caller)
    await isGone()
  })
})
