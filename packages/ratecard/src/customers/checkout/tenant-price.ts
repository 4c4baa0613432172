// Decides which negotiated prices a tenant buys instead of public prices. Pure.
import { isPublic, publicPrice } from '../../document/schema/public-view.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { priceForTenant, type Deal } from '../../document/pricing/tenant-price.ts'
import type { SessionPrices } from '../../api/customers/checkout.ts'

/** Returns the public prices for which the tenant has negotiated prices, in document order. */
export function ownPrices(config: BillingConfig, deal: Deal): SessionPrices {
  return config.products.flatMap((product) =>
    (product.prices ?? []).filter(isPublic).flatMap((base) => {
      const own = priceForTenant(base, config, deal)
      return own === base ? [] : [{ basePriceId: base.id, price: publicPrice(own) }]
    }),
  )
}
