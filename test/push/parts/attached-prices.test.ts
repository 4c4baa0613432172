// The attached prices of a price exist only in Ratecard. They are never sent to the processor, and otherwise they are a member of the price
// like any other that names prices.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { publicView } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import { nobody, startStack } from '../../support/stack.ts'

const monthly = (id: string, more: Partial<Price> = {}): Price => ({
  ...{ id, amount: 900, currency: 'usd', interval: 'month' },
  ...more,
})
const shop = (version: string, ...prices: Price[]): BillingConfig => ({
  version,
  products: prices.map((price) => ({ id: price.id, name: price.id, prices: [price] })),
})

async function started() {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  await stack.service.push(shop('1.0.0', monthly('pro'), monthly('seats'), monthly('support')), nobody)
  return stack
}
const attachedOf = ({ products }: BillingConfig) =>
  Object.fromEntries(products.flatMap(({ prices = [] }) => prices.map((price) => [price.id, price.attached_prices])))

test('attached prices can be set, changed and removed without a write at the processor', async () => {
  const stack = await started()
  const before = stack.writes()
  for (const [version, attached] of [
    ['1.1.0', ['seats']],
    ['1.2.0', ['seats', 'support']],
    ['1.3.0', undefined],
  ] as const) {
    const pro = monthly('pro', attached === undefined ? {} : { attached_prices: [...attached] })
    const outcome = await stack.service.push(shop(version, pro, monthly('seats'), monthly('support')), nobody)
    expect(outcome.changes.prices.updated).toEqual(['pro'])
    expect(outcome.details).toMatchObject([
      { kind: 'price', configId: 'pro', action: 'update', because: ['attached_prices'] },
    ])
    expect(outcome.writes).toBe(0)
    expect(attachedOf((await stack.service.fullConfig()).config)).toMatchObject({ pro: attached })
  }
  const empty = shop('1.4.0', monthly('pro', { attached_prices: [] }), monthly('seats'), monthly('support'))
  expect((await stack.service.push(empty, nobody)).changes.prices.updated).toEqual([])
  expect(stack.writes()).toBe(before)
})

test('attached prices cause no drift, and are kept in a pull, a rename of either price and a rollback', async () => {
  const stack = await started()
  const pro = monthly('pro', { attached_prices: ['seats'] })
  await stack.service.push(shop('1.1.0', pro, monthly('seats'), monthly('support')), nobody)
  expect((await stack.service.drift()).inSync).toBe(true)
  const id = (await stack.store.mappings.byConfigId('price', 'pro')).at(-1)?.processorId ?? ''
  await stack.stripe.prices.update(id, { nickname: 'Pro of today' })
  const { document } = await stack.service.pull()
  expect(document.products.flatMap(({ prices = [] }) => prices)[0]).toMatchObject({
    nickname: 'Pro of today',
    attached_prices: ['seats'],
  })
  const renamed = shop(
    '1.2.0',
    monthly('plus', { attached_prices: ['chairs'], previous_ids: ['pro'] }),
    monthly('chairs', { previous_ids: ['seats'] }),
    monthly('support'),
  )
  const outcome = await stack.service.push(renamed, { ...nobody, force: true })
  expect(outcome.details.flatMap(({ because = [] }) => because)).not.toContain('attached_prices')
  await stack.service.rollback(2, nobody)
  expect(attachedOf((await stack.service.fullConfig()).config)).toMatchObject({ pro: ['seats'] })
})

test('a pull leaves out an attached price that no longer exists, and keeps the price to which it was attached', async () => {
  const stack = await started()
  const pro = monthly('pro', { attached_prices: ['seats', 'support'] })
  await stack.service.push(shop('1.1.0', pro, monthly('seats'), monthly('support')), nobody)
  const gone = (await stack.store.mappings.byConfigId('price', 'seats')).at(-1)?.processorId ?? ''
  await stack.stripe.prices.update(gone, { active: false })
  const { document, unrepresentable } = await stack.service.pull()
  expect(attachedOf(document)).toMatchObject({ pro: ['support'] })
  expect(unrepresentable).toMatchObject([{ kind: 'price', reason: expect.stringContaining('"seats"') as string }])
})

test('attached prices are in the public price list together with their price', () => {
  const document = shop('1.0.0', monthly('pro', { attached_prices: ['seats'] }), monthly('seats'))
  expect(attachedOf(publicView(document))).toEqual({ pro: ['seats'], seats: undefined })
})
