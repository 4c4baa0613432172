// The subscription group of a product exists only in Ratecard. It is never sent to the processor, and otherwise it is a member of the
// product like any other.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { publicView } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { nobody, startStack } from '../../support/stack.ts'

const product = (id: string, more: Partial<Product> = {}): Product => ({
  ...{ id, name: id },
  prices: [{ id: `${id}_monthly`, amount: 900, currency: 'usd', interval: 'month' }],
  ...more,
})
const shop = (version: string, ...products: Product[]): BillingConfig => ({ version, products })

async function started() {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  await stack.service.push(shop('1.0.0', product('team'), product('storage')), nobody)
  return stack
}
const groupsOf = ({ products }: BillingConfig) =>
  Object.fromEntries(products.map(({ id, subscription_group: group }) => [id, group]))

test('the subscription group of a product is set, changed and removed without a write at the processor', async () => {
  const stack = await started()
  const before = stack.writes()
  for (const [version, more] of [
    ['1.1.0', { subscription_group: 'plan' }],
    ['1.2.0', { subscription_group: 'tier' }],
    ['1.3.0', {}],
  ] as const) {
    const outcome = await stack.service.push(shop(version, product('team', more), product('storage')), nobody)
    expect(outcome.changes.products.updated).toEqual(['team'])
    expect(outcome.details).toMatchObject([
      { kind: 'product', configId: 'team', action: 'update', because: ['subscription_group'] },
    ])
    expect(outcome.writes).toBe(0)
    expect(groupsOf((await stack.service.fullConfig()).config)).toMatchObject({ team: more.subscription_group })
  }
  expect(stack.writes()).toBe(before)
})

test('the subscription group of a product causes no drift, and is kept in a pull, a rename and a rollback', async () => {
  const stack = await started()
  const grouped = shop('1.1.0', product('team', { subscription_group: 'plan' }), product('storage'))
  await stack.service.push(grouped, nobody)
  expect((await stack.service.drift()).inSync).toBe(true)
  const id = (await stack.store.mappings.byConfigId('product', 'team')).at(-1)?.processorId ?? ''
  await stack.stripe.products.update(id, { name: 'Team of today' })
  const { document } = await stack.service.pull()
  expect(document.products.find((one) => one.id === 'team')).toMatchObject({
    name: 'Team of today',
    subscription_group: 'plan',
  })
  const renamed = product('crew', { subscription_group: 'plan', previous_ids: ['team'] })
  await stack.service.push(shop('1.2.0', renamed, product('storage')), { ...nobody, force: true })
  expect(groupsOf((await stack.service.fullConfig()).config)).toMatchObject({ crew: 'plan' })
  await stack.service.push(shop('1.3.0', product('crew'), product('storage')), nobody)
  await stack.service.rollback(3, nobody)
  expect(groupsOf((await stack.service.fullConfig()).config)).toMatchObject({ crew: 'plan' })
})

test('the subscription group of a product is part of the public configuration', () => {
  expect(groupsOf(publicView(shop('1.0.0', product('team', { subscription_group: 'plan' }))))).toEqual({ team: 'plan' })
})

test.each([
  ['', 'value_invalid'],
  ['my plan', 'value_invalid'],
  [7, 'type_wrong'],
  [null, 'type_wrong'],
])('a subscription group must be a valid id: %j is refused with the group’s place in the document', (group, code) => {
  const { errors } = validateConfig({ version: '1.0.0', products: [{ ...product('team'), subscription_group: group }] })
  expect(errors).toMatchObject([{ code, pointer: '#/products/0/subscription_group' }])
})
