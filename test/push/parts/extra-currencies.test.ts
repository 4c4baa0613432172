// Currencies beyond the specification's twenty: a document must allow them, and a pull writes that it does.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'

const shop: BillingConfig = {
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro', amount: 1000, currency: 'usd', interval: 'month' }] }],
}

async function started() {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  return stack
}

test('a change of `extra_currencies` alone is a revision that writes nothing, and its order is no change', async () => {
  const { service, writes } = await started()
  await service.push(shop, nobody)
  const before = writes()
  const allowing: BillingConfig = { ...shop, extra_currencies: ['krw', 'huf'] }
  expect(await service.push(allowing, nobody)).toMatchObject({ status: 'applied', writes: 0 })
  expect((await service.fullConfig()).config).toMatchObject({ extra_currencies: ['krw', 'huf'] })
  const turned: BillingConfig = { ...allowing, extra_currencies: ['huf', 'krw', 'huf'] }
  expect(await service.push(turned, nobody)).toMatchObject({ status: 'unchanged' })
  expect(writes()).toBe(before)
  expect((await service.published()).served.config).not.toHaveProperty('extra_currencies')
})

test('a pull adds the currencies that the account needs to those of the current version, and a push of them is refused without', async () => {
  const { service, stripe } = await started()
  await service.push({ ...shop, extra_currencies: ['huf'] }, nobody)
  const product = await stripe.products.create({ name: 'Theirs' })
  await stripe.prices.create({ product: product.id, currency: 'kwd', unit_amount: 5120 })
  const { document } = await service.pull()
  expect(document.extra_currencies).toEqual(['huf', 'kwd'])
  expect((await service.push(document, { ...nobody, dryRun: true })).status).toBe('planned')
  const { extra_currencies: _extra, ...bare } = document
  await expect(service.push(bare, nobody)).rejects.toMatchObject({
    code: 'config_invalid',
    issues: [
      {
        code: 'currency_unknown',
        pointer: '#/products/1/prices/0/currency',
        hint: expect.stringContaining('Allow it in the document: "extra_currencies": ["kwd"].') as string,
      },
    ],
  })
})
