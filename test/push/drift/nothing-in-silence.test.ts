// Values that the document cannot express or does not contain are carried over to a replacement if possible, and reported otherwise.
import { expect, it } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const { sandbox } = sharedSandbox()
const stack = startedForEach(() => startStack({ sandbox }))

const monthly: Price = { id: 'pro_monthly', amount: 1200, currency: 'eur', interval: 'month' }
const document = (price: Price): BillingConfig => ({
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices: [price] }],
})
const current = async ({ stripe }: Stack) => {
  const { data } = await stripe.prices.list({ lookup_keys: ['pro_monthly'], expand: ['data.currency_options'] })
  if (data[0] === undefined) throw new Error('No price')
  return data[0]
}
const codesOf = (issues: readonly { readonly code: string }[]) => issues.map(({ code }) => code)

it('the replacement of a price keeps values of the price that the document does not contain', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  const first = await current(stack)
  await stripe.prices.update(first.id, {
    nickname: 'From the dashboard',
    metadata: { crm: '4711' },
    currency_options: { usd: { unit_amount: 1300 } },
  })
  const changed = document({ ...monthly, amount: 1500 })
  const { warnings } = await service.push(changed, nobody)
  expect(codesOf(warnings)).not.toContain('not_carried_over')
  const second = await current(stack)
  expect(second.id).not.toBe(first.id)
  expect(second).toMatchObject({
    unit_amount: 1500,
    nickname: 'From the dashboard',
    metadata: { crm: '4711' },
    currency_options: { usd: { unit_amount: 1300 } },
  })
  expect((await service.push(changed, nobody)).status).toBe('unchanged')
  expect((await service.drift()).inSync).toBe(true)
})

it('a value that was removed from the document is not copied to the replacement of a price', async () => {
  const { service } = stack
  await service.push(document({ ...monthly, nickname: 'Ours', metadata: { team: 'a' } }), nobody)
  await service.push(document({ ...monthly, amount: 1500 }), nobody)
  const second = await current(stack)
  expect([second.nickname, Object.keys(second.metadata)]).toEqual([null, ['ratecard_id']])
})

it('currencies that do not fit the new price are reported, and are not copied to the new price', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  await stripe.prices.update((await current(stack)).id, { currency_options: { usd: { unit_amount: 1300 } } })
  const { warnings } = await service.push(document({ ...monthly, currency: 'usd' }), nobody)
  const lost = warnings.find(({ code }) => code === 'not_carried_over')
  expect(lost?.pointer).toBe('#/products/0/prices/0')
  expect(lost?.detail).toContain('currency_options')
})

it('a value that is missing in the document is reported by pull, drift and adoption, and copied to a replacement', async () => {
  const { stripe, service } = stack
  const product = await stripe.products.create({ name: 'Theirs' })
  const { id } = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    unit_amount: 900,
    recurring: { interval: 'month', trial_period_days: 14 },
  })
  const { document: pulled, unrepresentable } = await service.pull()
  expect(unrepresentable).toMatchObject([{ kind: 'price', processorId: id }])
  expect(unrepresentable[0]?.reason).toContain('recurring.trial_period_days')
  expect(pulled.products[0]?.prices).toHaveLength(1)
  const { warnings } = await service.push(pulled, nobody)
  expect(warnings.find(({ code }) => code === 'left_as_is')?.detail).toContain('recurring.trial_period_days')
  const drift = await service.drift()
  expect([drift.inSync, drift.notes]).toMatchObject([
    true,
    [{ kind: 'price', processorId: id, notExpressible: ['recurring.trial_period_days'] }],
  ])
  const [sold] = pulled.products
  const [price] = sold?.prices ?? []
  if (sold === undefined || price === undefined) throw new Error('Nothing was pulled')
  const { processor_id: _adopted, ...own } = price
  const dearer = { ...pulled, products: [{ ...sold, prices: [{ ...own, amount: 1000 }] }] }
  const replaced = await service.push(dearer, nobody)
  expect(codesOf(replaced.warnings)).not.toContain('not_carried_over')
  const trials = async () => {
    const { data } = await stripe.prices.list({ product: product.id, active: true })
    return data.map(({ unit_amount: amount, recurring }) => [amount, recurring?.trial_period_days])
  }
  expect(await trials()).toEqual([[1000, 14]])
  expect((await service.drift()).notes).toHaveLength(1)
  // The earlier price has the trial too.
  await service.rollback(1, nobody)
  expect(await trials()).toEqual([[900, 14]])
  expect((await stripe.prices.list({ product: product.id })).data).toHaveLength(2)
})

