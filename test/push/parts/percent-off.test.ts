// Prices in per cent: the document holds the percentage, the processor holds amounts, and both follow the base price.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { publicView } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { gold, tenantShop } from '../../support/shop/tenant-shop.ts'

const pro = (more: Partial<Price> = {}): Price => ({
  ...{ id: 'pro', amount: 10_000, currency: 'usd', interval: 'month' },
  ...more,
})
const inPercent = (percent: string, more: Partial<Price> = {}): Price => ({
  ...{ id: 'pro_gold', currency: 'usd', interval: 'month', enterprise_template: 'gold', percent_off_base: percent },
  ...more,
})
const shop = (version: string, ...prices: Price[]): BillingConfig => ({
  version,
  products: [{ id: 'pro', name: 'Pro', prices }],
})

async function started(...prices: Price[]) {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  await stack.service.push(shop('1.0.0', ...prices), nobody)
  const processorId = async (id: string) =>
    (await stack.store.mappings.byConfigId('price', id)).at(-1)?.processorId ?? ''
  const live = async (id: string) =>
    stack.stripe.prices.retrieve(await processorId(id), {
      expand: ['tiers', 'currency_options', 'currency_options.eur.tiers'],
    })
  const push = (version: string, ...next: Price[]) =>
    stack.service.push(shop(version, ...next), { ...nobody, approveImpact: true })
  return { ...stack, processorId, live, push }
}
const pricesOf = ({ products }: BillingConfig) => products[0]?.prices ?? []

test.each([
  [{ amount: 10_000 }, '20', '8000'],
  [{ amount: 1205 }, '50', '602'],
  [{ amount: 1215 }, '50', '608'],
  [{ amount: 999 }, '12.5', '874'],
  [{ amount: 999 }, '100', '0'],
  [{ unit_amount_decimal: '1205.0' }, '50', '602'],
  [{ unit_amount_decimal: '0.05' }, '20', '0.04'],
  [{ unit_amount_decimal: '0.000000000001' }, '50', '0'],
  [{ unit_amount_decimal: '0.000000000003' }, '50', '0.000000000002'],
])('with a base price of %j, a deal of %s%% off costs %s', async (amount, percent, left) => {
  const { amount: _amount, ...base } = pro()
  const stack = await started({ ...base, ...amount }, inPercent(percent))
  expect(Number((await stack.live('pro_gold')).unit_amount_decimal)).toBe(Number(left))
  expect((await stack.service.drift()).inSync).toBe(true)
  expect((await stack.service.push(shop('1.0.0', { ...base, ...amount }, inPercent(percent)), nobody)).status).toBe(
    'unchanged',
  )
})

test('a percentage deal has the tiers, tiers mode and currencies of its base price, with each amount reduced', async () => {
  const stack = await started(
    {
      ...{ id: 'pro', currency: 'usd', interval: 'month', billing_scheme: 'tiered', tiers_mode: 'volume' },
      tiers: [
        { up_to: 10, unit_amount: 500, flat_amount: 1000 },
        { up_to: 'inf', unit_amount_decimal: '0.5' },
      ],
      currency_options: {
        eur: {
          tiers: [
            { up_to: 10, unit_amount: 450, flat_amount: 901 },
            { up_to: 'inf', unit_amount: 4 },
          ],
        },
      },
    },
    inPercent('50'),
  )
  const live = await stack.live('pro_gold')
  expect(live).toMatchObject({ billing_scheme: 'tiered', tiers_mode: 'volume' })
  expect(live.tiers).toMatchObject([
    { up_to: 10, unit_amount: 250, flat_amount: 500 },
    { up_to: null, unit_amount: null },
  ])
  expect(Number(live.tiers?.[1]?.unit_amount_decimal)).toBe(0.25)
  expect(live.currency_options?.['eur']?.tiers).toMatchObject([
    { up_to: 10, unit_amount: 225, flat_amount: 450 },
    { up_to: null, unit_amount: 2 },
  ])
  expect((await stack.service.calculate('pro_gold', 4, { hidden: true })).amount).toBe(1500)
})

