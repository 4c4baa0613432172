// Lookup keys of prices and features through push, adoption, pull, rename, rollback and drift.
import { describe, expect, it } from 'vitest'
import { publicView } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import type { BillingConfig, Feature, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const { sandbox } = sharedSandbox()
const stack = startedForEach(() => startStack({ sandbox }))

const monthly = { amount: 1200, currency: 'eur', interval: 'month' } as const

function shop(prices: Price[], features: Feature[] = [], more: Partial<BillingConfig['products'][number]> = {}) {
  return {
    version: '1.0.0',
    products: [{ id: 'pro', name: 'Pro', ...more, prices }],
    ...(features.length > 0 && { features }),
  } satisfies BillingConfig
}

/** Returns the lookup key of each active price by amount and currency. */
async function keys(): Promise<Record<string, string | null>> {
  const { data } = await stack.stripe.prices.list({ active: true, limit: 100 })
  return Object.fromEntries(data.map((price) => [`${String(price.unit_amount)} ${price.currency}`, price.lookup_key]))
}

describe('the lookup key of a price', () => {
  it('is the id of the price until the document names another key, which the price then gets in place', async () => {
    const { service } = stack
    await service.push(shop([{ id: 'monthly', ...monthly }]), nobody)
    expect(await keys()).toEqual({ '1200 eur': 'monthly' })
    const named = shop([{ id: 'monthly', ...monthly, lookup_key: 'Pro Monthly (2022)' }])
    const { details } = await service.push(named, nobody)
    expect(details).toMatchObject([
      {
        kind: 'price',
        action: 'update',
        fields: [{ field: 'lookup_key', before: 'monthly', after: 'Pro Monthly (2022)' }],
      },
    ])
    expect(await keys()).toEqual({ '1200 eur': 'Pro Monthly (2022)' })
    expect((await service.push(named, nobody)).status).toBe('unchanged')
    const { document } = await service.pull()
    expect(document.products[0]?.prices?.[0]).toMatchObject({ lookup_key: 'Pro Monthly (2022)' })
    expect((await service.push(document, nobody)).status).toBe('unchanged')
  })

  it('moves to the price that replaces the first price, and moves back in a rollback', async () => {
    const { service } = stack
    await service.push(shop([{ id: 'monthly', ...monthly, lookup_key: 'enterprise/annual' }]), nobody)
    await service.push(shop([{ id: 'monthly', ...monthly, amount: 1500, lookup_key: 'enterprise/annual' }]), nobody)
    expect(await keys()).toEqual({ '1500 eur': 'enterprise/annual' })
    await service.push(shop([{ id: 'monthly', ...monthly, amount: 1500, lookup_key: 'ключ' }]), nobody)
    await service.rollback(1, nobody)
    expect(await keys()).toEqual({ '1200 eur': 'enterprise/annual' })
  })

  it('can be exchanged between two prices in one push', async () => {
    const { service } = stack
    const two = (a: string, b: string) =>
      shop([
        { id: 'monthly', ...monthly, lookup_key: a },
        { id: 'yearly', ...monthly, amount: 9900, interval: 'year', lookup_key: b },
      ])
    await service.push(two('one', 'two'), nobody)
    await service.push(two('two', 'one'), nobody)
    expect(await keys()).toEqual({ '1200 eur': 'two', '9900 eur': 'one' })
    expect((await service.drift()).inSync).toBe(true)
  })

  it('moves with a renamed price if the key is the id, and stays if the document names the key', async () => {
    const { service } = stack
    const before = [
      { id: 'a', ...monthly },
      { id: 'b', ...monthly, amount: 900, lookup_key: 'named' },
    ]
    await service.push(shop(before), nobody)
    const { details } = await service.push(
      shop(before.map(({ id, ...price }) => ({ id: `${id}2`, ...price, previous_ids: [id] }))),
      nobody,
    )
    expect(details.map(({ action, because }) => [action, because])).toEqual([
      ['rename', ['id', 'previous_ids']],
      ['rename', ['id', 'previous_ids']],
    ])
    expect(await keys()).toEqual({ '1200 eur': 'a2', '900 eur': 'named' })
  })

  it('is reported as drift if it was changed at the processor, and a push restores it', async () => {
    const { service, stripe } = stack
    const config = shop([{ id: 'monthly', ...monthly, lookup_key: 'named' }])
    await service.push(config, nobody)
    const { data } = await stripe.prices.list({ lookup_keys: ['named'] })
    await stripe.prices.update(data[0]?.id ?? '', { lookup_key: 'other' })
    expect((await service.drift()).differences).toMatchObject([
      { fields: [{ field: 'lookup_key', before: 'other', after: 'named', origin: 'drift' }] },
    ])
    await service.push(config, nobody)
    expect(await keys()).toEqual({ '1200 eur': 'named' })
  })

  it('is not part of the public configuration', () => {
    const config = shop([{ id: 'monthly', ...monthly, lookup_key: 'acme-2022' }])
    expect(JSON.stringify(publicView(config))).not.toContain('acme-2022')
  })
})

describe('an adopted price', () => {
  async function theirs(amounts: Readonly<Record<number, string | null>>) {
    const { stripe } = stack
    const product = await stripe.products.create({ name: 'Pro' })
    const ids: Record<number, string> = {}
    for (const [amount, lookup_key] of Object.entries(amounts)) {
      const { id } = await stripe.prices.create({
        product: product.id,
        currency: 'eur',
        unit_amount: Number(amount),
        recurring: { interval: 'month' },
        ...(lookup_key !== null && { lookup_key }),
      })
      ids[Number(amount)] = id
    }
    return { product: product.id, ids }
  }

  it('keeps its lookup key, or gets its id as lookup key if it has none', async () => {
    const { service } = stack
    const { product, ids } = await theirs({ 500: '🔥', 700: null })
    const config = shop(
      [500, 700].map((amount) => ({ id: `p${String(amount)}`, ...monthly, amount, processor_id: ids[amount] ?? '' })),
      [],
      { processor_id: product },
    )
    await service.push(config, nobody)
    expect(await keys()).toEqual({ '500 eur': '🔥', '700 eur': 'p700' })
    expect((await service.push(config, nobody)).status).toBe('unchanged')
    expect((await service.drift()).inSync).toBe(true)
    const { document } = await service.pull()
    expect((await service.push(document, nobody)).status).toBe('unchanged')
    const dearer = shop([{ id: 'p500', ...monthly, amount: 600, processor_id: ids[500] ?? '' }], [], {
      processor_id: product,
    })
    await service.push(dearer, nobody)
    expect(await keys()).toEqual({ '600 eur': '🔥' })
    expect((await service.push(dearer, nobody)).status).toBe('unchanged')
  })

  it('is pulled with its lookup key, and a push of the pulled document does not change that key', async () => {
    const { service } = stack
    await theirs({ 500: 'Pro Monthly (2022)', 700: 'enterprise/annual', 900: 'plain', 1100: null })
    const { document } = await service.pull()
    expect(document.products[0]?.prices?.map(({ id, lookup_key: key }) => [id, key])).toEqual([
      ['pro_monthly_2022', 'Pro Monthly (2022)'],
      ['enterprise_annual', 'enterprise/annual'],
      ['plain', undefined],
      ['pro_month_eur', undefined],
    ])
    const { warnings } = await service.push(document, nobody)
    expect(warnings).toEqual([])
    expect(await keys()).toEqual({
      '500 eur': 'Pro Monthly (2022)',
      '700 eur': 'enterprise/annual',
      '900 eur': 'plain',
      '1100 eur': 'pro_month_eur',
    })
  })

  it('keeps its lookup key, and a push with another price that requires this key is refused', async () => {
    const { service } = stack
    const { product, ids } = await theirs({ 500: 'wanted' })
    const adopting = { id: 'old', ...monthly, amount: 500, processor_id: ids[500] ?? '' }
    await service.push(shop([adopting], [], { processor_id: product }), nobody)
    await expect(
      service.push(shop([adopting, { id: 'wanted', ...monthly }], [], { processor_id: product }), nobody),
    ).rejects.toMatchObject({ issues: [{ code: 'lookup_key_taken' }] })
  })
})

describe('a changed lookup key of a feature in the document', () => {
  const sso = (more: Partial<Feature> = {}): Feature => ({ id: 'sso', name: 'Single sign-on', ...more })
  const price = { id: 'monthly', ...monthly }
  const attached = async () => {
    const { data } = await stack.stripe.products.listFeatures('rc_pro')
    return data.map(({ entitlement_feature: feature }) => feature.lookup_key)
  }

  it('creates a new feature, which replaces the earlier feature in its products', async () => {
    const { service } = stack
    const product = { features: ['sso'] }
    await service.push(shop([price], [sso()], product), nobody)
    const { details } = await service.push(shop([price], [sso({ lookup_key: 'Single sign-on/2' })], product), nobody)
    expect(details).toMatchObject([
      {
        kind: 'feature',
        action: 'replace',
        fields: [{ field: 'lookup_key', before: 'sso', after: 'Single sign-on/2' }],
      },
    ])
    expect(await attached()).toEqual(['Single sign-on/2'])
    const unsaid = shop([price], [sso()], product)
    await service.push(unsaid, nobody)
    expect(await attached()).toEqual(['Single sign-on/2'])
    expect((await service.push(unsaid, nobody)).status).toBe('unchanged')
  })

  it('causes no new feature if the feature is adopted from a pulled document', async () => {
    const { service, stripe } = stack
    await stripe.products.create({ name: 'Pro' })
    await stripe.entitlements.features.create({ lookup_key: 'Single Sign-On ✓', name: 'SSO' })
    const { document } = await service.pull()
    expect(document.features).toMatchObject([{ id: 'single_sign-on', lookup_key: 'Single Sign-On ✓' }])
    await service.push(document, nobody)
    const { data } = await stripe.entitlements.features.list({})
    expect(data.map(({ lookup_key: key }) => key)).toEqual(['Single Sign-On ✓'])
  })
})
