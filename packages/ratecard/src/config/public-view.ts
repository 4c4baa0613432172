import { isEnterprise } from './ids.ts'
import type { BillingConfig, Price, Product } from './schema.ts'

/** An enterprise price is never public, whatever `public` says. */
export function isPublic(price: Pick<Price, 'public' | 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.public !== false && !isEnterprise(price)
}

/**
 * What anyone may see: public prices and their products, and the meters. A product whose every price is hidden is left out; one
 * that has no price at all is shown. Never webhooks, coupons or promotion codes.
 */
export function publicView(config: BillingConfig): BillingConfig {
  const { webhooks: _webhooks, coupons: _coupons, promotion_codes: _codes, ...rest } = config
  return {
    ...rest,
    ...(config.meters && { meters: config.meters.map(withoutHistory) }),
    products: config.products.flatMap(publicProduct),
  }
}

/** Earlier ids are names inside a company. */
function withoutHistory<Item extends { previous_ids?: string[] }>({ previous_ids: _ids, ...item }: Item) {
  return item
}

function publicProduct(whole: Product): Product[] {
  const product = withoutHistory(whole)
  if (product.prices === undefined || product.prices.length === 0) return [product]
  const prices = product.prices.filter(isPublic)
  return prices.length === 0 ? [] : [{ ...product, prices: prices.map(withoutHistory) }]
}
