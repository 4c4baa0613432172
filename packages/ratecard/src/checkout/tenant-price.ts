// Which price a tenant is sold in place of a listed one. Pure.
import { basePriceId } from '../config/schema/base-price.ts'
import { isEnterprise } from '../config/schema/ids.ts'
import { isPublic, publicPrice } from '../config/schema/public-view.ts'
import type { BillingConfig, Price, Product } from '../config/schema/schema.ts'
import type { SessionPrices } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'

export type Deal = Pick<TenantRecord, 'enterpriseTemplate' | 'enterpriseId'>

/** The tenant's negotiated price stands in for its base. A negotiated price that was asked for by name is sold as it is. */
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

/** Every public price that the tenant is sold another one for, in the order of the document. */
export function ownPrices(config: BillingConfig, deal: Deal): SessionPrices {
  return config.products.flatMap((product) =>
    (product.prices ?? []).filter(isPublic).flatMap((base) => {
      const own = priceForTenant(base, product, deal)
      return own === base ? [] : [{ basePriceId: base.id, price: publicPrice(own) }]
    }),
  )
}
