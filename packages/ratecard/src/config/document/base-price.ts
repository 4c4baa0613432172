import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

const longestId = 100

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
  return derivedBase(price.id, new Set(pricesOfProduct.filter((other) => !isEnterprise(other)).map(({ id }) => id)))
}

/** The longest of the ordinary ids that `id` continues. The cost does not depend on how many there are. */
export function derivedBase(id: string, ordinaryIds: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  for (let length = Math.min(id.length - 2, longestId); length > 0; length--) {
    const base = id.slice(0, length)
    if ('_-.'.includes(id.charAt(length)) && ordinaryIds.has(base)) return base
  }
  return undefined
}