test('a percentage deal has the package size of its base price', async () => {
  const stack = await started(pro({ transform_quantity: { divide_by: 100, round: 'up' } }), inPercent('20'))
  expect(await stack.live('pro_gold')).toMatchObject({
    unit_amount: 8000,
    transform_quantity: { divide_by: 100, round: 'up' },
  })
})

test('a push that changes a base price also changes its percentage deal in the same plan, and the impact includes the deal’s subscribers', async () => {
  const stack = await tenantShop(shop('1.0.0', pro(), inPercent('20')))
  const customer = await stack.tenant('acme')
  const { id } = await stack.subscribe(customer, { pro: 3 })
  expect(await stack.apply('acme')).toMatchObject({ pricesSwapped: 1 })
  expect(await stack.items(id)).toEqual({ pro_gold: 3 })
  const planned = await stack.service.push(shop('1.1.0', pro({ amount: 12_000 }), inPercent('20')), {
    ...nobody,
    dryRun: true,
  })
  expect(planned.changes.prices.updated).toEqual(['pro', 'pro_gold'])
  expect(planned.details).toMatchObject([
    { configId: 'pro', action: 'replace' },
    {
      ...{ configId: 'pro_gold', action: 'replace', because: ['amount'] },
      display: {
        before: '$80.00 / month (20% off its base price)',
        after: '$96.00 / month (20% off its base price)',
      },
    },
  ])
  expect(planned.impact).toMatchObject([
    { priceId: 'pro', subscriptions: 0 },
    { priceId: 'pro_gold', subscriptions: 1, monthly: [{ amount: 24_000 }] },
  ])
  expect(planned.warnings.filter(({ code }) => code === 'deal_moved')).toEqual([])
})

test('currencies that are edited in place in a base price are also edited in place in its percentage deal', async () => {
  const stack = await started(pro({ currency_options: { eur: { amount: 9000 } } }), inPercent('10'))
  const before = await stack.processorId('pro_gold')
  await stack.push(
    '1.1.0',
    pro({ currency_options: { eur: { amount: 9500 }, gbp: { amount: 8000 } } }),
    inPercent('10'),
  )
  expect(await stack.processorId('pro_gold')).toBe(before)
  const { currency_options: options } = await stack.live('pro_gold')
  expect([options?.['eur']?.unit_amount, options?.['gbp']?.unit_amount]).toEqual([8550, 7200])
  expect((await stack.service.drift()).inSync).toBe(true)
})

test('replacing a deal’s amount by the equivalent percentage, and back, writes nothing at the processor', async () => {
  const { percent_off_base: _percent, ...inAmounts } = inPercent('20', { amount: 8000 })
  const stack = await started(pro(), inAmounts)
  const before = stack.writes()
  const outcome = await stack.push('1.1.0', pro(), inPercent('20'))
  expect(outcome.details).toMatchObject([{ configId: 'pro_gold', action: 'update', because: ['percent_off_base'] }])
  await stack.push('1.2.0', pro(), inAmounts)
  expect(stack.writes()).toBe(before)
  expect(await stack.service.difference(2, 3)).toMatchObject([
    { configId: 'pro_gold', fields: [{ field: 'percent_off_base', before: '20', after: undefined }] },
  ])
})

test('a pull keeps the percentage of a deal, even if the price’s name was edited at the processor', async () => {
  const stack = await started(pro(), inPercent('20.0'))
  expect(pricesOf((await stack.service.pull()).document)).toContainEqual(inPercent('20.0'))
  await stack.stripe.prices.update(await stack.processorId('pro_gold'), { nickname: 'Gold' })
  const { document, unrepresentable } = await stack.service.pull()
  expect(pricesOf(document)).toContainEqual(inPercent('20.0', { nickname: 'Gold' }))
  expect(unrepresentable).toEqual([])
})

