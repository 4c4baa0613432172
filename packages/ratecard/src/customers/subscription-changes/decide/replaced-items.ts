// Finds the items that a change replaces: the items of one product or group (scope), and the prices attached to them. Pure.
import type { WantedItem } from '../../../document/pricing/sold-together.ts'

/** An item of the subscription, or of a later phase of its schedule, under its listed price. */
export interface ListedItem {
  /**
   * Configuration id of the price, or of the base price for a negotiated price; for a price of the subscription that was removed, its last id. null
   * if the price does not belong to the configuration.
   */
  readonly listed: string | null
  /** Product or group of the price; null if the price does not belong to the configuration. */
  readonly scope: string | null
  /** Ids of the listed prices that are sold with the price. */
  readonly attachedPrices: readonly string[]
  /** null for a metered item. */
  readonly quantity: number | null
}

export interface ReplacedItems {
  /** Ids of the listed prices that are replaced: the prices of the scope (product or group), and all prices attached to them. */
  readonly prices: ReadonlySet<string>
  /**
   * Quantity of the only licensed item of the scope (product or group), otherwise 1. A wanted item keeps this quantity if the request has
   * none.
   */
  readonly quantity: number
  /** Items that stay, by listed price. Prices may be attached to them. */
  readonly staying: readonly WantedItem[]
}

/** Returns the items that a change of the product or group `scope` replaces. `phased` are the items of later phases of the schedule. */
export function replacedItems(
  scope: string,
  present: readonly ListedItem[],
  phased: readonly ListedItem[],
): ReplacedItems {
  const isOfScope = (item: ListedItem) => item.scope === scope
  const own = [...present, ...phased].filter(isOfScope)
  const attached = attachedPricesOf(present)
  const isLicensedBase = (item: ListedItem) => isOfScope(item) && item.quantity !== null && !attached.has(item.listed)
  const [only, second] = present.filter(isLicensedBase)
  return {
    prices: new Set(
      own.flatMap(({ listed, attachedPrices }) => (listed === null ? attachedPrices : [listed, ...attachedPrices])),
    ),
    quantity: second === undefined ? (only?.quantity ?? 1) : 1,
    staying: stayingItems(present.filter((item) => !isOfScope(item))),
  }
}

/** Returns the ids of the listed prices that are attached to another item. Only items with a listed price are considered. */
export function attachedPricesOf(items: readonly ListedItem[]): ReadonlySet<string | null> {
  return new Set(items.flatMap(({ attachedPrices }) => attachedPrices))
}

/** Returns each listed price once. The quantities of items on several processor prices of one listed price are added. */
function stayingItems(items: readonly ListedItem[]): readonly WantedItem[] {
  const quantities = new Map<string, number>()
  for (const { listed, quantity } of items)
    if (listed !== null) quantities.set(listed, (quantities.get(listed) ?? 0) + (quantity ?? 1))
  return [...quantities].map(([priceId, quantity]) => ({ priceId, quantity }))
}
