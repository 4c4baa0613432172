// "We renamed a price and lost its subscribers." "The new id archived the old price." In Ratecard a rename is one line in the file, and
// everything that was sold under the old id is found under the new one.
import { expect, test } from 'vitest'
import { caller, negotiated, nothing, priceIn, tenantShop } from '../../support/shop/tenant-shop.ts'
import { nobody } from '../../support/stack.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'

/** The document with one price under another id. */
function renamed(
  config: BillingConfig,
  from: string,
  to: string,
  mark: 'previous_ids' | 'none' = 'previous_ids',
): BillingConfig {
  const price = priceIn(config, from)
  price.id = to
  if (mark === 'previous_ids') price.previous_ids = [from]
  return config
}

test('after a rename together with a new amount, subscribers are migrated, converted and counted under the new id', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('small')
  const { id } = await shop.subscribe(customer, { pro_monthly: 10 })
  const first = await shop.processorPrice('pro_monthly')
  const enterprise = (config: BillingConfig) => {
    for (const { prices = [] } of config.products)
      for (const price of prices) if (price.id.startsWith('pro_monthly_')) price.base_price = 'team_monthly'
  }
  const step = await shop.service.push(
    negotiated('1.1.0', (config) => {
      renamed(config, 'pro_monthly', 'team_monthly')
      enterprise(config)
    }),
    nobody,
  )
  expect(step.changes.prices).toMatchObject({ created: [], archived: [] })
  expect(step.changes.prices.updated).toContain('team_monthly')
  expect(step.details.find(({ configId }) => configId === 'team_monthly')).toMatchObject({
    action: 'rename',
    processorIdBefore: first,
    processorIdAfter: first,
  })
  expect(step.writes).toBe(1)
  expect(await shop.processorPrice('team_monthly')).toBe(first)
  expect((await shop.stripe.prices.retrieve(first)).lookup_key).toBe('team_monthly')

  const raised = await shop.service.push(
    negotiated('1.2.0', (config) => {
      renamed(config, 'pro_monthly', 'team_monthly')
      enterprise(config)
      priceIn(config, 'team_monthly').amount = 2500
    }),
    nobody,
  )
  expect(raised.impact).toMatchObject([{ priceId: 'team_monthly', subscriptions: 1 }])
  const converted = await shop.service.convert(first, { hidden: true })
  expect(converted).toMatchObject({ configId: 'team_monthly', historyCount: 2, current: false })
  const request = { priceId: 'team_monthly', to: 'now' } as const
  const job = await shop.finished((await shop.service.startMigration(request, caller)).id)
  expect(job.state).toBe('done')
  expect(await shop.items(id)).toEqual({ team_monthly: 10 })
})

test('a price can be found under its old id while the old id is in previous_ids, and the response contains the new id', async () => {
  const shop = await tenantShop(negotiated())
  await shop.push(negotiated('1.1.0', (config) => renamed(config, 'pro_yearly', 'team_yearly')))
  const { service } = shop
  expect((await service.findPrice('pro_yearly', { hidden: false })).price.id).toBe('team_yearly')
  expect((await service.calculate('pro_yearly', 2, { hidden: false })).priceId).toBe('team_yearly')
  await shop.push(
    negotiated('1.2.0', (config) => {
      priceIn(config, 'pro_yearly').id = 'team_yearly'
    }),
  )
  await expect(service.findPrice('pro_yearly', { hidden: true })).rejects.toMatchObject({ code: 'price_not_found' })
  expect((await service.findPrice('team_yearly', { hidden: false })).price.id).toBe('team_yearly')
})

test('a checkout with the old id of a price sells that price, but not twice to one tenant, and a migration accepts the old id', async () => {
  const shop = await tenantShop(negotiated())
  const small = await shop.tenant('small')
  await shop.subscribe(small, { pro_yearly: 3 })
  await shop.tenant('other')
  await shop.push(
    negotiated('1.1.0', (config) => {
      renamed(config, 'pro_yearly', 'team_yearly')
      priceIn(config, 'team_yearly').amount = 55_555
    }),
  )
  const { service } = shop
  const wish = { priceId: 'pro_yearly', successUrl: 'http://localhost/done', cancelUrl: 'http://localhost/back' }
  const sold = (tenantId: string) => service.createCheckout(wish, { kind: 'key', keyId: 'key_test', tenantId }, null)
  expect((await sold('other')).sessionId).toMatch(/^cs_/)
  await expect(sold('small')).rejects.toMatchObject({ code: 'already_subscribed' })
  const plan = await service.planMigration({ priceId: 'pro_yearly', to: 'now' })
  expect(plan).toMatchObject({ priceId: 'team_yearly', lines: [{ tenantId: 'small' }] })
})

test('a deal can be applied to a tenant whose price was renamed after the purchase', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('acme')
  const { id } = await shop.subscribe(customer, { pro_monthly: 25 })
  await shop.push(
    negotiated('1.1.0', (config) => {
      renamed(config, 'pro_monthly', 'team_monthly')
      for (const { prices = [] } of config.products)
        for (const price of prices) if (price.id.startsWith('pro_monthly_')) price.base_price = 'team_monthly'
    }),
  )
  await shop.apply('acme', { kind: 'custom', enterpriseId: 'acme' })
  expect(await shop.items(id)).toEqual({ pro_monthly_acme: 25 })
  await shop.apply('acme', nothing)
  expect(await shop.items(id)).toEqual({ team_monthly: 25 })
})

