import { describe, expect, test } from 'vitest'
import { caller, startWorld } from './world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(startWorld)

const change = (processorCustomerId: string | null) =>
  world.service.updateTenant('acme', { processorCustomerId }, caller)
const customer = async () => (await world.service.findTenant('acme')).processorCustomerId

/** Fails the reads that a change of customer needs. */
function silence() {
  for (const path of ['/v1/subscriptions', '/v1/checkout/sessions'])
    world.sandbox.control.fail({ kind: 'error_before', method: 'GET', path, count: null })
}

describe('the customer of a tenant', () => {
  test('cannot be changed or cleared while the tenant is billed, but the tenant’s name can', async () => {
    const { service, stripe } = world
    await service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    await world.pay((await world.buy('acme', 'kiln_monthly')).url)
    const before = await customer()
    const [paid] = (await service.tenantSubscriptions('acme')).subscriptions
    for (const other of [null, 'cus_other'])
      await expect(change(other)).rejects.toMatchObject({
        code: 'conflict',
        message: `The tenant’s current customer still has live subscriptions: ${paid?.id ?? ''}.`,
        hint: expect.stringContaining('cancel them at the processor') as string,
      })
    expect(await customer()).toBe(before)
    expect(await service.tenantSubscriptions('acme')).toMatchObject({ billingStatus: 'active' })
    expect((await service.tenantAudit('acme', { limit: 10, offset: 0 })).items).toHaveLength(1)
    await service.updateTenant('acme', { name: 'Acme Ltd' }, caller)
    await stripe.subscriptions.cancel(paid?.id ?? '')
    expect(await change('cus_other')).toMatchObject({ name: 'Acme Ltd', processorCustomerId: 'cus_other' })
  })

  test('is changed only after its open checkout pages are closed', async () => {
    const { service } = world
    await service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    const { url } = await world.buy('acme', 'kiln_monthly')
    await change(null)
    expect((await world.pay(url)).status).not.toBe(303)
    expect(await customer()).toBeNull()
  })

  test('stays unchanged if a checkout page is paid while the customer is being changed', async () => {
    const { service, sandbox } = world
    await service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    const { url, sessionId } = await world.buy('acme', 'kiln_monthly')
    const before = await customer()
    const path = `/v1/checkout/sessions/${sessionId ?? ''}/expire`
    const { promise: paid, resolve: pay } = Promise.withResolvers<undefined>()
    sandbox.control.fail({ kind: 'latency', method: 'POST', path, until: paid })
    const changing = change('cus_other')
    await expect.poll(() => sandbox.control.faults()).toHaveLength(0)
    expect((await world.pay(url)).status).toBe(303)
    pay(undefined)
    await expect(changing).rejects.toMatchObject({ code: 'conflict', message: /live subscriptions/ })
    expect(await customer()).toBe(before)
  })

  test('is kept while the processor is unavailable, and can be changed if the processor does not have the customer', async () => {
    const { service, sandbox } = world
    await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_mistyped' }, caller)
    silence()
    for (const other of [null, 'cus_other'])
      await expect(change(other)).rejects.toMatchObject({ code: 'processor_unavailable' })
    expect(await customer()).toBe('cus_mistyped')
    sandbox.control.clearFaults()
    expect(await change('cus_other')).toMatchObject({ processorCustomerId: 'cus_other' })
  })

  test('cannot be changed with the key of another account', async () => {
    const { service, store } = world
    await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_1' }, caller)
    await store.facts.set('processor_account', 'acct_other live')
    await expect(change(null)).rejects.toMatchObject({ code: 'account_mismatch' })
    expect(await customer()).toBe('cus_1')
  })

  test('is set for the first time, or to the same value again, without a request to the processor', async () => {
    await world.service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    silence()
    for (const again of [null, 'cus_1', 'cus_1'])
      expect(await change(again)).toMatchObject({ processorCustomerId: again })
  })
})
