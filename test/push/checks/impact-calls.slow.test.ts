import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { monthlyPrices } from '../../support/fixtures.ts'

let sandbox: Sandbox
let stack: Stack
let asked: string[]
beforeEach(async () => {
  asked = []
  sandbox = await startSandbox({
    port: 0,
    dataDir: null,
    clock: systemClock,
    observe: ({ method, path }) => {
      if (method === 'GET' && path.startsWith('/v1/subscriptions')) asked.push(path)
    },
  })
  stack = await startStack({ sandbox })
})
afterEach(async () => {
  await stack.close()
  await sandbox.close()
})

async function priceId(id: string): Promise<string> {
  const found = (await stack.store.mappings.all()).findLast((entry) => entry.kind === 'price' && entry.configId === id)
  return found?.processorId ?? ''
}

async function subscribers(count: number, id: string): Promise<void> {
  const customer = { id: await payingCustomer(stack.stripe, { name: 'Ada' }) }
  const price = await priceId(id)
  for (let made = 0; made < count; made++)
    await stack.stripe.subscriptions.create({ customer: customer.id, items: [{ price }] })
}

describe('the count of the subscribers that a plan affects', () => {
  test('sends no request to the processor for a first push, an unchanged push, or a change in place', async () => {
    await stack.service.push(monthlyPrices(3), nobody)
    await stack.service.push(monthlyPrices(3), nobody)
    await stack.service.push({ version: '1.1.0', products: [{ ...monthlyPrices(3).products[0]!, name: 'Q' }] }, nobody)
    expect(asked).toEqual([])
  })

  test('sends one request if the account has no subscription, however many prices are removed', async () => {
    await stack.service.push(monthlyPrices(120), nobody)
    await stack.service.push(monthlyPrices(1, '2.0.0'), nobody)
    expect(asked).toHaveLength(1)
  })

  test('reads one list per price if few prices change and there is more than one page of subscriptions', async () => {
    await stack.service.push(monthlyPrices(3), nobody)
    await subscribers(101, 'price_1')
    asked = []
    const { impact } = await stack.service.push(monthlyPrices(1, '2.0.0', 100), nobody)
    expect(impact.map(({ priceId: id, subscriptions }) => [id, subscriptions])).toEqual([
      ['price_1', 101],
      ['price_2', 0],
    ])
    // One page of all subscriptions, two pages of price_1 and one of price_2.
    expect(asked).toHaveLength(4)
  })

  test('reads all pages of subscriptions if many prices are replaced', async () => {
    await stack.service.push(monthlyPrices(60), nobody)
    await subscribers(101, 'price_7')
    asked = []
    const { impact } = await stack.service.push(monthlyPrices(60, '2.0.0', 200), nobody)
    expect(impact.find((price) => price.priceId === 'price_7')?.subscriptions).toBe(101)
    expect(asked).toHaveLength(2)
  })
})
