// Costs of quantities for the charts of tiered prices, calculated by the service's own code.
import type { TierDocument } from '@ratecard/client'
import { calculatePrice } from '../../../ratecard/src/document/pricing/calculate.ts'
import type { PricePart } from '../amounts/price-change.ts'

/**
 * Returns the cost of a quantity in minor units; null without a price. The cast is safe: the client's `PriceDocument` and the service's
 * price type describe the same document, and only amounts, tiers and currency are read from it.
 */
export function costOf(price: PricePart | null, quantity: number): number | null {
  return price === null ? null : calculatePrice(price as Parameters<typeof calculatePrice>[0], quantity).amount
}

/**
 * Quantities for the chart, from 0 to 1.6 times the start of the last tier (at least to 16). They include both sides of every tier
 * boundary.
 */
export function quantitiesOf(tiers: readonly TierDocument[]): number[] {
  const ends = tiers.flatMap(({ up_to }) => (up_to === 'inf' ? [] : [up_to]))
  const most = Math.ceil(Math.max(10, ...ends) * 1.6)
  const even = Array.from({ length: 61 }, (_, index) => Math.round((most * index) / 60))
  return [...new Set([...even, ...ends, ...ends.map((end) => end + 1)])].sort((a, b) => a - b)
}
