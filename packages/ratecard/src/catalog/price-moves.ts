// Finds the prices whose amounts differ between two documents, and compares them.
import { configWithAmounts } from '../document/schema/prices/percent-off.ts'
import type { BillingConfig, Price } from '../document/schema/schema.ts'
import { compareAmounts, type CurrencyChange } from '../document/pricing/price-change.ts'
import { itemsOf } from './kinds.ts'
import type { Rename } from './renames.ts'

/** A price whose amounts change. */
export interface PriceMove {
  readonly configId: string
  /** True for a negotiated price. */
  readonly negotiated: boolean
  readonly interval: Price['interval']
  readonly intervalCount: number
  readonly currencies: readonly CurrencyChange[]
}

/** Returns the prices that rise or fall for some quantity and currency, in document order. A renamed price is compared with itself. */
export function priceMoves(
  previous: BillingConfig | null,
  config: BillingConfig,
  renames: readonly Pick<Rename, 'kind' | 'from' | 'to'>[],
): readonly PriceMove[] {
  if (previous === null) return []
  const former = new Map(pricesIn(previous).map((price) => [price.id, price]))
  const earlierId = new Map(
    renames.filter(({ kind }) => kind === 'price').map(({ from, to }) => [String(to), String(from)]),
  )
  return pricesIn(config).flatMap((price) => {
    const before = former.get(earlierId.get(price.id) ?? price.id)
    const currencies = before === undefined ? [] : compareAmounts(before, price)
    if (currencies.every(({ rise, fall }) => rise === null && fall === null)) return []
    return [
      {
        configId: price.id,
        negotiated: isNegotiated(price),
        interval: price.interval,
        intervalCount: price.interval_count ?? 1,
        currencies,
      },
    ]
  })
}

export function isNegotiated(price: Price): boolean {
  return price.enterprise_template !== undefined || price.enterprise_id !== undefined
}

/** Returns the prices of a document, with the amounts of those that are a per cent of another price. */
export function pricesIn(config: BillingConfig): readonly Price[] {
  return itemsOf(configWithAmounts(config), 'price').map(({ item }) => item)
}
