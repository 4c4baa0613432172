import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { refusalOf, refusedBy } from '../../support/stores/store.ts'
import { caller, gold, negotiated, nothing, priceIn, soldShop, tenantShop } from '../../support/shop/tenant-shop.ts'
import type { TenantShop } from '../../support/shop/tenant-shop.ts'

const auditOf = async (shop: TenantShop, tenant: string) =>
  (await shop.service.tenantAudit(tenant, { limit: 100, offset: 0 })).items.filter(
    ({ action }) => !action.startsWith('tenant_'),
  )

test('a dry run of a deal returns the result of applying it, and writes nothing', async () => {
  const { shop } = await soldShop({ pro_monthly: 7, calls: null, pro: 1 })
  const writes = shop.writes()
  const sequence = await shop.store.changeSequence()
  const dry = await shop.service.applyEnterprise('t', gold, { ...caller, dryRun: true })
  expect(dry.dryRun).toBe(true)
  expect(shop.writes()).toBe(writes)
  expect(await shop.store.changeSequence()).toBe(sequence)
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null })
  expect(await auditOf(shop, 't')).toEqual([])
  expect((await shop.service.listJobs({ limit: 10, offset: 0 })).total).toBe(0)
  // The money is of a dry run alone.
  const { monthly, ...result } = dry
  expect(monthly).toEqual({
    before: [{ currency: 'usd', amount: 7000, formatted: '$70.00' }],
    after: [{ currency: 'usd', amount: 5600, formatted: '$56.00' }],
  })
  const { violations, ...rest } = result
  expect(violations).toEqual([])
  expect(await shop.apply('t')).toEqual({ ...rest, dryRun: false })
})

test('three concurrent requests to apply a deal run one after the other, with one audit row each', async () => {
  const { shop, id } = await soldShop({ pro_monthly: 7, seat: 2 })
  const outcomes = await Promise.all([shop.apply('t'), shop.apply('t'), shop.apply('t')])
  expect(outcomes.map(({ pricesSwapped }) => pricesSwapped).sort()).toEqual([0, 0, 2])
  expect(await auditOf(shop, 't')).toHaveLength(3)
  expect(await shop.items(id)).toEqual({ pro_monthly_gold: 7, seat_gold: 2 })
})

test('after two templates were applied concurrently, the items and the tenant have the same template', async () => {
  const { shop, id } = await soldShop({ pro_monthly: 7 })
  await Promise.all([
    shop.apply('t'),
    shop.apply('t', { kind: 'template', template: 'silver' }),
    shop.apply('t', nothing),
  ])
  const { enterpriseTemplate } = await shop.service.findTenant('t')
  const wanted = enterpriseTemplate === null ? 'pro_monthly' : `pro_monthly_${enterpriseTemplate}`
  expect(await shop.items(id)).toEqual({ [wanted]: 7 })
})

test('the audit log of an applied deal contains author, request, swaps, and the deal before and after', async () => {
  const { shop } = await soldShop({ pro_monthly: 7 })
  await shop.apply('t')
  await shop.apply('t', { kind: 'custom', enterpriseId: 'acme' })
  const [latest, first] = await auditOf(shop, 't')
  expect(first).toMatchObject({
    action: 'apply_template',
    author: 'ada',
    requestId: 'req_test',
    before: { enterprise_template: null, enterprise_id: null },
    after: { enterprise_template: 'gold', enterprise_id: null },
    result: { prices_swapped: 1, swaps: [{ from: 'pro_monthly', to: 'pro_monthly_gold' }] },
  })
  expect(latest).toMatchObject({
    action: 'apply_custom',
    before: { enterprise_template: 'gold', enterprise_id: null },
    after: { enterprise_template: null, enterprise_id: 'acme' },
  })
})

test('applying a deal fails with different errors for an unknown tenant and an unknown template, and changes nothing', async () => {
  const shop = await tenantShop(negotiated())
  await shop.tenant('t')
  expect(await refusalOf(shop.apply('nobody'))).toBe('tenant_not_found')
  expect(await refusalOf(shop.apply('t', { kind: 'template', template: 'bronze' }))).toBe('enterprise_price_not_found')
  expect(await refusalOf(shop.apply('t', { kind: 'custom', enterpriseId: 'gold' }))).toBe('enterprise_price_not_found')
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: null })
})

test('a tenant without purchases gets the template, and no customer is created at the processor', async () => {
  const shop = await tenantShop(negotiated())
  await shop.service.createTenant({ id: 't', name: 'T' }, caller)
  const writes = shop.writes()
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, swaps: [], skipped: [] })
  expect(shop.writes()).toBe(writes)
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: 'gold', processorCustomerId: null })
})