it('a trial of a price is reported if the replacement cannot have a trial', async () => {
  const { stripe, service } = stack
  const product = await stripe.products.create({ id: 'theirs', name: 'Theirs' })
  const recurring = { interval: 'month', trial_period_days: 14 } as const
  await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 900, recurring, lookup_key: 'p' })
  const { document: pulled } = await service.pull()
  await service.push(pulled, nobody)
  const [sold] = pulled.products
  if (sold === undefined) throw new Error('Nothing was pulled')
  const once = { ...pulled, products: [{ ...sold, prices: [{ id: 'p', amount: 900, currency: 'eur' as const }] }] }
  const { warnings } = await service.push(once, nobody)
  const lost = warnings.find(({ code }) => code === 'not_carried_over')
  expect(lost?.detail).toContain('recurring.trial_period_days')
})

it('an archived price with a trial of its own is not reactivated for a price without a trial', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  const first = await current(stack)
  const twin = await stripe.prices.create({
    product: 'rc_pro',
    currency: 'eur',
    unit_amount: 1500,
    recurring: { interval: 'month', trial_period_days: 14 },
    metadata: first.metadata,
  })
  await stripe.prices.update(twin.id, { active: false })
  await service.push(document({ ...monthly, amount: 1500 }), nobody)
  const second = await current(stack)
  expect(second).toMatchObject({ active: true, unit_amount: 1500, recurring: { trial_period_days: null } })
  expect(second.id).not.toBe(twin.id)
  expect((await stripe.prices.retrieve(twin.id)).active).toBe(false)
})

it('a former price that is reactivated gets the values that the document does not contain from the price it replaces', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  const first = await current(stack)
  await service.push(document({ ...monthly, amount: 1500 }), nobody)
  const second = await current(stack)
  await stripe.prices.update(second.id, {
    nickname: 'From the dashboard',
    metadata: { crm: '4711' },
    currency_options: { usd: { unit_amount: 1300 } },
  })
  const planned = await service.rollback(1, { ...nobody, dryRun: true })
  expect(planned.details.find(({ kind }) => kind === 'price')?.because).toEqual(['amount'])
  await service.rollback(1, nobody)
  const third = await current(stack)
  expect(third.id).toBe(first.id)
  const kept = {
    nickname: 'From the dashboard',
    metadata: { crm: '4711' },
    currency_options: { usd: { unit_amount: 1300 } },
  }
  expect(third).toMatchObject({ unit_amount: 1200, ...kept })
  expect((await service.drift()).inSync).toBe(true)
  // And there and back again.
  await service.rollback(2, nobody)
  expect(await current(stack)).toMatchObject({ id: second.id, unit_amount: 1500, ...kept })
})

it('a replaced webhook endpoint keeps its API version', async () => {
  const { stripe, service } = stack
  const adopted = await stripe.webhookEndpoints.create({
    url: 'https://seller.example/hook',
    enabled_events: ['invoice.created'],
    api_version: '2025-03-31.basil',
    description: 'Bookkeeping',
  })
  const hook = { id: 'books', url: adopted.url, events: ['invoice.created'] }
  const having = (more: object) => ({ ...document(monthly), webhooks: [{ ...hook, ...more }] })
  await service.push(having({ processor_id: adopted.id }), nobody)
  await service.push(having({ connect: true }), nobody)
  const { data } = await stripe.webhookEndpoints.list()
  expect(
    data.map(({ id, status, api_version, description }) => [id === adopted.id, status, api_version, description]),
  ).toEqual([
    [false, 'enabled', '2025-03-31.basil', 'Bookkeeping'],
    [true, 'disabled', '2025-03-31.basil', 'Bookkeeping'],
  ])
  expect((await service.drift()).inSync).toBe(true)
})

it('of two endpoints at one URL, a pull writes the newer as that for connected accounts and says so, and a push adopts both', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  const make = (more: object) =>
    stripe.webhookEndpoints.create({ url: 'https://seller.example/hook', enabled_events: ['invoice.created'], ...more })
  const [own, connected] = [await make({}), await make({ connect: true })]
  const { document: pulled, unrepresentable } = await service.pull()
  const hooks = new Map(pulled.webhooks?.map((hook) => [hook.processor_id, hook.connect]))
  expect(hooks).toEqual(
    new Map([
      [connected.id, true],
      [own.id, undefined],
    ]),
  )
  expect(unrepresentable).toMatchObject([
    {
      kind: 'webhook',
      processorId: connected.id,
      field: 'connect',
      reason: expect.stringContaining('newer of two') as string,
    },
  ])

  const { details, warnings } = await service.push({ ...pulled, version: '1.0.1' }, nobody)
  expect(details.map(({ kind, action }) => [kind, action])).toEqual([
    ['webhook', 'adopt'],
    ['webhook', 'adopt'],
  ])
  expect(warnings.filter(({ code }) => code === 'webhook_url_foreign')).toEqual([])
  const marks = (await stripe.webhookEndpoints.list()).data.map(({ id, metadata }) => [
    id,
    metadata['ratecard_connect'],
  ])
  expect(new Map(marks as [string, string][])).toEqual(
    new Map([
      [connected.id, 'true'],
      [own.id, undefined],
    ]),
  )
  expect((await service.drift()).inSync).toBe(true)
  expect((await service.push({ ...pulled, version: '1.0.1' }, nobody)).status).toBe('unchanged')
  expect((await service.pull()).unrepresentable).toEqual([])
})

