import type { BillingConfig } from '../config/document/schema.ts'
import type { LiveItem } from '../processor/customer-half.ts'
import type { Tariff } from '../pricing/calculate.ts'
import { monthlyAmount } from '../pricing/impact.ts'
import type { Store } from '../store/store.ts'
import type { BookedPrice, PriceBook } from '../swaps/price-book.ts'

export interface Money {
  /** Minor units a month at the item's present price; null where it depends on usage or is not known any more. */
  before(item: LiveItem): Promise<number | null>
  /** The same at the price it goes to. */
  after(wanted: BookedPrice, item: LiveItem): number | null
}

/** The processor tells an item's amount, but not its tiers: those are in the revision that made the price. */
export function createMoney(versions: Pick<Store['versions'], 'find'>, book: PriceBook, priceId: string): Money {
  const former = new Map<string, Promise<Tariff | null>>()
  const tariffOf = (item: LiveItem): Promise<Tariff | null> => {
    if (item.price.unitAmount !== null) return Promise.resolve({ unit_amount_decimal: item.price.unitAmount })
    const known = former.get(item.price.id)
    if (known !== undefined) return known
    const entry = book.history(priceId).findLast(({ processorId }) => processorId === item.price.id)
    const found = entry === undefined ? Promise.resolve(null) : tariffIn(versions, entry.revision, priceId)
    former.set(item.price.id, found)
    return found
  }
  return {
    before: async (item) => monthly(await tariffOf(item), item),
    after: ({ price }, item) => monthly(price, item),
  }
}

async function tariffIn(
  versions: Pick<Store['versions'], 'find'>,
  revision: number,
  priceId: string,
): Promise<Tariff | null> {
  const document = (await versions.find(revision))?.document ?? null
  if (document === null) return null
  const { products } = JSON.parse(document) as BillingConfig
  return products.flatMap(({ prices }) => prices ?? []).find(({ id }) => id === priceId) ?? null
}

/** An item keeps its rhythm when it moves, so both sides are of the item's own. */
function monthly(tariff: Tariff | null, { price, quantity }: LiveItem): number | null {
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
