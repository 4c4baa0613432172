import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

const longestId = 100

type Enterprise = Pick<Price, 'id' | 'enterprise_template' | 'enterprise_id' | 'previous_ids'>

/**
 * The ordinary price that an enterprise price stands in for, by its present id: `base_price` when given, else the longest id of an
 * ordinary price of the product, or earlier id of one, that the id continues after `_`, `-` or `.`. Undefined for an ordinary price
 * and when nothing fits.
 */
export function basePriceId(
  price: Enterprise & Pick<Price, 'base_price'>,
  pricesOfProduct: readonly Enterprise[],
): string | undefined {
  if (!isEnterprise(price)) return undefined
  if (price.base_price !== undefined) return price.base_price
  return derivedBase(
    price.id,
    byEveryId(pricesOfProduct.flatMap((other) => (isEnterprise(other) ? [] : [[other.id, other.previous_ids ?? []]]))),
  )
}

/** The present ids of ordinary prices, by themselves and by each earlier id. */
export function byEveryId(ordinary: readonly (readonly [string, readonly string[]])[]): ReadonlyMap<string, string> {
  const earlier = ordinary.flatMap(([id, previous]) => previous.map((from) => [from, id] as const))
  return new Map([...earlier, ...ordinary.map(([id]) => [id, id] as const)])
}

/** The longest of the ordinary ids that `id` continues, as it is called now. The cost does not depend on how many there are. */
export function derivedBase(id: string, ordinary: Pick<ReadonlyMap<string, string>, 'get'>): string | undefined {
  for (let length = Math.min(id.length - 2, longestId); length > 0; length--) {
    const base = id.slice(0, length)
    const present = '_-.'.includes(id.charAt(length)) ? ordinary.get(base) : undefined
    if (present !== undefined) return present
  }
  return undefined
}