test.each(['pro', 'pro_gold'])(
  'a pull writes fixed amounts instead of a percentage if the currencies of %s were edited at the processor',
  async (edited) => {
    const stack = await started(pro({ currency_options: { eur: { amount: 9000 } } }), inPercent('10'))
    await stack.stripe.prices.update(await stack.processorId(edited), {
      currency_options: { eur: { unit_amount: 7777 } },
    })
    const { document, unrepresentable } = await stack.service.pull()
    expect(validateConfig(document).errors).toEqual([])
    const found = pricesOf(document).find(({ id }) => id === 'pro_gold')
    expect(found).toMatchObject({ amount: 9000, currency_options: { eur: { amount: edited === 'pro' ? 8100 : 7777 } } })
    expect(found).not.toHaveProperty('percent_off_base')
    expect(unrepresentable).toMatchObject([
      { kind: 'price', reason: expect.stringContaining('not 10% below') as string },
    ])
    expect((await stack.service.push({ ...document, version: '1.1.0' }, { ...nobody, dryRun: true })).writes).toBe(0)
  },
)

test('a percentage deal follows a rename of its base price, and a rollback restores its former percentage', async () => {
  const stack = await started(pro(), inPercent('20', { base_price: 'pro' }))
  const before = await stack.processorId('pro_gold')
  await stack.push('1.1.0', pro({ id: 'team', previous_ids: ['pro'] }), inPercent('20'))
  expect(await stack.processorId('pro_gold')).toBe(before)
  await stack.push('1.2.0', pro({ id: 'team', previous_ids: ['pro'] }), inPercent('30'))
  expect(await stack.live('pro_gold')).toMatchObject({ unit_amount: 7000 })
  await stack.service.rollback(1, { ...nobody, approveImpact: true })
  expect(await stack.live('pro_gold')).toMatchObject({ unit_amount: 8000 })
  expect(pricesOf((await stack.service.fullConfig()).config)).toMatchObject([{ id: 'pro' }, { percent_off_base: '20' }])
})

test('the public price list does not contain a percentage deal; a service key reads its percentage and its amount', async () => {
  const stack = await started(pro(), inPercent('20'))
  expect(pricesOf(publicView(shop('1.0.0', pro(), inPercent('20'))))).toMatchObject([{ id: 'pro' }])
  await expect(stack.service.findPrice('pro_gold', { hidden: false })).rejects.toMatchObject({
    code: 'price_not_found',
  })
  expect((await stack.service.findPrice('pro_gold', { hidden: true })).price).toMatchObject({
    amount: 8000,
    percent_off_base: '20',
  })
  expect(await stack.service.enterprisePrices({ template: 'gold' })).toMatchObject([
    { id: 'pro_gold', amount: 8000, percent_off_base: '20' },
  ])
  // The whole document stays as it was written, so that it can be pushed again.
  const { config } = await stack.service.fullConfig()
  expect(validateConfig(config).errors).toEqual([])
  expect(pricesOf(config)[1]).not.toHaveProperty('amount')
})

test('a plan warns about deals with a fixed amount whose base price changes, and shows their percentage of the new base price', async () => {
  const { percent_off_base: _percent, ...deal } = inPercent('20', { amount: 8000 })
  const stack = await started(pro(), deal)
  const warnings = async (...prices: Price[]) =>
    (await stack.service.push(shop('1.1.0', ...prices), { ...nobody, dryRun: true })).warnings.filter(
      ({ code }) => code === 'deal_moved',
    )
  expect(await warnings(pro({ amount: 12_000 }), deal)).toMatchObject([
    {
      pointer: '#/products/0/prices/1',
      detail:
        'The base price "pro" of "pro_gold" goes from $100.00 / month to $120.00 / month. "pro_gold" was 20% below it and is 33.3% below it then.',
    },
  ])
  expect(await warnings(pro({ amount: 6000 }), deal)).toMatchObject([
    { detail: expect.stringContaining('is 33.3% above it then') as string },
  ])
  // It stays as far away: nothing to warn about.
  expect(await warnings(pro({ amount: 12_000 }), { ...deal, amount: 9600 })).toEqual([])
  expect(await warnings(pro({ nickname: 'Pro' }), deal)).toEqual([])
  expect(await warnings(pro({ amount: 12_000 }), inPercent('20'))).toEqual([])
})

test('removing a percentage deal moves its subscribers back to the base price', async () => {
  const stack = await tenantShop(shop('1.0.0', pro(), inPercent('20')))
  const { id } = await stack.subscribe(await stack.tenant('acme'), { pro: 1 })
  await stack.apply('acme', gold)
  await stack.apply('acme', { kind: 'none' })
  expect(await stack.items(id)).toEqual({ pro: 1 })
})
