// Names of products and prices for people.
import type { PriceDocument, ProductDocument } from '@ratecard/client'
import { capitalized } from './words.ts'

export const productName = ({ name, ui }: ProductDocument) => ui?.display_name ?? name

const adverbs: Readonly<Record<string, string>> = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' }

/** Returns how often a price is charged: `monthly`, `every 3 months`, `once`. */
function cadence({ interval, interval_count: times = 1 }: PriceDocument): string {
  if (interval === undefined) return 'once'
  return times === 1 ? (adverbs[interval] ?? interval) : `every ${String(times)} ${interval}s`
}

/** Returns the name of a price below that of its product: `Monthly`, `Monthly by usage`, `Monthly, for gold`. */
export function priceTitle(price: PriceDocument): string {
  const deal = price.enterprise_template ?? price.enterprise_id
  const text = `${cadence(price)}${price.usage_type === 'metered' ? ' by usage' : ''}${deal === undefined ? '' : `, for ${deal}`}`
  return capitalized(text)
}

/** Returns the name of a price: `Studio, monthly`, `Renders, monthly by usage`, `Studio, monthly, for gold`. */
export function priceName(price: PriceDocument, product: ProductDocument): string {
  const title = priceTitle(price)
  return `${productName(product)}, ${title.charAt(0).toLowerCase()}${title.slice(1)}`
}
