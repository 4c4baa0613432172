import { configWithAmounts } from '../config/schema/percent-off.ts'
import type { BillingConfig, Price } from '../config/schema/schema.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import type { LiveItem, LivePrice } from '../processor/customer-half.ts'
import { currenciesOf, inCurrency, type Tariff } from '../pricing/calculate.ts'
import { monthlyAmount } from '../pricing/impact.ts'
import type { Store } from '../store/store.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'

/** Members of an item that its monthly amount depends on: billing interval and quantity. */
type BillingTerms = Pick<LiveItem, 'quantity'> & {
  readonly price: Pick<LiveItem['price'], 'interval' | 'intervalCount'>
}

/**
 * Computes monthly amounts of items, in minor units of the subscription's currency. An amount is null if it depends on usage or is unknown.
 */
export interface Money {
  /** Returns the monthly amount at the price that is replaced: the item's current price, or the one that its schedule switches to. */
  before(item: LiveItem, from: ProcessorId, currency: string): Promise<number | null>
  /** Returns the monthly amount at the new price. */
  after(wanted: BookedPrice, item: BillingTerms, currency: string): number | null
}

/**
 * Creates the calculation. The processor returns an item's amount without tiers and further currencies, so these are read from the revision
 * that created the price.
 */
export function createMoney(versions: Pick<Store['versions'], 'find'>, book: PriceBook, priceId: string): Money {
  const former = new Map<string, Promise<Price | null>>()
  const formerPrice = (from: ProcessorId): Promise<Price | null> => {
    const known = former.get(from)
    if (known !== undefined) return known
    const entry = book.history(priceId).findLast(({ processorId }) => processorId === from)
    const found =
      entry === undefined
        ? Promise.resolve(null)
        : priceIn(versions, entry.revision, book.find(priceId)?.price ?? { id: priceId })
    former.set(from, found)
    return found
  }
  return {
    before: async (item, from, currency) => {
      const said = item.price.id === from ? liveTariff(item.price, currency) : null
      return monthly(said ?? soldIn(await formerPrice(from), currency), item, currency)
    },
    after: ({ price }, item, currency) => monthly(soldIn(price, currency), item, currency),
  }
}

/** Returns the amounts (tariff) of the processor's price; null in any currency other than its first one, because the others are unknown. */
function liveTariff({ unitAmount, transformQuantity, currency }: LivePrice, wanted: string): Tariff | null {
  if (unitAmount === null || currency !== wanted) return null
  const packages = transformQuantity && {
    transform_quantity: { divide_by: transformQuantity.divideBy, round: transformQuantity.round },
  }
  return { unit_amount_decimal: unitAmount, ...packages }
}

function soldIn(price: Price | null, currency: string): Tariff | null {
  return price !== null && currenciesOf(price).includes(currency) ? inCurrency(price, currency) : null
}

async function priceIn(
  versions: Pick<Store['versions'], 'find'>,
  revision: number,
  present: Pick<Price, 'id' | 'previous_ids'>,
): Promise<Price | null> {
  const document = (await versions.find(revision))?.document ?? null
  if (document === null) return null
  const { products } = configWithAmounts(JSON.parse(document) as BillingConfig)
  const prices = products.flatMap((product) => product.prices ?? [])
  const { id: now, previous_ids: earlier = [] } = present
  return (
    prices.find(({ id }) => id === now) ??
    // The price may have had another id in that revision: an earlier id, or a later one whose rename was rolled back.
    prices.find(({ id, previous_ids: before = [] }) => earlier.includes(id) || before.includes(now)) ??
    null
  )
}

/**
 * Returns the monthly amount that a tariff (the amounts of a price in one currency) bills. A move does not change the interval, so both
 * amounts are computed with the item's own interval.
 */
function monthly(tariff: Tariff | null, { price, quantity }: BillingTerms, currency: string): number | null {
  if (tariff === null || quantity === null) return null
  const { interval, intervalCount } = price
  return monthlyAmount({ ...tariff, currency, interval, intervalCount }, [quantity]).amount
}
