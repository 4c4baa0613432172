// Finds features in the document, and the public prices that would give a tenant more of one. Pure.
import { isPublic } from '../config/schema/public-view.ts'
import { presentId } from '../config/schema/previous-ids.ts'
import { featureIdOf, type Feature } from '../config/schema/feature-schema.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import { decimalText, type Decimal } from '../money/decimal.ts'
import { allowanceOf, checkAllowance } from './allowances.ts'
import type { FeatureGrant, FeatureSource } from './allowances.ts'

export interface WantedFeature {
  readonly feature: Feature
  /** Feature sources that the tenant has. */
  readonly sources: readonly FeatureSource[]
  readonly grant: FeatureGrant | undefined
  readonly used: Decimal | null
  readonly requested: number
  /** Current time in epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the ids of the public recurring prices whose product would allow the request. A product of a `subscription_group` replaces
 * another one, so its limit alone must be enough. Any other product is an add-on, so its limit is added to those that the tenant has. A
 * limit per unit is counted for one unit.
 */
export function offersOf(
  config: BillingConfig,
  { feature, sources, grant, used, requested, now }: WantedFeature,
): string[] {
  return config.products.flatMap((product) => {
    const features = (product.features ?? []).filter((entry) => featureIdOf(entry) === feature.id)
    if (features.length === 0) return []
    const own = { features, quantity: 1, period: null }
    const beside = product.subscription_group === undefined ? sources : []
    const allowance = allowanceOf(feature, [...beside, own], grant, now)
    if (!checkAllowance(allowance, used, requested).allowed) return []
    return (product.prices ?? []).filter((price) => isPublic(price) && price.interval !== undefined).map(({ id }) => id)
  })
}

/** Returns an amount as the API gives it: a whole number, or a decimal as text; null if it is unknown. */
export function amountText(amount: Decimal | null): number | string | null {
  if (amount === null) return null
  const text = decimalText(amount)
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/** Returns a feature by its present or a former id. Throws `feature_not_found`. */
export function featureOf(config: BillingConfig, id: string): Feature {
  const present = presentId(config, 'feature', id)
  const feature = config.features?.find((candidate) => candidate.id === present)
  if (feature === undefined)
    throw new ServiceError('feature_not_found', `There is no feature "${id}".`, {
      hint: 'List the features with `ratecard billing show`.',
    })
  return feature
}
