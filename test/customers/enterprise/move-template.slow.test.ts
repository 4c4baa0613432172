import { expect, test } from 'vitest'
import { refusalOf } from '../../support/stores/store.ts'
import { newAudit } from '../../support/shop/tenant-records.ts'
import { caller, negotiated, nothing, tenantShop, type TenantShop } from '../../support/shop/tenant-shop.ts'

/** More tenants than a job moves concurrently. */
const many = 36

async function tenantsOnGold(shop: TenantShop, total: number): Promise<string[]> {
  const subscriptions: string[] = []
  for (let index = 0; index < total; index++) {
    const customer = await shop.tenant(`t${String(index)}`)
    subscriptions.push((await shop.subscribe(customer, { pro_monthly: index + 1 })).id)
    await shop.apply(`t${String(index)}`)
  }
  await shop.reprice('1.1.0', 'pro_monthly_gold', 650)
  return subscriptions
}

test('one job moves every tenant of a template to the template’s changed price', async () => {
  const shop = await tenantShop(negotiated())
  const subscriptions = await tenantsOnGold(shop, 6)
  await shop.tenant('other')
  await shop.apply('t5', nothing)
  const started = await shop.service.moveTemplate('gold', caller)
  expect(started).toMatchObject({
    kind: 'template_move',
    subject: 'gold',
    author: 'ada',
    message: 'new prices',
    stepsTotal: 5,
  })
  const job = await shop.finished(started.id)
  expect(job).toMatchObject({ state: 'done', stepsDone: 5, error: null, input: { enterprise_template: 'gold' } })
  expect(job.steps.map(({ result }) => result?.['prices_swapped'])).toEqual([1, 1, 1, 1, 1])
  for (const [index, id] of subscriptions.slice(0, 5).entries())
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: index + 1 })
  expect(await shop.items(subscriptions[5] ?? '')).toEqual({ pro_monthly: 6 })
  const applied = (await shop.service.listJobs({ limit: 5, offset: 0, kind: 'enterprise_apply' })).items
  expect(new Set(applied.map(({ message }) => message))).toEqual(new Set(['new prices']))
  const again = await shop.finished((await shop.service.moveTemplate('gold', caller)).id)
  expect(again.steps.map(({ result }) => result?.['prices_swapped'])).toEqual([0, 0, 0, 0, 0])
})

test('a job records the tenant whose step failed, moves the other tenants, and finishes the failed tenant when the job is resumed', async () => {
  const shop = await tenantShop(negotiated())
  const subscriptions = await tenantsOnGold(shop, 4)
  const path = `/v1/subscriptions/${subscriptions[1] ?? ''}`
  shop.sandbox.control.fail({ kind: 'error_before', method: 'POST', path, count: null })
  const { id } = await shop.service.moveTemplate('gold', caller)
  const failed = await shop.finished(id)
  expect(failed).toMatchObject({ state: 'failed', stepsDone: 3 })
  expect(failed.steps.map(({ state }) => state === 'succeeded')).toEqual([true, false, true, true])
  expect(failed.steps[1]?.error).toMatchObject({ tenant_id: 't1' })
  shop.sandbox.control.clearFaults()
  await shop.service.resumeJob(id)
  expect(await shop.finished(id)).toMatchObject({ state: 'done', stepsDone: 4 })
  expect(await shop.items(subscriptions[1] ?? '')).toEqual({ pro_monthly_gold: 2 })
  expect(await refusalOf(shop.service.resumeJob(id))).toBe('job_not_running')
})

test('a job that is cancelled stops after the current tenant, and another job moves the remaining tenants', async () => {
  const shop = await tenantShop(negotiated())
  await tenantsOnGold(shop, many)
  shop.sandbox.control.fail({
    kind: 'latency',
    method: 'POST',
    path: '/v1/subscriptions/*',
    latencyMs: 60,
    count: null,
  })
  const { id } = await shop.service.moveTemplate('gold', caller)
  await shop.service.cancelJob(id, false, caller)
  const job = await shop.finished(id)
  expect(job.state).toBe('cancelled')
  expect(job.stepsDone).toBeLessThan(many)
  expect(await refusalOf(shop.service.cancelJob(id, false, caller))).toBe('job_not_running')
  const rest = await shop.finished((await shop.service.moveTemplate('gold', caller)).id)
  expect(rest.state).toBe('done')
  const swapped = [...job.steps, ...rest.steps].reduce(
    (sum, { result }) => sum + Number(result?.['prices_swapped'] ?? 0),
    0,
  )
  expect(swapped).toBe(many)
})

