import { describe, expect, test } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, utc } from '../customers/customer-shop.ts'

const features = (stripe: Awaited<ReturnType<typeof customerShop>>['stripe'], customer: string) =>
  stripe.entitlements.activeEntitlements
    .list({ customer })
    .then((page) => page.data.map((one) => one.lookup_key).sort())

describe('entitlement features of the sandbox:', () => {
  test('only one active feature can have a given lookup key; archiving a feature is final and frees its lookup key', async () => {
    const { stripe } = await customerShop()
    const sso = await stripe.entitlements.features.create({ lookup_key: 'sso', name: 'Single sign-on' })
    expect(sso).toMatchObject({ object: 'entitlements.feature', active: true, metadata: {} })
    expect(await refusal(stripe.entitlements.features.create({ lookup_key: 'sso', name: 'Again' }))).toMatchObject({
      code: 'resource_already_exists',
    })
    await stripe.entitlements.features.update(sso.id, { name: 'SSO', metadata: { a: 'b' } })
    expect(await stripe.entitlements.features.update(sso.id, { active: false })).toMatchObject({
      active: false,
      name: 'SSO',
      metadata: { a: 'b' },
    })
    expect((await refusal(stripe.entitlements.features.update(sso.id, { active: true }))).message).toContain('Archived')
    expect((await stripe.entitlements.features.list()).data).toEqual([])
    expect((await stripe.entitlements.features.list({ archived: true })).data.map((one) => one.id)).toEqual([sso.id])
    const next = await stripe.entitlements.features.create({ lookup_key: 'sso', name: 'SSO' })
    expect((await stripe.entitlements.features.list({ lookup_key: 'sso' })).data.map((one) => one.id)).toEqual([
      next.id,
    ])
  })

  test('a feature can be attached to a product once, the response contains the whole feature, and the feature can be detached', async () => {
    const { stripe, product } = await customerShop()
    const feature = await stripe.entitlements.features.create({ lookup_key: 'sso', name: 'SSO' })
    const made = await stripe.products.createFeature(product, { entitlement_feature: feature.id })
    expect(made).toMatchObject({
      object: 'product_feature',
      entitlement_feature: { id: feature.id, lookup_key: 'sso' },
    })
    const again = refusal(stripe.products.createFeature(product, { entitlement_feature: feature.id }))
    expect((await again).message).toContain('already attached')
    expect((await stripe.products.listFeatures(product)).data.map((one) => one.id)).toEqual([made.id])
    expect((await stripe.products.retrieveFeature(product, made.id)).entitlement_feature.name).toBe('SSO')
    expect(await stripe.products.deleteFeature(product, made.id)).toEqual(
      expect.objectContaining({ id: made.id, object: 'product_feature', deleted: true }),
    )
    expect((await refusal(stripe.products.retrieveFeature(product, made.id))).code).toBe('resource_missing')
    await stripe.entitlements.features.update(feature.id, { active: false })
    expect(
      (await refusal(stripe.products.createFeature(product, { entitlement_feature: feature.id }))).message,
    ).toContain('Archived')
  })

  test('a customer has the features of the purchased products, and a feature that is attached later only from the next period on', async () => {
    const shop = await customerShop(utc('2027-01-10T00:00:00'))
    const { stripe, product, customer, clockId } = shop
    const sso = await stripe.entitlements.features.create({ lookup_key: 'sso', name: 'SSO' })
    const logs = await stripe.entitlements.features.create({ lookup_key: 'logs', name: 'Audit logs' })
    await stripe.products.createFeature(product, { entitlement_feature: sso.id })
    expect(await features(stripe, customer)).toEqual([])
    const subscription = await shop.subscribed(await shop.monthly(1000))
    expect(await features(stripe, customer)).toEqual(['sso'])
    await stripe.products.createFeature(product, { entitlement_feature: logs.id })
    expect(await features(stripe, customer)).toEqual(['sso'])
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-10T01:00:00') })
    expect(await features(stripe, customer)).toEqual(['logs', 'sso'])
    await stripe.subscriptions.cancel(subscription.id)
    expect(await features(stripe, customer)).toEqual([])
    const told = await stripe.events.list({ type: 'entitlements.active_entitlement_summary.updated' })
    expect(told.data).toHaveLength(3)
    expect(told.data[0]?.data.object).toMatchObject({ customer, entitlements: { data: [] } })
  })
})
