// Finds features in the document, and the public prices that would give a tenant more of a feature. Pure.
import { isPublic } from '../../../document/schema/public-view.ts'
import { presentId } from '../../../document/rules/previous-ids.ts'
import { featureIdOf, type Feature } from '../../../document/schema/feature-schema.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { decimalText, type Decimal } from '../../../base/money/decimal.ts'
import { allowanceOf, checkAllowance, type FeatureGrant, type FeatureSource } from './allowances.ts'

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
 * Returns the ids of the public recurring prices with which the requested usage would be allowed. A product of a `subscription_group` would
 * replace the tenant's product of that group; its limit is added to the limits of all other products that the tenant has, e.g. add-ons. A
 * limit per unit is counted for one unit. A price that is attached to another price of the product is left out, because it is sold together
 * with that price.
 */
export function offersOf(
  config: BillingConfig,
  { feature, sources, grant, used, requested, now }: WantedFeature,
): string[] {
  return config.products.flatMap((product) => {
    const features = (product.features ?? []).filter((entry) => featureIdOf(entry) === feature.id)
    if (features.length === 0) return []
    const group = product.subscription_group ?? null
    const beside = group === null ? sources : sources.filter((source) => source.group !== group)
    const replaced = group === null ? undefined : sources.find((source) => source.group === group)
    const offer = {
      features,
      group,
      quantity: 1,
      ...(replaced === undefined ? { period: null } : turnedAt(replaced, now)),
    }
    const allowance = allowanceOf(feature, [...beside, offer], grant, now)
    if (!checkAllowance(allowance, used, requested).allowed) return []
    const prices = product.prices ?? []
    const attached = new Set(prices.flatMap((price) => price.attached_prices ?? []))
    const offered = prices.filter((price) => isPublic(price) && price.interval !== undefined && !attached.has(price.id))
    return offered.map(({ id }) => id)
  })
}

/** What a price that takes the place of another one within a period adds counts for the rest of the period only. */
function turnedAt(
  { features, quantity, period, turns = [] }: FeatureSource,
  now: number,
): Pick<FeatureSource, 'period' | 'turns'> {
  return period === null ? { period } : { period, turns: [...turns, { at: now, features, quantity, period }] }
}

/** Returns an amount in the form of the API: a whole number, or a decimal number as text; null if the amount is unknown. */
export function amountText(amount: Decimal | null): number | string | null {
  if (amount === null) return null
  const text = decimalText(amount)
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/** Returns a feature by its present id or an earlier id. Throws `feature_not_found`. */
export function featureOf(config: BillingConfig, id: string): Feature {
  const present = presentId(config, 'feature', id)
  const feature = config.features?.find((candidate) => candidate.id === present)
  if (feature === undefined)
    throw new ServiceError('feature_not_found', `There is no feature "${id}".`, {
      hint: 'List the features with `ratecard billing show`.',
    })
  return feature
}
