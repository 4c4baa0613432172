// Keeps the sums of customers up to date, by which lists of tenants are filtered and sorted.
import type { FeedDeps } from './deps.ts'

const batch = 200

/** Computes the sums of every customer whose objects changed since they were last computed. */
export async function sumCustomers({ store, standingOf }: FeedDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const customers = await store.mirror.unsummed(batch)
    if (customers.length === 0) return
    signal.throwIfAborted()
    await store.mirror.saveStandings(await Promise.all(customers.map((customer) => standingOf(customer))))
  }
}
