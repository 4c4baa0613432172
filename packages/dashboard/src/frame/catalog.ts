// The applied price list, loaded once for all parts of a page: names of products and prices, coupons and features to choose from.
import { createContext, useContext } from 'react'
import type { BillingDocument, PriceDocument, ProductDocument } from '@ratecard/client'
import { pricedProducts } from '../amounts/priced.ts'

export interface Catalog {
  readonly document: BillingDocument
  readonly products: ReadonlyMap<string, ProductDocument>
  /** Prices in per cent of a base price have amounts. */
  readonly prices: ReadonlyMap<string, PriceOfProduct>
}

export interface PriceOfProduct {
  readonly price: PriceDocument
  readonly product: ProductDocument
}

export function catalogOf(document: BillingDocument): Catalog {
  const products = pricedProducts(document)
  return {
    document,
    products: new Map(products.map((product) => [product.id, product])),
    prices: new Map(
      products.flatMap((product) => (product.prices ?? []).map((price) => [price.id, { price, product }] as const)),
    ),
  }
}

/** Undefined until it is loaded; null while no price list is applied. A part that shows another document, e.g. a plan, provides that one. */
export const CatalogContext = createContext<Catalog | null | undefined>(undefined)

/** Returns the price list; null until it is loaded, and while none is applied. */
export const useCatalog = () => useContext(CatalogContext) ?? null

/** True once it is known that no price list is applied. */
export const useHasNoCatalog = () => useContext(CatalogContext) === null
