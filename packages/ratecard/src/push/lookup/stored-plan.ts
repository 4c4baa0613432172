// The plan of a push as the journal keeps it. A resumed push and the page of a revision read it.
import type { PlannedChange } from '../../catalog/change.ts'
import type { Binding } from '../../catalog/plan/plan-changes.ts'
import type { Violation } from '../../catalog/policies/decide.ts'
import type { Rename } from '../../catalog/renames.ts'
import { subscribersPath } from '../../api/customers/money.ts'
import type { AffectedSubscriber, PriceImpact, PushOutcome } from '../../api/push/pushes.ts'

/** Members that plans of earlier versions do not have. */
type LaterMember = 'generations' | 'monthlyAfter' | 'subscribersUrl'

export interface StoredPlan {
  readonly changes: readonly PlannedChange[]
  readonly bindings: readonly Binding[]
  readonly renames: readonly Rename[]
  readonly checksum: string
  readonly fingerprint?: string
  readonly impact?: readonly (Omit<PriceImpact, LaterMember> & Partial<Pick<PriceImpact, LaterMember>>)[]
  readonly tenants?: number
  readonly who?: readonly AffectedSubscriber[]
  readonly violations?: readonly Violation[]
  readonly summary?: string
  readonly overrides?: readonly string[]
  /**
   * Ids of migration jobs that wait for a date and whose target price this push replaces. The author of the push has approved that their
   * subscribers move to the new price instead; see customers/price-migrations/move-step.ts.
   */
  readonly movedAlong?: readonly string[]
}

/** Returns the impact of a stored plan, with the members that plans of earlier versions do not have. */
export function impactOfStored({ impact = [] }: Pick<StoredPlan, 'impact'>): PushOutcome['impact'] {
  return impact.map((one) => ({
    ...one,
    generations: one.generations ?? [],
    monthlyAfter: one.monthlyAfter ?? [],
    subscribersUrl: one.subscribersUrl ?? subscribersPath(one.priceId),
  }))
}
