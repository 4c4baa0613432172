// Keeps the sums of customers up to date, by which lists of tenants are filtered and sorted.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { MirroredPrice } from '../../processor/mirrored.ts'
import type { CustomerStanding, MirrorStore } from '../../store/mirror-store.ts'
import { standingOf } from '../sums/standing.ts'
import type { FeedDeps } from './deps.ts'

const batch = 200

/** Computes the sums of every customer whose objects changed since they were last computed. */
export async function sumCustomers({ store }: Pick<FeedDeps, 'store'>, signal: AbortSignal): Promise<void> {
  const { mirror } = store
  for (;;) {
    const due = await mirror.unsummed(batch)
    if (due.length === 0) return
    const prices = new Map<ProcessorId, MirroredPrice | null>()
    const standings: (CustomerStanding & { readonly marked: number })[] = []
    for (const { customer, marked } of due) {
      signal.throwIfAborted()
      standings.push({ ...(await readStanding(mirror, customer, prices)), marked })
    }
    await mirror.saveStandings(standings)
  }
}

/** Reads what the mirror holds of a customer, and sums it. `prices` is a cache for several customers. */
async function readStanding(
  mirror: MirrorStore,
  id: ProcessorId,
  prices: Map<ProcessorId, MirroredPrice | null>,
): Promise<CustomerStanding> {
  const subscriptions = await mirror.subscriptionsOf(id)
  const { items: invoices } = await mirror.invoicesOf(id, { limit: mostInvoices, offset: 0 })
  const customer = (await mirror.find('customer', id)) ?? unknownCustomer(id)
  for (const item of subscriptions.flatMap((one) => one.items))
    if (!prices.has(item.price.id)) prices.set(item.price.id, await mirror.find('price', item.price.id))
  const known = new Map([...prices].flatMap(([price, found]) => (found === null ? [] : [[price, found] as const])))
  return standingOf({ customer, subscriptions, invoices, prices: known })
}

/** Invoices of a customer that its sums are made of, newest first: twenty years of monthly ones, and more. */
const mostInvoices = 1_000

/** A customer whose object was not read yet, although one of its subscriptions or invoices was. */
function unknownCustomer(id: ProcessorId) {
  return { id, balance: {}, discount: null, deleted: false, testClock: null }
}
