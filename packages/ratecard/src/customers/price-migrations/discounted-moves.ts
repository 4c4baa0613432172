// What the items that a migration moves cost a month, less the discounts that last. Discounts are read from the mirror; without one, amounts are list
// prices.
import { zeroFraction, type Fraction } from '../../base/money/fraction.ts'
import { monthlyCost, tariffOfItem } from '../item-swaps/monthly-money.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { afterDiscounts } from '../../processor/lasting-discounts.ts'
import type { DiscountedSubscription } from '../../store/records/mirror.ts'

/** Exact amounts of an item a month; null if they depend on usage, or are unknown. */
export interface ItemMonths {
  readonly before: Fraction | null
  readonly after: Fraction | null
}

/** Takes the discounts of a subscription off the amounts of its moved items, by item id. All its items count for a discount of a fixed amount. */
export async function discountedMonths(
  { store }: Pick<SwapDeps, 'store'>,
  book: PriceBook,
  { subscription, customerDiscount }: DiscountedSubscription,
  moved: ReadonlyMap<string, ItemMonths>,
): Promise<ReadonlyMap<string, ItemMonths>> {
  const { currency } = subscription
  const before = await Promise.all(
    subscription.items.map(async (item) => {
      const own = moved.get(item.id)?.before ?? null
      const listed = own ?? monthlyCost(await tariffOfItem(store.versions, book, item, currency), item, currency)
      return { item, monthly: listed ?? zeroFraction }
    }),
  )
  const after = before.map(({ item, monthly: same }) => ({ item, monthly: moved.get(item.id)?.after ?? same }))
  const less = [before, after].map((listed) => afterDiscounts(subscription, listed, customerDiscount))
  const amountOf = (index: 0 | 1, id: string) => less[index]?.find(({ item }) => item.id === id)?.monthly ?? null
  return new Map(
    [...moved].map(([id, own]) => [
      id,
      { before: own.before && (amountOf(0, id) ?? own.before), after: own.after && (amountOf(1, id) ?? own.after) },
    ]),
  )
}
