// Finds the base price of enterprise prices: the ordinary price that each one replaces (specification, section 6).
import { isEnterprise } from '../ids.ts'
import type { Price, Product } from '../schema.ts'

const maxIdLength = 100

type Products = readonly Pick<Product, 'prices'>[]

/** Base prices of the enterprise prices of one document. */
export interface Bases {
  /** Returns the id of the base price. Returns undefined for an ordinary price, or if no price matches. */
  idOf(price: Pick<Price, 'id'>): string | undefined
  /** Returns the base price. Returns undefined also if `base_price` names no price of the document. */
  priceOf(price: Pick<Price, 'id'>): Price | undefined
  /** Returns the enterprise prices that replace the price `id`, in document order. */
  insteadOf(id: string): readonly Price[]
}

const known = new WeakMap<Products, Bases>()

/**
 * Returns the base prices of a document, given by its products. The base of an enterprise price is `base_price` if the document contains
 * that member. Otherwise it is taken from the id of the enterprise price, which starts with the id of the ordinary price and `_`, `-` or
 * `.`, e.g. `pro` for `pro_acme`. The longest match among the prices of the same product wins; if none matches, the longest match among all
 * prices. Former ids of ordinary prices are tried too. The result is cached as long as the document is in memory. This is safe because a
 * document is never modified after it was read.
 */
export function basesOf(products: Products): Bases {
  const bases = known.get(products) ?? findBases(products)
  known.set(products, bases)
  return bases
}

function findBases(products: Products): Bases {
  const prices = products.flatMap(({ prices = [] }) => prices)
  const byId = new Map(prices.map((price) => [price.id, price]))
  const ids = new Map<string, string>()
  const replacements = new Map<string, Price[]>()
  const all = ordinaryIds(prices)
  for (const { prices: ofProduct = [] } of products) {
    if (!ofProduct.some(isEnterprise)) continue
    const own = ordinaryIds(ofProduct)
    for (const price of ofProduct.filter(isEnterprise)) {
      const base = price.base_price ?? derivedBase(price.id, [own, all])
      if (base === undefined) continue
      ids.set(price.id, base)
      replacements.set(base, [...(replacements.get(base) ?? []), price])
    }
  }
  return {
    idOf: ({ id }) => ids.get(id),
    priceOf: ({ id }) => byId.get(ids.get(id) ?? ''),
    insteadOf: (id) => replacements.get(id) ?? [],
  }
}

function ordinaryIds(prices: readonly Price[]): ReadonlyMap<string, string> {
  return byEveryId(prices.flatMap((price) => (isEnterprise(price) ? [] : [[price.id, price.previous_ids ?? []]])))
}

/** Returns a map from each id of an ordinary price, current or former, to the current id. */
export function byEveryId(ordinary: readonly (readonly [string, readonly string[]])[]): ReadonlyMap<string, string> {
  const earlier = ordinary.flatMap(([id, previous]) => previous.map((from) => [from, id] as const))
  return new Map([...earlier, ...ordinary.map(([id]) => [id, id] as const)])
}

/**
 * Finds the longest id of an ordinary price that is a prefix of `id`, and returns the current id of that price. A list is searched only if
 * those before it have no match. Looks up each prefix of `id`, so that the time does not depend on the number of prices.
 */
export function derivedBase(
  id: string,
  lists: readonly Pick<ReadonlyMap<string, string>, 'get'>[],
): string | undefined {
  for (const ordinary of lists)
    for (let length = Math.min(id.length - 2, maxIdLength); length > 0; length--) {
      const base = id.slice(0, length)
      const present = '_-.'.includes(id.charAt(length)) ? ordinary.get(base) : undefined
      if (present !== undefined) return present
    }
  return undefined
}
