// The credit of a price exists only in Ratecard until somebody pays. It is never sent to the processor, and otherwise it is a member of the
// price like any other that names meters.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig, Meter, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { publicView } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import { nobody, startStack } from '../../support/stack.ts'

type Credit = NonNullable<Price['grants_credit']>
const monthly = { currency: 'usd', interval: 'month' } as const
const calls: Meter = { id: 'calls', display_name: 'Calls', event_name: 'call' }
const shop = (version: string, credit?: Credit, meter = calls): BillingConfig => ({
  version,
  meters: [meter],
  products: [
    {
      id: 'api',
      name: 'API',
      prices: [
        { id: 'usage', amount: 5, ...monthly, usage_type: 'metered', meter: meter.id },
        { id: 'plan', amount: 900, ...monthly, ...(credit && { grants_credit: credit }) },
      ],
    },
  ],
})
const creditOf = ({ products }: BillingConfig) =>
  products.flatMap(({ prices = [] }) => prices).find(({ id }) => id === 'plan')?.grants_credit

async function started() {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  await stack.service.push(shop('1.0.0'), nobody)
  return stack
}

test('the credit of a price is set, changed and removed without a write at the processor', async () => {
  const stack = await started()
  const before = stack.writes()
  const credits: (Credit | undefined)[] = [{ amount: 500 }, { amount: 700, meters: ['calls'] }, undefined]
  for (const [index, credit] of credits.entries()) {
    const outcome = await stack.service.push(shop(`1.${String(index + 1)}.0`, credit), nobody)
    expect(outcome.details).toMatchObject([
      { kind: 'price', configId: 'plan', action: 'update', because: ['grants_credit'] },
    ])
    expect(outcome.writes).toBe(0)
    expect(creditOf((await stack.service.fullConfig()).config)).toEqual(credit)
  }
  await stack.service.push(shop('1.4.0', { amount: 500 }), nobody)
  const explicit = await stack.service.push(shop('1.5.0', { amount: 500, currency: 'usd' }), nobody)
  expect(explicit.changes.prices.updated).toEqual([])
  expect(stack.writes()).toBe(before)
})

test('the credit of a price causes no drift, and is kept in a pull, a rename of its meter and a rollback', async () => {
  const stack = await started()
  const credit: Credit = { amount: 500, meters: ['calls'] }
  await stack.service.push(shop('1.1.0', credit), nobody)
  expect((await stack.service.drift()).inSync).toBe(true)
  expect(creditOf((await stack.service.pull()).document)).toEqual(credit)
  const renamed = { ...calls, id: 'requests', previous_ids: ['calls'] }
  const outcome = await stack.service.push(shop('1.2.0', { amount: 500, meters: ['requests'] }, renamed), nobody)
  expect(outcome.details.flatMap(({ because = [] }) => because)).not.toContain('grants_credit')
  await stack.service.rollback(2, nobody)
  expect(creditOf((await stack.service.fullConfig()).config)).toEqual(credit)
})

test('a pull leaves out a credit whose meter is no longer billed by any price, and keeps the price', async () => {
  const stack = await started()
  await stack.service.push(shop('1.1.0', { amount: 500, meters: ['calls'] }), nobody)
  const gone = (await stack.store.mappings.byConfigId('price', 'usage')).at(-1)?.processorId ?? ''
  await stack.stripe.prices.update(gone, { active: false })
  const { document, unrepresentable } = await stack.service.pull()
  expect(document.products[0]?.prices?.map(({ id }) => id)).toEqual(['plan'])
  expect(creditOf(document)).toBeUndefined()
  expect(unrepresentable).toMatchObject([{ kind: 'price', reason: expect.stringContaining('"calls"') as string }])
})

test('the credit of a price is in the public price list together with the price', () => {
  expect(creditOf(publicView(shop('1.0.0', { amount: 500 })))).toEqual({ amount: 500 })
})
