// Computes and stores the sums of customers whose objects changed.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { standingOf } from './standing.ts'
import type { StoredCustomer } from '../../../store/records/revenue.ts'
import type { Store } from '../../../store/store.ts'

export interface SumStores {
  readonly mirror: Pick<Store['mirror'], 'unsummed'>
  readonly revenue: Pick<Store['revenue'], 'customers' | 'prices' | 'save'>
}

/** Maximum number of customers whose objects are in memory at a time. */
const batchSize = 200

/**
 * Computes all outdated sums of customers again, and returns the number of these customers. Stops between two batches if `signal` aborts.
 */
export async function sumCustomers(stores: SumStores, signal: AbortSignal): Promise<number> {
  for (let summed = 0; ;) {
    if (signal.aborted) return summed
    const count = await sumBatch(stores)
    summed += count
    if (count < batchSize) return summed
  }
}

async function sumBatch({ mirror, revenue }: SumStores): Promise<number> {
  // Reads which customers have outdated sums before it reads their objects. So if an object changes in between, the sums of its customer
  // stay marked as outdated.
  const due = await mirror.unsummed(batchSize)
  if (due.length === 0) return 0
  const found = await revenue.customers(due.map(({ customer }) => customer))
  const prices = await revenue.prices([...pricesOf([...found.values()])])
  await revenue.save(
    due.map(({ customer: id, marked }) => {
      const { customer, subscriptions, invoices } = found.get(id) ?? nothing
      return { ...standingOf({ customer: customer ?? unknownCustomer(id), subscriptions, invoices, prices }), marked }
    }),
  )
  return due.length
}

const nothing: StoredCustomer = { customer: null, subscriptions: [], invoices: [] }

/** Returns a placeholder for a customer that the processor deleted. It is needed because the customer's invoices remain. */
function unknownCustomer(id: ProcessorId) {
  return { id, balance: {}, deleted: true, tenant: null, testClock: null, discount: null }
}

function pricesOf(customers: readonly StoredCustomer[]): ReadonlySet<ProcessorId> {
  return new Set(
    customers.flatMap(({ subscriptions }) => subscriptions.flatMap(({ items }) => items.map(({ price }) => price.id))),
  )
}
