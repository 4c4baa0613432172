// Fills a store with rows in every table, and reads all of its content, to compare two stores.
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { mirroredKinds } from '../../../packages/ratecard/src/processor/mirrored.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { mapping, newPush, publish } from '../../support/stores/store.ts'
import { newInvoice, newRefund, newSubscription } from './mirror-records.ts'
import { newAudit, newJob, newLocalSubscription, newSession, newTenant } from '../../support/shop/tenant-records.ts'

const page = { limit: 100, offset: 0 }

export async function fillStore(store: Store): Promise<void> {
  await publish(store, { document: '{"é":"\\u0000"}' }, [
    mapping('price', 'Pro', 'price_1'),
    mapping('price', 'pro', 'price_2'),
  ])
  await publish(store, { author: null, message: 'zwei\n' }, [
    mapping('price', 'pro', 'price_3'),
    mapping('product', '_x', 'prod_1'),
  ])
  await publish(store, { kind: 'reset', document: null })
  const push = newPush({ steps: ['{}', '{}'] })
  const archived = {
    kind: 'coupon',
    configId: configId('welcome'),
    processorId: processorId('welcome'),
    object: '{"id":"welcome"}',
    archivedAt: 1_700_000_000_123,
  } as const
  await store.exclusively('push', async ({ token }) => {
    await store.pushes.open(push, token)
    await store.pushes.begin(push.id, 0, '{}', token)
    await store.pushes.succeed(
      push.id,
      0,
      { processorId: 'we_1', requestId: 'req_1', secret: 'whsec_1', archived },
      token,
    )
    await store.pushes.begin(push.id, 1, '{}', token)
    await store.pushes.settle(push.id, 1, 'unknown', '{"message":"?"}', token)
    await store.pushes.end(push.id, 'interrupted', null, token)
  })
  await store.policies.add({
    rules: '[]',
    author: 'ada',
    message: null,
    keyId: null,
    keyName: null,
    createdAt: 1_700_000_000_000,
  })
  await store.writtenForms.assign(push.id, await store.writtenForms.keep('{"url":"${HOOK}"}', 1_700_000_000_000))
  await store.secrets.saveWebhookSecret('we_2', 'whsec_2')
  await store.serviceKeys.add({
    id: 'key_1',
    name: 'ci',
    hash: 'h',
    hint: 'abcd',
    scope: 'write',
    createdAt: 1,
    expiresAt: null,
    lastUsedAt: null,
    worker: null,
    revokedAt: 2,
  })
  await store.dashboardPasses.add({
    hash: 'p',
    kind: 'session',
    keyId: 'key_1',
    createdAt: 1,
    expiresAt: 2,
    endedAt: null,
  })
  await store.idempotency.claim('k', 'f', 1_700_000_000_000)
  await store.facts.set('account', 'acct_1')
  await store.facts.set('zone', '')
  await store.tenants.add(newTenant({ id: 'acme', processorCustomerId: 'cus_1' }), newAudit('acme', { id: 'audit_1' }))
  await store.sessions.add(newSession('acme', { id: 'session_1' }))
  await store.localSubscriptions.start(newLocalSubscription('acme'))
  const job = newJob()
  await store.exclusively('tenant:acme', async ({ token }) => {
    await store.jobs.open(job, token)
    await store.jobs.settle(job.id, 1, { state: 'succeeded', result: '{"é":1}', error: null }, token)
    await store.jobs.requestCancel(job.id, 3)
    const later = newJob()
    await store.jobs.open(later, token)
    await store.jobs.settle(later.id, 0, { state: 'pending', result: null, error: null, waitsUntil: 9 }, token)
    await store.jobs.wait(later.id, 9, '{}', token)
  })
  await fillMirror(store)
}

async function fillMirror({ mirror }: Store): Promise<void> {
  const filling = { kind: 'refund', after: 're_1', objects: 5 } as const
  await mirror.setState({
    account: 'acct_1',
    filling,
    eventCursor: 'evt_1',
    readUntil: 1,
    beganAt: 2,
    comparedAt: 3,
    corrections: 4,
  })
  const begun = await mirror.beginRead()
  await mirror.save('subscription', [newSubscription('sub_1')], begun)
  await mirror.save('invoice', [newInvoice('in_1', { payments: ['pi_1'] }), newInvoice('in_2')], begun)
  await mirror.save('refund', [newRefund('re_1', { payments: ['pi_1'] })], begun)
  await mirror.remove('invoice', ['in_2'], await mirror.beginRead())
  await mirror.markStale([{ kind: 'price', id: 'price_1', since: 7 }], { event: 'evt_2', readUntil: 8 })
  const standing = { billingStatus: 'active', monthly: { usd: '0.5' }, owed: { usd: 1 }, writtenOff: {} }
  await mirror.saveStandings([{ customer: processorId('cus_1'), ...standing, marked: await mirror.beginRead() }])
  await mirror.save('invoice', [newInvoice('in_3', { customer: processorId('cus_2') })], await mirror.beginRead())
}

async function dumpMirror({ mirror, tenants }: Store) {
  return {
    state: await mirror.state(),
    objects: await Promise.all(mirroredKinds.map((kind) => mirror.page(kind, null, 10))),
    uses: await mirror.usesOf([processorId('price_1')]),
    refunded: await mirror.refundedOf([{ id: 'in_1', payments: ['pi_1'] }]),
    stale: await mirror.stale(10),
    standings: await mirror.standings(null, 10),
    unsummed: await mirror.unsummed(10),
    found: await tenants.list({ ...page, q: 'acm', owing: true }),
  }
}

export async function dumpStore(store: Store) {
  const { items, total } = await store.pushes.list(page)
  const jobs = await store.jobs.list(page)
  return {
    current: await store.versions.current(),
    versions: await store.versions.list(page),
    mappings: await store.mappings.all(),
    pushes: { items: await Promise.all(items.map((push) => store.pushes.find(push.id))), total },
    steps: await Promise.all(items.map((push) => store.pushes.steps(push.id))),
    archived: await store.mappings.archivedObject('welcome'),
    secrets: [await store.secrets.webhookSecret('we_1'), await store.secrets.webhookSecret('we_2')],
    serviceKeys: await store.serviceKeys.list(),
    claim: await store.idempotency.claim('k', 'g', 1_700_000_000_001),
    facts: [await store.facts.get('account'), await store.facts.get('zone')],
    tenants: await store.tenants.list(page),
    audit: await store.tenants.audit('acme', page),
    session: await store.sessions.find('session_1'),
    pass: await store.dashboardPasses.find('p'),
    subscriptions: await store.localSubscriptions.list('acme'),
    jobs,
    jobSteps: await Promise.all(jobs.items.map((job) => store.jobs.steps(job.id))),
    cancels: await Promise.all(jobs.items.map((job) => store.jobs.cancelRequested(job.id))),
    mirror: await dumpMirror(store),
    sequence: await store.changeSequence(),
  }
}
