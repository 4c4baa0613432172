// Entitlement features: the list in the document, the features of products, and the order in which they are removed.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const { sandbox } = sharedSandbox()
const stack = startedForEach(() => startStack({ sandbox }))

const sso = { id: 'sso', name: 'Single sign-on' }
const audit = { id: 'audit_log', name: 'Audit log' }
const prices = [{ id: 'pro_monthly', amount: 1200, currency: 'eur' as const, interval: 'month' as const }]

function document(features: BillingConfig['features'], carried?: string[]): BillingConfig {
  return {
    version: '1.0.0',
    ...(features === undefined ? {} : { features }),
    products: [{ id: 'pro', name: 'Pro', ...(carried === undefined ? {} : { features: carried }), prices }],
  }
}

const none = { created: [], updated: [], archived: [] }

/** Lookup keys of the product’s active features at the processor. */
async function carriedBy({ stripe }: Stack, product = 'rc_pro'): Promise<string[]> {
  const { data } = await stripe.products.listFeatures(product)
  return data.flatMap(({ entitlement_feature: one }) => (one.active ? one.lookup_key : [])).sort()
}

async function stepsOf({ store }: Stack, pushId: string | null): Promise<string[]> {
  const records = await store.pushes.steps(pushId ?? '')
  return records
    .map(({ step }) => JSON.parse(step) as { op: string; kind: string; configId: string })
    .map(({ op, kind, configId }) => `${op} ${kind} ${configId}`)
}