it('a second endpoint that is known to be for the account’s own events is left out of a pull, with its reason', async () => {
  const { stripe, service } = stack
  await service.push(document(monthly), nobody)
  const make = (more: object) =>
    stripe.webhookEndpoints.create({ url: 'https://seller.example/hook', enabled_events: ['invoice.created'], ...more })
  const first = await make({})
  const { id } = await make({ metadata: { ratecard_connect: 'false' } })
  const { document: pulled, unrepresentable } = await service.pull()
  expect(pulled.webhooks).toHaveLength(1)
  expect(pulled.webhooks).not.toMatchObject([{ connect: true }])
  expect(unrepresentable).toMatchObject([
    { kind: 'webhook', field: null, reason: expect.stringMatching(/URL/) as string },
  ])
  expect([first.id, id]).toContain(unrepresentable[0]?.processorId)
})

it('an endpoint whose metadata is full is not adopted as that for connected accounts, and nothing is written', async () => {
  const { stripe, service } = stack
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key_${String(key)}`, 'x']))
  const { id, url } = await stripe.webhookEndpoints.create({
    ...{ url: 'https://seller.example/hook', enabled_events: ['invoice.created'] },
    ...{ connect: true, metadata },
  })
  const before = stack.writes()
  const webhooks = [{ id: 'hook', url, events: ['invoice.created'], connect: true, processor_id: id }]
  await expect(service.push({ ...document(monthly), webhooks }, nobody)).rejects.toMatchObject({
    issues: [{ code: 'metadata_full' }],
  })
  expect(stack.writes()).toBe(before)
  // With room for one key, the flag has it and not the ownership mark.
  await stripe.webhookEndpoints.update(id, { metadata: { key_0: '' } })
  await service.push({ ...document(monthly), webhooks }, nobody)
  const adopted = await stripe.webhookEndpoints.retrieve(id)
  expect(adopted.metadata).toMatchObject({ ratecard_connect: 'true' })
  expect(Object.keys(adopted.metadata)).toHaveLength(50)
  expect((await service.drift()).inSync).toBe(true)
})

it('a push warns if it replaces the lookup key of an adopted price; a price without `lookup_key` in the document keeps its key', async () => {
  const { stripe, service } = stack
  const product = await stripe.products.create({ name: 'Pro' })
  const theirs = async (lookup_key: string, currency: string) => {
    const { id } = await stripe.prices.create({
      product: product.id,
      currency,
      unit_amount: 1200,
      recurring: { interval: 'month' },
      lookup_key,
    })
    return id
  }
  const config = document({
    ...monthly,
    lookup_key: 'pro_monthly',
    processor_id: await theirs('Standard plan', 'eur'),
  })
  const same = { ...monthly, id: 'same', currency: 'usd' as const, processor_id: await theirs('same', 'usd') }
  const kept = { ...monthly, id: 'kept', currency: 'gbp' as const, processor_id: await theirs('Their key', 'gbp') }
  const [pro] = config.products
  const adopting = {
    ...config,
    products: [
      { ...pro, id: 'pro', name: 'Pro', processor_id: product.id, prices: [...(pro?.prices ?? []), same, kept] },
    ],
  }
  const { warnings } = await service.push(adopting, nobody)
  const named = warnings.filter(({ code }) => code === 'lookup_key_replaced')
  expect(named.map(({ pointer }) => pointer)).toEqual(['#/products/0/prices/0'])
  expect(named[0]?.detail).toContain('"Standard plan" at the processor; it becomes "pro_monthly"')
  const keys = async () => (await stripe.prices.list({ limit: 100 })).data.map(({ lookup_key }) => lookup_key).sort()
  expect(await keys()).toEqual(['Their key', 'pro_monthly', 'same'])
  expect((await service.push(adopting, nobody)).status).toBe('unchanged')
})