test('a job skips a tenant that left the template while the job ran', async () => {
  const shop = await tenantShop(negotiated())
  const [subscription = ''] = await tenantsOnGold(shop, 1)
  const { id } = await shop.store.exclusively('tenant:t0', async ({ token }) => {
    const started = await shop.service.moveTemplate('gold', caller)
    await shop.store.tenants.setEnterprise(
      't0',
      { enterpriseTemplate: 'silver', enterpriseId: null, enterpriseEndsAt: null, enterpriseThen: null },
      newAudit('t0', { action: 'apply_template' }),
      token,
    )
    return started
  })
  const before = await shop.items(subscription)
  expect(await shop.finished(id)).toMatchObject({ state: 'done', steps: [{ state: 'skipped' }] })
  expect(await shop.items(subscription)).toEqual(before)
})

test('an outage of the processor stops the job instead of recording a failure for each tenant', async () => {
  const shop = await tenantShop(negotiated())
  await tenantsOnGold(shop, many)
  shop.sandbox.control.fail({ kind: 'error_before', path: '/v1/subscriptions*', count: null })
  const { id } = await shop.service.moveTemplate('gold', caller)
  const job = await shop.finished(id)
  expect(job.state).toBe('failed')
  expect(job.steps.filter(({ state }) => state === 'pending').length).toBeGreaterThan(0)
  shop.sandbox.control.clearFaults()
  await shop.service.resumeJob(id)
  expect(await shop.finished(id)).toMatchObject({ state: 'done', stepsDone: many })
})

test('a job whose process died is interrupted, is not continued automatically, and can be finished by resuming', async () => {
  const shop = await tenantShop(negotiated())
  const subscriptions = await tenantsOnGold(shop, 3)
  await shop.store.exclusively('job:dead', async ({ token }) => {
    const steps = ['t0', 't1', 't2'].map((tenant) => JSON.stringify({ tenant_id: tenant }))
    const input = JSON.stringify({ enterprise_template: 'gold' })
    const head = {
      kind: 'template_move' as const,
      subject: 'gold',
      author: 'ada',
      message: null,
      keyId: 'key_1',
      keyName: 'ci',
      requestId: null,
    }
    await shop.store.jobs.open({ ...head, id: 'dead', input, createdAt: 1, steps }, token)
    await shop.store.jobs.begin('dead', 0, token)
    expect((await shop.service.findJob('dead')).state).toBe('running')
  })
  expect(await shop.service.findJob('dead')).toMatchObject({
    state: 'interrupted',
    steps: [{ state: 'begun' }, {}, {}],
  })
  expect(await refusalOf(shop.service.cancelJob('dead', false, caller))).toBe('job_not_running')
  await shop.service.resumeJob('dead')
  expect(await shop.finished('dead')).toMatchObject({ state: 'done', stepsDone: 3 })
  for (const [index, id] of subscriptions.entries())
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: index + 1 })
  const { items } = await shop.service.tenantAudit('t1', { limit: 1, offset: 0 })
  expect(items).toMatchObject([{ action: 'apply_template', author: 'ada', keyId: 'key_1' }])
})

test('jobs are listed newest first and by kind, and unknown jobs and templates are refused', async () => {
  const shop = await tenantShop(negotiated())
  await tenantsOnGold(shop, 1)
  const { id } = await shop.service.moveTemplate('gold', caller)
  await shop.finished(id)
  const { items, total } = await shop.service.listJobs({ limit: 10, offset: 0, kind: 'template_move' })
  expect({ ids: items.map((job) => job.id), total }).toEqual({ ids: [id], total: 1 })
  const [apply] = (await shop.service.listJobs({ limit: 10, offset: 0, kind: 'enterprise_apply' })).items
  expect(await refusalOf(shop.service.resumeJob(apply?.id ?? ''))).toBe('job_not_running')
  expect(await refusalOf(shop.service.findJob('nothing'))).toBe('job_not_found')
  expect(await refusalOf(shop.service.moveTemplate('bronze', caller))).toBe('enterprise_price_not_found')
})