describe('features of a document:', () => {
  it('features are created before the products, and attached to them afterwards', async () => {
    const outcome = await stack.service.push(document([sso, audit], ['sso', 'audit_log']), nobody)
    expect(outcome.changes.features).toEqual({ ...none, created: ['sso', 'audit_log'] })
    expect(await stepsOf(stack, outcome.pushId)).toEqual([
      'create feature sso',
      'create feature audit_log',
      'create product pro',
      'create price pro_monthly',
      'attach product pro',
      'attach product pro',
    ])
    expect(await carriedBy(stack)).toEqual(['audit_log', 'sso'])
    expect((await stack.service.drift()).inSync).toBe(true)
  })

  it('removed features are detached from their products, and then archived', async () => {
    await stack.service.push(document([sso, audit], ['sso', 'audit_log']), nobody)
    const outcome = await stack.service.push(document([sso], ['sso']), nobody)
    expect(outcome.changes).toMatchObject({
      features: { ...none, archived: ['audit_log'] },
      products: { ...none, updated: ['pro'] },
    })
    expect(outcome.details.find(({ kind }) => kind === 'product')?.fields).toEqual([
      { field: 'features', before: ['audit_log', 'sso'], after: ['sso'], origin: 'edit' },
    ])
    expect(await stepsOf(stack, outcome.pushId)).toEqual(['detach product pro', 'archive feature audit_log'])
    expect(await carriedBy(stack)).toEqual(['sso'])
    // A rollback creates another object, because archiving a feature is final.
    const back = await stack.service.rollback(1, nobody)
    expect(back.changes.features).toEqual({ ...none, created: ['audit_log'] })
    expect(await carriedBy(stack)).toEqual(['audit_log', 'sso'])
    expect((await stack.service.push(document([sso, audit], ['sso', 'audit_log']), nobody)).status).toBe('unchanged')
  })

  it('a reactivated product gets its features attached again, and features that the document no longer lists are detached', async () => {
    const other = { id: 'other', name: 'Other' }
    const without: BillingConfig = { version: '2.0.0', features: [sso, audit], products: [other] }
    await stack.service.push(document([sso, audit], ['sso', 'audit_log']), nobody)
    await stack.service.push(without, nobody)
    // Archiving a product detaches nothing, so that its subscribers keep their entitlements.
    expect(await carriedBy(stack)).toEqual(['audit_log', 'sso'])
    const back = await stack.service.push({ ...document([sso, audit], ['sso']), version: '3.0.0' }, nobody)
    expect(await carriedBy(stack)).toEqual(['sso'])
    expect((await stepsOf(stack, back.pushId)).filter((step) => /attach|detach/.test(step))).toEqual([
      'detach product pro',
    ])
    expect((await stack.service.drift()).inSync).toBe(true)
    await stack.service.push({ ...without, version: '4.0.0' }, nobody)
    expect((await stack.service.rollback(1, nobody)).status).toBe('applied')
    expect(await carriedBy(stack)).toEqual(['audit_log', 'sso'])
  })

  it('features stay detached after a forced push if their product was archived at the processor', async () => {
    const config = document([sso], ['sso'])
    await stack.service.push(config, nobody)
    await stack.stripe.products.update('rc_pro', { active: false })
    const forced = await stack.service.push(config, { ...nobody, force: true })
    expect((await stepsOf(stack, forced.pushId)).filter((step) => step.startsWith('attach'))).toEqual([])
    expect(await carriedBy(stack)).toEqual(['sso'])
    expect((await stack.service.drift()).inSync).toBe(true)
  })

  it('a renamed feature remains the same object with the same lookup key', async () => {
    await stack.service.push(document([sso], ['sso']), nobody)
    const [made] = (await stack.snapshot()).feature
    const renamed = document(
      [{ id: 'single_sign_on', name: 'Single sign-on', previous_ids: ['sso'] }],
      ['single_sign_on'],
    )
    const outcome = await stack.service.push(renamed, nobody)
    expect(outcome.details).toMatchObject([{ kind: 'feature', action: 'rename', configId: 'single_sign_on' }])
    expect(outcome.changes.features).toEqual({ ...none, updated: ['single_sign_on'] })
    const [kept] = (await stack.snapshot()).feature
    expect(kept).toMatchObject({ processorId: made?.processorId, fields: { lookupKey: 'sso' }, mark: 'single_sign_on' })
    const conversion = await stack.service.convert(String(made?.processorId), { hidden: true })
    expect(conversion).toMatchObject({ configId: 'single_sign_on', itemType: 'feature', current: true })
    expect((await stack.service.push(renamed, nobody)).status).toBe('unchanged')
  })

  it('features attached or detached at the processor are reported as drift, and a push repairs the drift', async () => {
    const { stripe, service } = stack
    const config = document([sso, audit], ['sso'])
    await service.push(config, nobody)
    const { data } = await stripe.products.listFeatures('rc_pro')
    await stripe.products.deleteFeature('rc_pro', String(data[0]?.id))
    const feature = (await stripe.entitlements.features.list({ lookup_key: 'audit_log' })).data[0]
    await stripe.products.createFeature('rc_pro', { entitlement_feature: String(feature?.id) })
    const drift = await service.drift()
    expect(drift.differences).toMatchObject([
      { kind: 'product', configId: 'pro', fields: [{ field: 'features', before: ['audit_log'], after: ['sso'] }] },
    ])
    await service.push(config, nobody)
    expect(await carriedBy(stack)).toEqual(['sso'])
    expect((await service.drift()).inSync).toBe(true)
  })

  it('features archived at the processor stay archived, and do not block a push', async () => {
    const { stripe, service } = stack
    const config = document([sso, audit], ['sso'])
    await service.push(config, nobody)
    const [feature] = (await stripe.entitlements.features.list({ lookup_key: 'sso' })).data
    await stripe.entitlements.features.update(String(feature?.id), { active: false })
    const next = {
      ...config,
      version: '1.1.0',
      products: [{ ...config.products[0], id: 'pro', name: 'Professional' }],
    }
    const outcome = await service.push(next, nobody)
    expect(outcome.warnings.map(({ code }) => code)).toContain('switched_off_at_processor')
    const forced = await service.push(next, { ...nobody, force: true })
    expect(forced.changes.features).toEqual({ ...none, updated: ['sso'] })
    expect(await carriedBy(stack)).toEqual(['sso'])
  })

  it('an unmanaged object whose name is not in Latin letters is pulled with an id that is derived from its kind', async () => {
    const { stripe, service } = stack
    const product = await stripe.products.create({ name: '製品' })
    await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 100 })
    await stripe.entitlements.features.create({ name: '機能', lookup_key: 'ключ' })
    const features = { invoice_history: { enabled: true } }
    await stripe.billingPortal.configurations.create({ features })
    await stripe.billingPortal.configurations.create({ business_profile: { headline: 'プロ版' }, features })
    const { document } = await service.pull()
    expect(document.products.map(({ id }) => id)).toEqual(['product'])
    expect(document.features?.map(({ id }) => id)).toEqual(['feature'])
    expect(document.portal?.map(({ id }) => id)).toEqual(['portal'])
  })

  it('unmanaged features are pulled, and adopted by writing only metadata', async () => {
    const { stripe, service } = stack
    const product = await stripe.products.create({ name: 'Theirs' })
    const feature = await stripe.entitlements.features.create({ lookup_key: 'Their key!', name: 'Theirs' })
    await stripe.products.createFeature(product.id, { entitlement_feature: feature.id })
    const { document: pulled, unrepresentable } = await service.pull()
    expect(unrepresentable).toEqual([])
    expect(pulled.features).toEqual([
      { id: 'their_key', name: 'Theirs', lookup_key: 'Their key!', processor_id: feature.id },
    ])
    expect(pulled.products[0]?.features).toEqual(['their_key'])
    const { details } = await service.push(pulled, nobody)
    expect(details.map(({ action }) => action)).toEqual(['adopt', 'adopt'])
    expect((await service.push(pulled, nobody)).status).toBe('unchanged')
  })

  it('features that no version of the document has ever listed stay attached', async () => {
    const { stripe, service } = stack
    await service.push(document(undefined), nobody)
    const feature = await stripe.entitlements.features.create({ lookup_key: 'theirs', name: 'Theirs' })
    await stripe.products.createFeature('rc_pro', { entitlement_feature: feature.id })
    expect((await service.drift()).inSync).toBe(true)
    const outcome = await service.push(document([sso]), nobody)
    expect(outcome.changes.features).toEqual({ ...none, created: ['sso'] })
    expect(await carriedBy(stack)).toEqual(['theirs'])
  })

  it('a reset archives the features', async () => {
    await stack.service.push(document([sso], ['sso']), nobody)
    const report = await stack.service.reset({ ...nobody, scope: 'managed' })
    expect(report.archived.features).toEqual(['sso'])
    expect((await stack.snapshot()).feature).toEqual([])
  })

  it('a feature is refused before any write if another feature already has its lookup key', async () => {
    const { stripe, service } = stack
    await stripe.entitlements.features.create({ lookup_key: 'sso', name: 'Theirs' })
    await expect(service.push(document([sso]), nobody)).rejects.toMatchObject({
      issues: [{ code: 'lookup_key_taken', pointer: '#/features/0/id' }],
    })
  })
})
