// A plan with what its checks look at. It is read and computed once, and each check gets it.
import { placesOf, type PlaceOf } from '../../catalog/places.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import { pricesIn } from '../../catalog/price-moves.ts'
import type { MappingEntry, Snapshot } from '../../catalog/resource.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'

interface PlannedOf<Config> {
  readonly plan: Plan
  /** The document of the plan; null for a reset. */
  readonly config: Config
  /** The document that is current; null without one. */
  readonly previous: BillingConfig | null
  readonly snapshot: Snapshot
  readonly mappings: readonly MappingEntry[]
}

export interface Planned<Config = BillingConfig> extends PlannedOf<Config> {
  /** Returns where an item stands in the document of the plan. */
  readonly place: PlaceOf
  /** The prices of the two documents, those in per cent with their amounts. */
  readonly prices: readonly Price[]
  readonly formerPrices: readonly Price[]
}

export function createPlanned<Config extends BillingConfig | null>(of: PlannedOf<Config>): Planned<Config> {
  const { config } = of
  return {
    ...of,
    place: config === null ? () => '#' : placesOf(config),
    ...comparedPrices(of),
  }
}

type Documents = Pick<PlannedOf<BillingConfig | null>, 'config' | 'previous'>

export const comparedPrices = ({ config, previous }: Documents) => ({
  prices: config === null ? [] : pricesIn(config),
  formerPrices: previous === null ? [] : pricesIn(previous),
})
