import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

const maxIdLength = 100

type Enterprise = Pick<Price, 'id' | 'enterprise_template' | 'enterprise_id' | 'previous_ids'>

/**
 * Returns the id of the ordinary price that an enterprise price replaces; undefined for an ordinary price, or if none is found. It is
 * `base_price` if the document sets it. Otherwise it is derived from the enterprise id, which starts with the id of the ordinary price and
 * `_`, `-` or `.`, e.g. `pro` for `pro_acme`. Earlier ids of ordinary prices count too. If several ids match, the longest one wins.
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

/** Returns the current ids of ordinary prices, keyed by the current id and by each earlier id. */
export function byEveryId(ordinary: readonly (readonly [string, readonly string[]])[]): ReadonlyMap<string, string> {
  const earlier = ordinary.flatMap(([id, previous]) => previous.map((from) => [from, id] as const))
  return new Map([...earlier, ...ordinary.map(([id]) => [id, id] as const)])
}

/**
 * Finds the longest id of an ordinary price with which `id` starts, and returns its current id. It tries prefixes of `id`, so the cost does
 * not depend on the number of prices.
 */
export function derivedBase(id: string, ordinary: Pick<ReadonlyMap<string, string>, 'get'>): string | undefined {
  for (let length = Math.min(id.length - 2, maxIdLength); length > 0; length--) {
    const base = id.slice(0, length)
    const present = '_-.'.includes(id.charAt(length)) ? ordinary.get(base) : undefined
    if (present !== undefined) return present
  }
  return undefined
}
