// For random histories of documents, subscriptions, free subscriptions, grants and usage, a check returns what a slow reference computes
// from the contract's sentences.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { createService, type Service } from '../../../../packages/ratecard/src/server/service/service.ts'
import { createSealer, generateMasterKey } from '../../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../../packages/ratecard/src/store/sql/open-store.ts'
import type { KyselyStore } from '../../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { newInvoice, newItem, newSubscription } from '../../../store/suite/mirror-records.ts'
import { arbitraryHistory, productId, productKeys } from '../../../support/generated/arbitrary-entitlements.ts'
import type { EntitlementHistory, HistorySubscription } from '../../../support/generated/arbitrary-entitlements.ts'
import { expectedCheck } from '../../../support/generated/entitlement-reference.ts'
import { mirrorSettings } from '../../../support/mirror.ts'
import { sharedSandbox } from '../../../support/shared-sandbox.ts'
import { adapterTo } from '../../../support/parts.ts'
import { mapping, publish } from '../../../support/stores/store.ts'
import { newAudit, newLocalSubscription, newTenant } from '../../../support/shop/tenant-records.ts'

const { sandbox } = sharedSandbox()
const sealer = createSealer(generateMasterKey())
const customer = processorId('cus_acme')
const runs = Number(process.env['ENTITLEMENT_RUNS'] ?? 40)

/** Stores the history as pushes, the mirror, operators and reports would have stored it. */
async function remember(store: KyselyStore, history: EntitlementHistory): Promise<void> {
  for (const { at, document, generations } of history.revisions) {
    const renamed = document.features?.some(({ id }) => id === 'workspaces') ?? false
    const mappings = productKeys.flatMap((key) => {
      const generation = generations[key]
      if (generation === undefined) return []
      return [
        mapping('product', productId(key, { renamed }), `prod_${key}`),
        mapping('price', `${key}_month`, `price_${key}_${String(generation)}`),
        mapping('price', `${key}_calls`, `price_${key}_calls`),
      ]
    })
    await publish(store, { createdAt: at - 5, document: JSON.stringify(document), version: document.version }, mappings)
  }
  await store.tenants.add(newTenant({ id: 'acme', processorCustomerId: customer }), newAudit('acme'))
  const subscriptions = history.subscriptions.map(mirrored)
  await store.mirror.save('subscription', subscriptions, await store.mirror.beginRead())
  const invoices = history.subscriptions.flatMap(({ id, invoices: own }) =>
    own.map(({ status, dueAt, finalizedAt }, index) =>
      newInvoice(`in_${id}_${String(index)}`, { customer, subscription: id, status, dueAt, finalizedAt }),
    ),
  )
  await store.mirror.save('invoice', invoices, await store.mirror.beginRead())
  const { now } = history
  const complete = { filling: null, eventCursor: '', readUntil: now, beganAt: 1, comparedAt: 1, comparing: null }
  await store.mirror.setState({ account: 'acct_1', corrections: 0, ...complete })
  for (const key of history.free)
    await store.localSubscriptions.start(newLocalSubscription('acme', { priceId: `${key}_free` }))
  for (const { feature, limit, enabled, replace, endsAt } of history.grants) {
    const granted = limit === undefined ? null : String(limit)
    const switched = enabled === undefined ? null : enabled ? 'on' : 'off'
    const grant = { tenantId: 'acme', feature, granted, switched, endsAt, note: null, createdAt: now } as const
    await store.grants.put({ ...grant, mode: replace ? 'replace' : 'add' }, newAudit('acme'))
  }
  for (const [index, { at, value }] of history.usage.entries()) {
    const report = { tenantId: 'acme', meter: 'api_call', identifier: String(index), usedAt: at, rangeStart: at }
    await store.usage.hold({ ...report, value: String(value), event: '{}', createdAt: now }, 'sum', [])
  }
}

function mirrored({ id, status, collectionPaused, items }: HistorySubscription) {
  return newSubscription(id, {
    ...{ customer, status, paused: collectionPaused ? { behavior: 'void', resumesAt: null } : null },
    items: items.map(({ product, generation, quantity, start, end }, index) => {
      const item = newItem(
        `si_${id}_${String(index)}`,
        `price_${product}_${generation === null ? 'calls' : String(generation)}`,
      )
      const price = { ...item.price, product: processorId(`prod_${product}`) }
      return { ...item, price, quantity, currentPeriodStart: start, currentPeriodEnd: end }
    }),
  })
}

const serviceOver = (store: KyselyStore, now: number): Service =>
  createService({
    settings: { requireVersionBump: false, workers: 'off' },
    ...{
      store,
      processor: adapterTo(sandbox.url, 'sk_test_entitlements'),
      processorName: 'sandbox',
      processorMode: 'sandbox',
    },
    clock: { now: () => now },
    mirror: mirrorSettings,
  })

/** Returns the checks of the service and of the reference, and both lists of entitlements. */
async function bothAnswers(history: EntitlementHistory, used: number, requested: number) {
  const store = await openStore({ url: null, file: ':memory:', sealer })
  try {
    await remember(store, history)
    const service = serviceOver(store, history.now)
    const features = (history.revisions.at(-1)?.document.features ?? []).map(({ id, type }) =>
      type === 'limit' ? { feature: id, used, requested } : { feature: id, requested },
    )
    const checks = await service.checkFeatures(features, { kind: 'key', keyId: 'key_1', tenantId: 'acme' })
    const listed = (await service.tenantEntitlements('acme')).features.map(({ id }) => id)
    await service.close()
    const ours = checks.map(({ feature: _, type: __, asOf: ___, ...check }) => check)
    const expected = features.map(({ feature, ...question }) => expectedCheck(history, feature, question))
    const included = features.filter((_, index) => expected[index]?.included).map(({ feature }) => feature)
    return { ours, theirs: expected.map(({ included: _, ...check }) => check), listed, included: included.sort() }
  } finally {
    await store.close()
  }
}

test('the check of a feature has the same result as a simple reference calculation over the whole history', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryHistory, fc.nat(30), fc.integer({ min: 1, max: 9 }), async (history, used, requested) => {
      const { ours, theirs, listed, included } = await bothAnswers(history, used, requested)
      expect(ours).toEqual(theirs)
      expect(listed).toEqual(included)
    }),
    { numRuns: runs },
  )
})
