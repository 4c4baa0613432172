import { isEnterprise } from './ids.ts'
import type { BillingConfig, Price, Product } from './schema.ts'

/** An enterprise price is never public, whatever `public` says. */
export function isPublic(price: Pick<Price, 'public' | 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.public !== false && !isEnterprise(price)
}

/**
 * What anyone may see: public prices, their products, and the meters that these prices bill. A product whose every price is hidden is
 * left out; one that has no price at all is shown. Never webhooks, coupons or promotion codes.
 */
export function publicView(config: BillingConfig): BillingConfig {
  const { webhooks: _webhooks, coupons: _coupons, promotion_codes: _codes, meters, ...rest } = config
  const products = config.products.flatMap(publicProduct)
  const billed = new Set(products.flatMap(({ prices = [] }) => prices.map((price) => price.meter)))
  return {
    ...rest,
    ...(meters && { meters: meters.filter(({ id }) => billed.has(id)).map(withoutNotes) }),
    products,
  }
}

/** A price as its buyer may see it. */
export const publicPrice = (price: Price): Price => withoutNotes(price)

/** Metadata is the author's own, and earlier ids are names inside a company. */
function withoutNotes<Item extends { previous_ids?: string[]; metadata?: object }>({
  previous_ids: _ids,
  metadata: _metadata,
  ...item
}: Item) {
  return item
}

function publicProduct(whole: Product): Product[] {
  const product = withoutNotes(whole)
  if (product.prices === undefined || product.prices.length === 0) return [product]
  const prices = product.prices.filter(isPublic)
  return prices.length === 0 ? [] : [{ ...product, prices: prices.map(publicPrice) }]
}
