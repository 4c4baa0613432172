// Finds the limits that a product gives.
import type { Feature, FeatureLimit, ProductFeature } from '../../ratecard/src/document/schema/feature-schema.ts'

/** A limit that a product gives, with its feature. */
export interface ListedLimit {
  readonly feature: Feature
  readonly limit: FeatureLimit
}

/** Returns the limits of a product in the order of the document. Features that are only on or off have no limit. */
export function limitsOf(listed: readonly ProductFeature[] = [], features: readonly Feature[] = []): ListedLimit[] {
  return listed.flatMap((entry) => {
    if (typeof entry === 'string') return []
    const feature = features.find(({ id }) => id === entry.id)
    return feature === undefined ? [] : [{ feature, limit: entry }]
  })
}
