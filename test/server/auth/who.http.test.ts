// The history records the service key of each action beside the author that the caller claims.
import { createClient } from '@ratecard/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { changedConfig, sampleConfig, startTestApp } from '../../support/app.ts'
import { sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startTestApp)
let url: string
beforeAll(async () => {
  url = await test.app.listen({ port: 0, host: '127.0.0.1' })
})

/** Creates a client with a new key. Returns it together with the key as the history shows it. */
async function holder(name: string) {
  const { id, key } = await test.service.createKey(name)
  return { client: createClient({ baseUrl: url, serviceKey: key }), by: { keyId: id, keyName: name } }
}

describe('the service key that made a change', () => {
  it('is recorded with each revision and push, even if the request names another author', async () => {
    const [ada, ci] = [await holder('ada-laptop'), await holder('ci')]
    await ada.client.admin.push(sampleConfig(), { author: 'Ada' })
    const second = changedConfig('1.1.0', ({ products: [first] }) => {
      if (first !== undefined) first.name = 'Renamed'
    })
    await ci.client.admin.push(second, { author: 'Ada' })
    await ci.client.admin.rollback(1, {})
    await ada.client.admin.reset({ author: 'Somebody else' })
    const { versions } = await ci.client.admin.history()
    expect(versions.map(({ kind, author, by }) => [kind, author, by])).toEqual([
      ['reset', 'Somebody else', ada.by],
      ['rollback', null, ci.by],
      ['push', 'Ada', ci.by],
      ['push', 'Ada', ada.by],
    ])
    expect(await ci.client.admin.revision(2)).toMatchObject({ author: 'Ada', by: ci.by })
    const { pushes } = await ci.client.admin.pushes()
    expect(pushes.map(({ by }) => by)).toEqual([ada.by, ci.by, ci.by, ada.by])
    expect(await ci.client.admin.findPush(pushes[0]?.id ?? '')).toMatchObject({ by: ada.by })
    expect((await test.service.doctor()).find(({ check }) => check === 'history')).toMatchObject({ status: 'ok' })
  })

  it('is recorded with each audit row and each job', async () => {
    const [sales, ops] = [await holder('sales'), await holder('ops')]
    await sales.client.admin.push({ ...sampleConfig(), version: '2.0.0' })
    await sales.client.tenants.create({ id: 'acme', name: 'Acme' }, { author: 'Ada' })
    await ops.client.tenants.update('acme', { name: 'Acme Ltd' }, { author: 'Ada' })
    await sales.client.enterprise.applyTemplate({ tenantId: 'acme', enterpriseTemplate: 'gold' }, { author: 'Ada' })
    const { entries } = await ops.client.tenants.audit('acme')
    expect(entries.map(({ action, author, by }) => [action, author, by])).toEqual([
      ['apply_template', 'Ada', sales.by],
      ['tenant_updated', 'Ada', ops.by],
      ['tenant_created', 'Ada', sales.by],
    ])
    expect(entries[0]?.keyId).toBe(sales.by.keyId)
    const job = await ops.client.enterprise.moveTemplate({ enterpriseTemplate: 'gold' }, { author: 'Ada' })
    expect(job).toMatchObject({ author: 'Ada', by: ops.by })
    const { jobs } = await sales.client.jobs.list({ kind: 'template_move' })
    expect(jobs.map(({ by }) => by)).toEqual([ops.by])
  })

  it('is still returned with its name after it was revoked', async () => {
    const brief = await holder('brief')
    await brief.client.tenants.create({ id: 'lasting', name: 'Lasting' })
    await test.service.revokeKey(brief.by.keyId)
    const entries = (await test.service.tenantAudit('lasting', { limit: 1, offset: 0 })).items
    expect(entries).toMatchObject([{ author: null, by: brief.by }])
  })

  it('is null for a change that a tenant’s session made', async () => {
    const cookie = await sessionOf(test, 'itself')
    expect(cookie).not.toBe('')
    const { items } = await test.service.tenantAudit('itself', { limit: 1, offset: 0 })
    expect(items).toMatchObject([{ by: null }])
  })
})
