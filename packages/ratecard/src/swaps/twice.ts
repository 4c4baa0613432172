// Who would pay, or pays, twice for one price. Pure. Subscriptions come oldest first. A negotiated price counts as its base: a tenant that has either has both.
import type { ProcessorId } from '../catalog/resource.ts'
import type { LiveSubscription } from '../processor/customer-half.ts'
import type { PriceBook } from './price-book.ts'

/** The later of two subscriptions of one customer to the same price. */
export interface Duplicate {
  readonly subscription: string
  /** The earlier one. */
  readonly of: string
  /** Config id of the ordinary price that both are on, or stand in for. */
  readonly priceId: string
}

type Held = Pick<LiveSubscription, 'id' | 'customer' | 'status' | 'items' | 'allowsDuplicate'>

/** The subscription, not abandoned before its first payment, that the customer has to this price already; the oldest. */
export function subscriptionTo(
  priceId: string,
  subscriptions: readonly Held[],
  book: PriceBook,
): { readonly id: string } | null {
  const wanted = ordinary(priceId, book)
  return paidFor(subscriptions).find((one) => ordinaryPrices(one, book).has(wanted)) ?? null
}

/** Later ones that nobody asked for, in their order; those of different customers have nothing to do with each other. */
export function duplicates(subscriptions: readonly Held[], book: PriceBook): readonly Duplicate[] {
  const first = new Map<string, string>()
  return paidFor(subscriptions).flatMap((subscription) => {
    const { id, customer, allowsDuplicate } = subscription
    return [...ordinaryPrices(subscription, book)].flatMap((priceId) => {
      const key = JSON.stringify([customer, priceId])
      const of = first.get(key)
      if (of === undefined) first.set(key, id)
      return of === undefined || allowsDuplicate ? [] : [{ subscription: id, of, priceId }]
    })
  })
}

/** A checkout that was left at the first payment bills nothing, so it is no reason to refuse another. */
function paidFor<One extends Held>(subscriptions: readonly One[]): readonly One[] {
  return subscriptions.filter(
    ({ status }) => status !== 'incomplete' && status !== 'incomplete_expired' && status !== 'canceled',
  )
}

/** A replaced price counts as its successor. Prices that are not ours do not count. */
function ordinaryPrices({ items }: Held, book: PriceBook): ReadonlySet<string> {
  const ids = items.map(({ price }: { price: { id: ProcessorId } }) => book.idOf(price.id))
  return new Set(ids.filter((id) => id !== undefined).map((id) => ordinary(id, book)))
}

const ordinary = (id: string, book: PriceBook) => book.find(id)?.base ?? id
