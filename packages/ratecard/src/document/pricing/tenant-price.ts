// Selects the negotiated price that a tenant buys instead of a public price. Pure.
import { basesOf } from '../schema/prices/base-price.ts'
import { isEnterprise } from '../schema/ids.ts'
import type { BillingConfig, Price } from '../schema/schema.ts'

/** Template or enterprise id of the negotiated prices that a tenant has. Both are null without a deal. */
export interface Deal {
  readonly enterpriseTemplate: string | null
  readonly enterpriseId: string | null
}

/**
 * Returns the tenant's negotiated price for the requested base price. If there is none, returns the requested price. A negotiated price
 * that was requested by its own id is returned unchanged too.
 */
export function priceForTenant(
  asked: Price,
  { products }: Pick<BillingConfig, 'products'>,
  { enterpriseTemplate, enterpriseId }: Deal,
): Price {
  if (isEnterprise(asked) || (enterpriseTemplate === null && enterpriseId === null)) return asked
  const isNegotiated = (price: Price) =>
    enterpriseTemplate === null
      ? price.enterprise_id === enterpriseId
      : price.enterprise_template === enterpriseTemplate
  return basesOf(products).insteadOf(asked.id).find(isNegotiated) ?? asked
}
