import type { BillingConfig, Price } from '../config/document/schema.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import type { LiveItem } from '../processor/customer-half.ts'
import type { Tariff } from '../pricing/calculate.ts'
import { monthlyAmount } from '../pricing/impact.ts'
import type { Store } from '../store/store.ts'
import type { BookedPrice, PriceBook } from '../swaps/price-book.ts'

/** How often an item is billed, and for how many. */
type Billed = Pick<LiveItem, 'quantity'> & {
  readonly price: Pick<LiveItem['price'], 'currency' | 'interval' | 'intervalCount'>
}

export interface Money {
  /** Minor units a month at the price that gives way, the item's own or a scheduled one; null where it depends on usage or is not known. */
  before(item: LiveItem, from: ProcessorId): Promise<number | null>
  /** The same at the price it goes to. */
  after(wanted: BookedPrice, item: Billed): number | null
}

/** The processor tells an item's amount, but not its tiers: those are in the revision that made the price. */
export function createMoney(versions: Pick<Store['versions'], 'find'>, book: PriceBook, priceId: string): Money {
  const former = new Map<string, Promise<Tariff | null>>()
  const tariffOf = ({ price }: LiveItem, from: ProcessorId): Promise<Tariff | null> => {
    if (price.id === from && price.unitAmount !== null)
      return Promise.resolve({ unit_amount_decimal: price.unitAmount })
    const known = former.get(from)
    if (known !== undefined) return known
    const entry = book.history(priceId).findLast(({ processorId }) => processorId === from)
    const found =
      entry === undefined
        ? Promise.resolve(null)
        : tariffIn(versions, entry.revision, book.find(priceId)?.price ?? { id: priceId })
    former.set(from, found)
    return found
  }
  return {
    before: async (item, from) => monthly(await tariffOf(item, from), item),
    after: ({ price }, item) => monthly(price, item),
  }
}

async function tariffIn(
  versions: Pick<Store['versions'], 'find'>,
  revision: number,
  present: Pick<Price, 'id' | 'previous_ids'>,
): Promise<Tariff | null> {
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
function monthly(tariff: Tariff | null, { price, quantity }: Billed): number | null {
  if (tariff === null || quantity === null) return null
  const { currency, interval, intervalCount } = price
  const { amount, unit_amount_decimal: decimal, tiers, tiers_mode: mode } = tariff
  const said = {
    ...(amount === undefined ? {} : { amount }),
    ...(decimal === undefined ? {} : { unit_amount_decimal: decimal }),
    ...(tiers === undefined ? {} : { tiers }),
    ...(mode === undefined ? {} : { tiers_mode: mode }),
  }
  return monthlyAmount({ ...said, currency, interval, intervalCount }, [quantity]).amount
}
