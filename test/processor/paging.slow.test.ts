import { describe, expect, it } from 'vitest'
import { sandboxAndProcessor } from './suite/bench.ts'

const productCalls = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: '/v1/products',
    params: { id: `p${index}`, name: `Product ${index}` },
  }))

const priceCall = (product: number, amount: number, active = true) => ({
  path: '/v1/prices',
  params: { product: `p${product}`, currency: 'usd', unit_amount: amount, active },
})

describe('a snapshot of more than one page', () => {
  it('contains each of 250 products, with their active and archived prices, exactly once', async () => {
    const { sandbox, processor, signal } = await sandboxAndProcessor()
    const prices = Array.from({ length: 250 }, (_, index) => priceCall(index, 100 + index, index % 2 === 0))
    await sandbox.control.seed(sandbox.apiKey, [...productCalls(250), ...prices])
    sandbox.control.clearRequests()
    const pages: string[] = []
    const snapshot = await processor.snapshot({
      signal,
      onPage: ({ kind, objects }) => pages.push(`${kind} ${objects}`),
    })
    expect(new Set(snapshot.product.map((one) => one.processorId)).size).toBe(250)
    expect(new Set(snapshot.price.map((one) => one.processorId)).size).toBe(250)
    expect(snapshot.price.filter((one) => one.active)).toHaveLength(125)
    expect(pages.filter((page) => page.startsWith('product'))).toEqual(['product 100', 'product 200', 'product 250'])
    expect(pages).toContain('price 250')
    const requests = sandbox.control.requests()
    expect(requests.filter((request) => request.path === '/v1/prices')).toHaveLength(4)
    expect(requests.every(({ params }) => JSON.stringify(params).includes('"limit":"100"'))).toBe(true)
  })

  it('takes one request per hundred prices, and one request for each other kind, for 1,000 products with five prices each', async () => {
    const { sandbox, processor, signal } = await sandboxAndProcessor()
    const prices = Array.from({ length: 5000 }, (_, index) => priceCall(Math.floor(index / 5), 100 + index))
    await sandbox.control.seed(sandbox.apiKey, [...productCalls(1000), ...prices])
    sandbox.control.clearRequests()
    const snapshot = await processor.snapshot({ signal })
    expect([snapshot.product.length, snapshot.price.length]).toEqual([1000, 5000])
    expect(sandbox.control.requests().length).toBeLessThanOrEqual(68)
  })
})
