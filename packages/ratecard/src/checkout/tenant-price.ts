// Selects the negotiated price that a tenant is sold instead of a listed price. Pure.
import { basePriceId } from '../config/schema/base-price.ts'
import { isEnterprise } from '../config/schema/ids.ts'
import { isPublic, publicPrice } from '../config/schema/public-view.ts'
import type { BillingConfig, Price, Product } from '../config/schema/schema.ts'
import type { SessionPrices } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'

export type Deal = Pick<TenantRecord, 'enterpriseTemplate' | 'enterpriseId'>

/**
 * Returns the tenant's negotiated price for the requested base price, or the requested price if there is none. A negotiated price that was
 * requested by its own id is returned unchanged.
 */
export function priceForTenant(
  asked: Price,
  { prices = [] }: Pick<Product, 'prices'>,
  { enterpriseTemplate, enterpriseId }: Deal,
): Price {
  if (isEnterprise(asked) || (enterpriseTemplate === null && enterpriseId === null)) return asked
  const isNegotiated = (price: Price) =>
    enterpriseTemplate === null
      ? price.enterprise_id === enterpriseId
      : price.enterprise_template === enterpriseTemplate
  return prices.find((price) => isNegotiated(price) && basePriceId(price, prices) === asked.id) ?? asked
}

/** Returns the public prices that the tenant has a negotiated price for, in document order. */
export function ownPrices(config: BillingConfig, deal: Deal): SessionPrices {
  return config.products.flatMap((product) =>
    (product.prices ?? []).filter(isPublic).flatMap((base) => {
      const own = priceForTenant(base, product, deal)
      return own === base ? [] : [{ basePriceId: base.id, price: publicPrice(own) }]
    }),
  )
}