test('negotiated prices that are named after the earlier id of a renamed base price still belong to that base price', async () => {
  const shop = await tenantShop(negotiated())
  const { id } = await shop.subscribe(await shop.tenant('acme'), { pro_monthly: 25 })
  const next = negotiated('1.1.0', (config) => renamed(config, 'pro_monthly', 'team_monthly'))
  const { details } = await shop.service.push(next, nobody)
  expect(details.map(({ configId, action }) => [configId, action])).toEqual([['team_monthly', 'rename']])
  await shop.apply('acme', { kind: 'custom', enterpriseId: 'acme' })
  expect(await shop.items(id)).toEqual({ pro_monthly_acme: 25 })
  await shop.apply('acme', nothing)
  expect(await shop.items(id)).toEqual({ team_monthly: 25 })
})

test('a new id without previous_ids is planned as a replacement, with a warning that contains the line to add', async () => {
  const shop = await tenantShop(negotiated())
  const plan = await shop.service.push(
    negotiated('1.1.0', (config) => renamed(config, 'pro_yearly', 'team_yearly', 'none')),
    { ...nobody, dryRun: true },
  )
  const warning = plan.warnings.find(({ code }) => code === 'looks_like_rename')
  expect(warning?.detail).toContain('pro_yearly')
  expect(warning?.hint).toContain('"previous_ids": ["pro_yearly"]')
})

const portals = (version: string, id: string, allowed: 'email' | 'phone') =>
  negotiated(version, (config) => {
    config.portal = [{ id, features: { customer_update: { allowed_updates: [allowed] } } }]
  })

test('two portal configurations without a headline are treated as a possible rename only if their content is the same', async () => {
  const shop = await tenantShop(portals('1.1.0', 'contact', 'email'))
  const warned = async (document: BillingConfig) => {
    const { warnings } = await shop.service.push(document, { ...nobody, dryRun: true })
    return warnings.filter(({ code }) => code === 'looks_like_rename').map(({ pointer }) => pointer)
  }
  expect(await warned(portals('1.2.0', 'self_service', 'phone'))).toEqual([])
  expect(await warned(portals('1.2.0', 'self_service', 'email'))).toEqual(['#/portal/0'])
})

test('a rename that is declared later lets a migration move earlier subscribers to the current price', async () => {
  const shop = await tenantShop(negotiated())
  const { id } = await shop.subscribe(await shop.tenant('small'), { pro_yearly: 3 })
  await shop.push(negotiated('1.1.0', (config) => renamed(config, 'pro_yearly', 'team_yearly', 'none')))
  const second = await shop.processorPrice('team_yearly')
  await shop.push(negotiated('1.2.0', (config) => renamed(config, 'pro_yearly', 'team_yearly')))
  expect(await shop.processorPrice('team_yearly')).toBe(second)
  const job = await shop.finished((await shop.service.startMigration({ priceId: 'team_yearly', to: 'now' }, caller)).id)
  expect(job.state).toBe('done')
  expect(await shop.items(id)).toEqual({ team_yearly: 3 })
})

test('a rename that would merge two items that are sold at the same time is refused', async () => {
  const shop = await tenantShop(negotiated())
  const merging = negotiated('1.1.0', (config) => {
    for (const product of config.products)
      product.prices = (product.prices ?? []).filter((price) => price.id !== 'pro_yearly')
    priceIn(config, 'pro_monthly').previous_ids = ['pro_yearly']
  })
  await expect(shop.service.push(merging, nobody)).rejects.toMatchObject({
    code: 'plan_refused',
    issues: [expect.objectContaining({ code: 'previous_id_conflict' })],
  })
})

test('a rollback undoes renames, and the restored ids belong to the same objects as before', async () => {
  const shop = await tenantShop(negotiated())
  const first = await shop.processorPrice('pro_yearly')
  await shop.push(negotiated('1.1.0', (config) => renamed(config, 'pro_yearly', 'team_yearly')))
  await shop.push(
    negotiated('1.2.0', (config) => {
      priceIn(config, 'pro_yearly').id = 'group_yearly'
      priceIn(config, 'group_yearly').previous_ids = ['team_yearly']
    }),
  )
  const back = await shop.service.rollback(1, nobody)
  expect(back.changes.prices).toMatchObject({ created: [], archived: [] })
  expect(await shop.processorPrice('pro_yearly')).toBe(first)
  expect((await shop.stripe.prices.retrieve(first)).active).toBe(true)
})

test('a price that is created under a freed id and removed by a rollback is not merged with the price that had the id before', async () => {
  const shop = await tenantShop(negotiated())
  const team = negotiated('1.1.0', (config) => renamed(config, 'pro_yearly', 'team_yearly'))
  const { revision } = await shop.service.push(team, nobody)
  await shop.push(
    negotiated('1.2.0', (config) => {
      renamed(config, 'pro_yearly', 'team_yearly', 'none')
      const prices = config.products.find(({ prices = [] }) => prices.some(({ id }) => id === 'team_yearly'))?.prices
      prices?.push({ id: 'pro_yearly', amount: 99_900, currency: 'usd', interval: 'year' })
    }),
  )
  const anew = await shop.processorPrice('pro_yearly')
  const { id } = await shop.subscribe(await shop.tenant('small'), { pro_yearly: 1 })
  await shop.service.rollback(revision ?? 0, nobody)
  // Pushing the same document again changes nothing.
  expect((await shop.service.push(team, nobody)).status).toBe('unchanged')
  expect(await shop.service.convert(anew, { hidden: true })).toMatchObject({ configId: 'pro_yearly' })
  const job = await shop.finished((await shop.service.startMigration({ priceId: 'team_yearly', to: 'now' }, caller)).id)
  expect(job.state).toBe('done')
  expect((await shop.stripe.subscriptions.retrieve(id)).items.data.map(({ price }) => price.id)).toEqual([anew])
})