test('applying a deal skips a free subscription that exists only in Ratecard, and states the reason', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      config.products.push({
        id: 'free',
        name: 'Free',
        prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
      })
    }),
  )
  await shop.service.createTenant({ id: 't', name: 'T' }, caller)
  await shop.store.localSubscriptions.start({ id: 'l', tenantId: 't', priceId: 'free', createdAt: 1, endedAt: null })
  const { skipped } = await shop.apply('t')
  expect(skipped).toEqual([
    { subscription: 'l', item: null, price: 'free', reason: expect.stringContaining('free') as string },
  ])
  expect((await shop.apply('t', nothing)).skipped).toEqual([])
})

test('applying a deal skips an item whose price Ratecard does not manage', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const product = await shop.stripe.products.create({ name: 'By hand' })
  const price = await shop.stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'month' },
  })
  await shop.stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
  expect((await shop.apply('t')).skipped).toMatchObject([{ price: price.id }])
})

test('applying a deal that fails midway returns the completed and missing swaps, and a retry finishes them', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const subscriptions = []
  for (const quantity of [1, 2, 3]) subscriptions.push(await shop.subscribe(customer, { pro_monthly: quantity }))
  const [, second] = subscriptions
  shop.sandbox.control.fail({
    kind: 'error_before',
    method: 'POST',
    path: `/v1/subscriptions/${second?.id ?? ''}`,
    count: null,
  })
  const error = await refusedBy(shop.apply('t'))
  expect(error.extra).toMatchObject({
    tenant_id: 't',
    swaps: [{ to: 'pro_monthly_gold' }],
    not_swapped: [{ subscription: second?.id }, {}],
  })
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null })
  expect(await auditOf(shop, 't')).toEqual([])
  shop.sandbox.control.clearFaults()
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 2 })
  for (const [index, { id }] of subscriptions.entries())
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: index + 1 })
  const [latest, failed] = (await shop.service.listJobs({ limit: 10, offset: 0 })).items
  expect([latest?.state, failed?.state]).toEqual(['done', 'failed'])
})

test.each(['close_after', 'error_after', 'cut_body', 'close_before', 'error_before'] as const)(
  'after a lost response (%s) the outcome of a price swap is looked up, and each item is swapped only once',
  async (kind) => {
    const { shop, customer, id } = await soldShop({ pro_monthly: 7, calls: null })
    const count = (await shop.invoices(customer)).length
    shop.sandbox.control.fail({ kind, method: 'POST', path: '/v1/subscription*', count: 1 })
    shop.sandbox.control.fail({ kind, method: 'POST', path: '/v1/subscription_schedules', count: 1 })
    await shop.apply('t').catch((error: unknown) => {
      if (kind.endsWith('_after') || kind === 'cut_body') throw error
    })
    await shop.apply('t')
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: 7, calls: null })
    expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0 })
    expect(await shop.invoices(customer)).toHaveLength(count)
  },
)

test('the coverage report lists each base price with its negotiated prices, the missing ones, and negotiated prices without a base', async () => {
  const shop = await tenantShop(
    negotiated('1.0.0', (config) => {
      config.products[1]?.prices?.push({
        id: 'lonely',
        amount: 1,
        currency: 'usd',
        interval: 'month',
        enterprise_template: 'gold',
      })
    }),
  )
  const { rows, ...rest } = await shop.service.enterpriseCoverage()
  const isNegotiated = ({ cells }: (typeof rows)[number]) => cells.some(({ priceId }) => priceId !== null)
  // Base prices without any negotiated price are listed too, and do not count as gaps.
  expect(rows.filter((row) => !isNegotiated(row)).map(({ basePriceId }) => basePriceId)).toContain('pro')
  expect({ ...rest, rows: rows.filter(isNegotiated) }).toEqual({
    templates: ['gold', 'silver'],
    enterpriseIds: ['acme'],
    rows: [
      {
        basePriceId: 'pro_monthly',
        cells: [
          { target: 'template:gold', priceId: 'pro_monthly_gold' },
          { target: 'template:silver', priceId: 'pro_monthly_silver' },
          { target: 'id:acme', priceId: 'pro_monthly_acme' },
        ],
      },
      {
        basePriceId: 'seat',
        cells: [
          { target: 'template:gold', priceId: 'seat_gold' },
          { target: 'template:silver', priceId: null },
          { target: 'id:acme', priceId: null },
        ],
      },
      {
        basePriceId: 'calls',
        cells: [
          { target: 'template:gold', priceId: 'calls_gold' },
          { target: 'template:silver', priceId: null },
          { target: 'id:acme', priceId: null },
        ],
      },
    ],
    gaps: 4,
    withoutBase: ['lonely'],
  })
})

