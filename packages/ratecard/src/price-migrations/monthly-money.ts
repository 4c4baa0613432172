import type { BillingConfig, Price } from '../config/schema/schema.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import type { LiveItem, LivePrice } from '../processor/customer-half.ts'
import { currenciesOf, inCurrency } from '../pricing/calculate.ts'
import type { Tariff } from '../pricing/calculate.ts'
import { monthlyAmount } from '../pricing/impact.ts'
import type { Store } from '../store/store.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'

/** How often an item is billed, and for how many. */
type BillingTerms = Pick<LiveItem, 'quantity'> & {
  readonly price: Pick<LiveItem['price'], 'interval' | 'intervalCount'>
}

/** Money of an item in the currency of its subscription, in minor units a month; null where it depends on usage or is not known. */
export interface Money {
  /** At the price that gives way, the item's own or a scheduled one. */
  before(item: LiveItem, from: ProcessorId, currency: string): Promise<number | null>
  /** At the price it goes to. */
  after(wanted: BookedPrice, item: BillingTerms, currency: string): number | null
}

/** The processor tells an item's amount, but neither its tiers nor its other currencies: those are in the revision that made the price. */
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
      const said = item.price.id === from ? saidTariff(item.price, currency) : null
      return monthly(said ?? soldIn(await formerPrice(from), currency), item, currency)
    },
    after: ({ price }, item, currency) => monthly(soldIn(price, currency), item, currency),
  }
}

/** What the processor tells of the price, which is in its first currency. */
function saidTariff({ unitAmount, transformQuantity, currency }: LivePrice, wanted: string): Tariff | null {
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
  const { products } = JSON.parse(document) as BillingConfig
  const prices = products.flatMap((product) => product.prices ?? [])
  const { id: now, previous_ids: earlier = [] } = present
  return (
    prices.find(({ id }) => id === now) ??
    // It had another name then: an earlier one, or a later one that was rolled back.
    prices.find(({ id, previous_ids: before = [] }) => earlier.includes(id) || before.includes(now)) ??
    null
  )
}

/** An item keeps its rhythm when it moves, so both sides are of the item's own. */
function monthly(tariff: Tariff | null, { price, quantity }: BillingTerms, currency: string): number | null {
  if (tariff === null || quantity === null) return null
  const { interval, intervalCount } = price
  return monthlyAmount({ ...tariff, currency, interval, intervalCount }, [quantity]).amount
}
