// Products of a portal configuration: the products that the document lists or, for `"public"`, all that qualify.
import { isLocalPrice } from './ids.ts'
import { isPublic } from './public-view.ts'
import type { BillingConfig, Portal, PortalProduct, Price } from './schema.ts'

/** True if a customer can change to the price in the portal: it is billed by quantity, in an interval, by the processor. */
export function isPortalPrice(price: Price): boolean {
  return price.interval !== undefined && price.usage_type !== 'metered' && !isLocalPrice(price)
}

/** Returns the products that `"products": "public"` means. */
export function publicPortalProducts({ products }: Pick<BillingConfig, 'products'>): PortalProduct[] {
  return products.flatMap(({ id, prices = [] }) => {
    const sold = prices.filter((price) => isPublic(price) && isPortalPrice(price)).map((price) => price.id)
    return sold.length === 0 ? [] : [{ product: id, prices: sold }]
  })
}

/** Returns the portal configuration with its products listed. */
export function withListedProducts(portal: Portal, config: Pick<BillingConfig, 'products'>): Portal {
  const update = portal.features.subscription_update
  if (update?.products !== 'public') return portal
  const products = publicPortalProducts(config)
  return { ...portal, features: { ...portal.features, subscription_update: { ...update, products } } }
}
