import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

type Enterprise = Pick<Price, 'id' | 'enterprise_template' | 'enterprise_id'>

/**
 * The ordinary price that an enterprise price stands in for: `base_price` when given, else the longest id of an ordinary price
 * of the product that the id continues after `_`, `-` or `.`. Undefined for an ordinary price and when nothing fits.
 */
export function basePriceId(
  price: Enterprise & Pick<Price, 'base_price'>,
  pricesOfProduct: readonly Enterprise[],
): string | undefined {
  if (!isEnterprise(price)) return undefined
  if (price.base_price !== undefined) return price.base_price
  let longest: string | undefined
  for (const candidate of pricesOfProduct) {
    if (isEnterprise(candidate) || !continues(price.id, candidate.id)) continue
    if (longest === undefined || candidate.id.length > longest.length) longest = candidate.id
  }
  return longest
}

function continues(id: string, base: string): boolean {
  return id.length > base.length + 1 && id.startsWith(base) && '_-.'.includes(id.charAt(base.length))
}