test('without a configuration, applying a deal is refused, and removing it still clears the template', async () => {
  const shop = await tenantShop(negotiated())
  await shop.tenant('t')
  await shop.apply('t')
  await shop.service.reset({ author: null, by: null, message: null, scope: 'managed' })
  expect(await refusalOf(shop.apply('t'))).toBe('enterprise_price_not_found')
  expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 0 })
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null })
})

/** The document without some prices. */
const without = (config: BillingConfig, ...ids: readonly string[]) => {
  for (const product of config.products) product.prices = (product.prices ?? []).filter(({ id }) => !ids.includes(id))
}

test('applying another template skips an item whose negotiated price was removed, or moves it to the base price with unmatched: base', async () => {
  const { shop, id } = await soldShop({ pro_monthly: 7, seat: 2 })
  await shop.apply('t')
  // The base price is renamed, and in a later version its earlier id is dropped.
  const later = (version: string, previous: readonly string[]) =>
    negotiated(version, (config) => {
      without(config, 'seat_gold', 'pro_monthly_gold', 'calls_gold')
      Object.assign(priceIn(config, 'seat'), { id: 'chair' }, previous.length === 0 ? {} : { previous_ids: previous })
    })
  await shop.push(later('1.1.0', ['seat']))
  await shop.push(later('1.2.0', []))
  const silver = { kind: 'template', template: 'silver' } as const
  expect(await shop.apply('t', silver)).toMatchObject({
    swaps: [{ from: 'pro_monthly_gold', to: 'pro_monthly_silver' }],
    leftOnOtherDeal: 1,
    skipped: [{ price: 'seat_gold', reason: 'on_other_deal', detail: expect.stringContaining('"chair"') as string }],
  })
  const options = { ...caller, unmatched: 'base', dryRun: false } as const
  expect(await shop.service.applyEnterprise('t', silver, options)).toMatchObject({
    swaps: [{ from: 'seat_gold', to: 'chair' }],
    skipped: [],
    leftOnOtherDeal: 0,
  })
  expect(await shop.items(id)).toEqual({ pro_monthly_silver: 7, chair: 2 })
})

test('an item on a removed negotiated price stays there when its deal is applied again, and moves to the base price when the deal is removed', async () => {
  const { shop, id } = await soldShop({ seat: 2 })
  await shop.apply('t')
  await shop.push(
    negotiated('1.1.0', (config) => {
      without(config, 'seat_gold')
    }),
  )
  expect(await shop.apply('t')).toMatchObject({ leftOnOtherDeal: 1, skipped: [{ reason: 'on_other_deal' }] })
  expect(await shop.apply('t', nothing)).toMatchObject({ swaps: [{ from: 'seat_gold', to: 'seat' }], skipped: [] })
  expect(await shop.items(id)).toEqual({ seat: 2 })
})

test('an item stays on a removed negotiated price if its base price was removed too, and the skip reason names the base price', async () => {
  const { shop } = await soldShop({ seat: 2 })
  await shop.apply('t')
  await shop.push(
    negotiated('1.1.0', (config) => {
      without(config, 'seat_gold', 'seat')
    }),
  )
  const silver = { kind: 'template', template: 'silver' } as const
  const dry = await shop.service.applyEnterprise('t', silver, { ...caller, unmatched: 'base', dryRun: true })
  expect(dry).toMatchObject({
    leftOnOtherDeal: 1,
    skipped: [{ reason: 'on_other_deal', detail: 'The base price "seat" is not in the configuration.' }],
  })
})

test('an item without a price in the new deal is skipped, or moved to its base price with the option unmatched: base', async () => {
  const { shop, id } = await soldShop({ pro_monthly: 7, seat: 2 })
  await shop.apply('t')
  const silver = { kind: 'template', template: 'silver' } as const
  const outcome = await shop.apply('t', silver)
  expect(outcome).toMatchObject({
    pricesSwapped: 1,
    leftOnOtherDeal: 1,
    skipped: [{ price: 'seat_gold', reason: 'on_other_deal' }],
  })
  expect((await auditOf(shop, 't'))[0]?.result).toMatchObject({ left_on_other_deal: 1 })
  const options = { ...caller, unmatched: 'base' } as const
  const {
    monthly: _monthly,
    violations: _violations,
    ...dry
  } = await shop.service.applyEnterprise('t', silver, { ...options, dryRun: true })
  expect(dry).toMatchObject({ swaps: [{ from: 'seat_gold', to: 'seat' }], leftOnOtherDeal: 0 })
  expect(await shop.service.applyEnterprise('t', silver, { ...options, dryRun: false })).toEqual({
    ...dry,
    dryRun: false,
  })
  expect(await shop.items(id)).toEqual({ pro_monthly_silver: 7, seat: 2 })
  expect(await shop.service.applyEnterprise('t', silver, { ...options, dryRun: false })).toMatchObject({
    pricesSwapped: 0,
  })
})
