import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

const maxIdLength = 100

type Enterprise = Pick<Price, 'id' | 'enterprise_template' | 'enterprise_id' | 'previous_ids'>
type Negotiated = Enterprise & Pick<Price, 'base_price'>

/**
 * Returns the id of the ordinary price that an enterprise price replaces; undefined for an ordinary price, or if none is found. It is
 * `base_price` if the document sets it. Otherwise it is derived from the enterprise id, which starts with the id of the ordinary price and
 * `_`, `-` or `.`, e.g. `pro` for `pro_acme`. Earlier ids of ordinary prices count too. If several ids match, the longest one wins.
 */
export function basePriceId(price: Negotiated, pricesOfProduct: readonly Enterprise[]): string | undefined {
  return basePriceIds(pricesOfProduct)(price)
}

/** Returns {@link basePriceId} for many prices of one product. The index of the ordinary prices is built once, at the first use. */
export function basePriceIds(pricesOfProduct: readonly Enterprise[]): (price: Negotiated) => string | undefined {
  let ordinary: ReadonlyMap<string, string> | undefined
  return (price) => {
    if (!isEnterprise(price)) return undefined
    if (price.base_price !== undefined) return price.base_price
    ordinary ??= byEveryId(
      pricesOfProduct.flatMap((other) => (isEnterprise(other) ? [] : [[other.id, other.previous_ids ?? []]])),
    )
    return derivedBase(price.id, ordinary)
  }
}

/** Returns the current ids of ordinary prices, keyed by the current id and by each earlier id. */
export function byEveryId(ordinary: readonly (readonly [string, readonly string[]])[]): ReadonlyMap<string, string> {
  const earlier = ordinary.flatMap(([id, previous]) => previous.map((from) => [from, id] as const))
  return new Map([...earlier, ...ordinary.map(([id]) => [id, id] as const)])
}

/**
 * Finds the longest id of an ordinary price that is a prefix of `id`, and returns its current id. The function tries prefixes of `id`, so
 * that the cost does not depend on the number of prices.
 */
export function derivedBase(id: string, ordinary: Pick<ReadonlyMap<string, string>, 'get'>): string | undefined {
  for (let length = Math.min(id.length - 2, maxIdLength); length > 0; length--) {
    const base = id.slice(0, length)
    const present = '_-.'.includes(id.charAt(length)) ? ordinary.get(base) : undefined
    if (present !== undefined) return present
  }
  return undefined
}
