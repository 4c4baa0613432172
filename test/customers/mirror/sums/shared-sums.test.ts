import { describe, expect, it } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { createSharedSums } from '../../../../packages/ratecard/src/customers/mirror/reads/deps.ts'
import type { SumStores } from '../../../../packages/ratecard/src/customers/mirror/sums/sum-customers.ts'

/** Stores with one customer whose sums are outdated until they are saved. Its objects are read when the test lets them be read. */
function slowStores() {
  const marks = new Map([['cus_1', 1]])
  const gate = Promise.withResolvers<null>()
  let reads = 0
  const stores: SumStores = {
    mirror: {
      unsummed: () =>
        Promise.resolve([...marks].map(([customer, marked]) => ({ customer: processorId(customer), marked }))),
    },
    revenue: {
      customers: async () => {
        reads += 1
        await gate.promise
        return new Map()
      },
      prices: () => Promise.resolve(new Map()),
      save: (sums) => {
        for (const { customer, marked } of sums) if (marks.get(customer) === marked) marks.delete(customer)
        return Promise.resolve()
      },
    },
  }
  const mark = (customer: string, marked: number) => marks.set(customer, marked)
  return {
    stores,
    mark,
    open: () => {
      gate.resolve(null)
    },
    reads: () => reads,
    marks,
  }
}

describe('the sums of customers, if many requests read them at the same time,', () => {
  it('are computed only once for all waiting requests', async () => {
    const { stores, open, reads } = slowStores()
    const current = createSharedSums(stores)
    const waiting = Array.from({ length: 50 }, () => current())
    open()
    await Promise.all(waiting)
    expect(reads()).toBe(1)
  })

  it('include changes that were made before the request, even if a computation began before the change', async () => {
    const { stores, mark, open, marks } = slowStores()
    const current = createSharedSums(stores)
    const first = current()
    await Promise.resolve()
    mark('cus_2', 2)
    const second = current()
    open()
    await first
    await second
    expect(marks.size).toBe(0)
  })

  it('are computed again after a failure, and only requests that waited for the failed computation get the error', async () => {
    const { stores, open, reads } = slowStores()
    let failures = 1
    const current = createSharedSums({
      ...stores,
      mirror: {
        unsummed: (limit) => (failures-- > 0 ? Promise.reject(new Error('no store')) : stores.mirror.unsummed(limit)),
      },
    })
    const [failed, later] = [current(), current()]
    open()
    await expect(failed).rejects.toThrow('no store')
    await later
    expect(reads()).toBe(1)
  })
})
