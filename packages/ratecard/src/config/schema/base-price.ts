import { isEnterprise } from './ids.ts'
import type { Price } from './schema.ts'

const maxIdLength = 100

type Enterprise = Pick<Price, 'id' | 'enterprise_template' | 'enterprise_id' | 'previous_ids'>
type Negotiated = Enterprise & Pick<Price, 'base_price'>

/**
 * Returns the id of the ordinary price that an enterprise price replaces. It is `base_price` if the document contains that member.
 * Otherwise it is taken from the id of the enterprise price, which starts with the id of the ordinary price and `_`, `-` or `.`, e.g. `pro`
 * for `pro_acme`. Former ids of ordinary prices are tried too, and the longest match wins. Returns undefined for an ordinary price, or if
 * no price matches.
 */
export function basePriceId(price: Negotiated, pricesOfProduct: readonly Enterprise[]): string | undefined {
  return basePriceIds(pricesOfProduct)(price)
}

/**
 * Returns a function like {@link basePriceId} for many prices of one product. It builds its index of ordinary prices only once, at the
 * first use.
 */
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

/** Returns a map from each id of an ordinary price, current or former, to the current id. */
export function byEveryId(ordinary: readonly (readonly [string, readonly string[]])[]): ReadonlyMap<string, string> {
  const earlier = ordinary.flatMap(([id, previous]) => previous.map((from) => [from, id] as const))
  return new Map([...earlier, ...ordinary.map(([id]) => [id, id] as const)])
}

/**
 * Finds the longest id of an ordinary price that is a prefix of `id`, and returns the current id of that price. Looks up each prefix of
 * `id`, so that the time does not depend on the number of prices.
 */
export function derivedBase(id: string, ordinary: Pick<ReadonlyMap<string, string>, 'get'>): string | undefined {
  for (let length = Math.min(id.length - 2, maxIdLength); length > 0; length--) {
    const base = id.slice(0, length)
    const present = '_-.'.includes(id.charAt(length)) ? ordinary.get(base) : undefined
    if (present !== undefined) return present
  }
  return undefined
}
