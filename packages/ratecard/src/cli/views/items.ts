// Items of a subscription as text, e.g. `pro × 7, backup`.

interface ShownItem {
  readonly priceId: string | null
  readonly processorPriceId: string
  readonly quantity: number | null
}

/** Returns the items with their ids in the configuration. A quantity of one, and that of a metered price, is omitted. */
export function itemsText(items: readonly ShownItem[]): string {
  return items
    .map(({ priceId, processorPriceId, quantity }) => {
      const name = priceId ?? processorPriceId
      return quantity === null || quantity === 1 ? name : `${name} × ${String(quantity)}`
    })
    .join(', ')
}
