// Prices that were removed from the configuration and that a subscription still has: it may get another quantity of them. Pure.
import { isCurrency } from '../../../base/money/currencies.ts'
import { scopeOf, type PriceBook } from '../../item-swaps/price-book.ts'
import type { SoldItem, SoldItemOf } from '../../item-swaps/sold-items.ts'
import type { BillingConfig, Price, Product } from '../../../document/schema/schema.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'

interface Removed {
  readonly id: string
  readonly live: LiveItem
  readonly currency: Price['currency']
  readonly sold: SoldItem
}

/**
 * Returns the configuration with the removed prices that the subscriptions have, as they are billed. A removed metered price counts as attached
 * to the other removed prices of its product or group, so that their change leaves it alone.
 */
export function withRemovedPrices(
  config: BillingConfig,
  live: readonly LiveSubscription[],
  { book, soldItem }: { readonly book: PriceBook; readonly soldItem: SoldItemOf },
): BillingConfig {
  const found = live.flatMap(({ items }) =>
    items.flatMap((item): Removed[] => {
      const id = book.idOf(item.price.id)
      const sold = id === undefined || book.find(id) !== undefined ? null : soldItem(item)
      const { currency } = item.price
      return id === undefined || sold === null || !isCurrency(currency) ? [] : [{ id, live: item, currency, sold }]
    }),
  )
  const removed = found.filter(({ id }, index) => found.findIndex((one) => one.id === id) === index)
  if (removed.length === 0) return config
  return { ...config, products: [...config.products, ...removed.map((one) => productOf(one, removed))] }
}

function productOf({ id, live, currency, sold }: Removed, removed: readonly Removed[]): Product {
  const { group } = sold.product
  const isMetered = live.quantity === null
  const attached = removed.filter(
    (one) => !isMetered && one.live.quantity === null && scopeOf(one.sold.product) === scopeOf(sold.product),
  )
  const { interval, intervalCount } = live.price
  const price: Price = {
    // The amount is not used: the item keeps its price at the processor.
    ...{ id, processor_id: live.price.id, amount: 0, currency, interval, interval_count: intervalCount },
    ...(isMetered ? { usage_type: 'metered' as const, ...(sold.meter === null ? {} : { meter: sold.meter }) } : {}),
    ...(attached.length === 0 ? {} : { attached_prices: attached.map((one) => one.id) }),
  }
  return {
    ...{ id: sold.product.id, name: sold.product.id, prices: [price] },
    ...(group === null ? {} : { subscription_group: group }),
  }
}
