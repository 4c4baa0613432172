// Decides a change to a free price. A free price does not exist at the processor, so the paid subscription ends and a free one begins in
// its place. Pure.
import { ServiceError } from '../../../base/errors/service-error.ts'
import { type ChangeStep, releaseOf } from '../../item-swaps/change-step.ts'
import { zeroFraction } from '../../../base/money/fraction.ts'
import type { ChangeDecision, ChangeSituation, FreeChange } from './decision.ts'
import { invalid } from './invalid.ts'
import { discountedSum, monthlyItem } from './monthly.ts'
import { termEndOfPeriod } from '../kept/scheduled-items.ts'
import { setAsideSchedule } from '../kept/set-aside.ts'
import type { WantedItem } from './wanted-items.ts'

/** Returns the free price if it is the only item that the tenant will have; null for any other change. */
export function freePriceOf([only, ...others]: readonly WantedItem[]): WantedItem | null {
  return only !== undefined && others.length === 0 && only.local ? only : null
}

type FreeDecision = Omit<ChangeDecision, 'warnings' | 'before' | 'proration'>

/** Decides the change to the free price `free`. Throws `change_invalid` or `not_allowed`. */
export function decideFree(situation: ChangeSituation, free: WantedItem): FreeDecision {
  const { state, present, wish, session, promotionCode } = situation
  const { subscription } = state
  refuseBeside(situation, free)
  if (promotionCode !== null)
    throw invalid('promotion_code', `The price "${free.priceId}" is free, so a promotion code cannot apply to it.`)
  const now = wish.when === 'now'
  if (now && session)
    throw new ServiceError(
      'not_allowed',
      'A cheaper price takes effect at the end of the period. A session cannot request it now.',
    )
  if (now && present.some(({ terms }) => terms.usageType === 'metered'))
    throw invalid(
      'when',
      'Usage of the current period would not be billed, because the subscription ends.',
      'Change at the end of the period ("when": "period_end").',
    )
  const termEnd = termEndOfPeriod(state)
  const end = subscription.cancelAt ?? termEnd ?? Math.max(...present.map(({ live }) => live.currentPeriodEnd))
  const endsAnyway = !now && (subscription.cancelAtPeriodEnd || subscription.cancelAt !== null || termEnd !== null)
  return {
    subscription,
    when: now ? 'now' : 'period_end',
    periodEnd: now ? null : end,
    items: [],
    promotion: null,
    waitsForPayment: false,
    endsFree: [],
    billsNow: false,
    restarts: false,
    sessionBegins: [],
    schedule: null,
    reopens: [],
    renewal: null,
    releases: endsAnyway ? null : subscription.schedule,
    setAside: now || endsAnyway ? null : setAsideSchedule(state),
    after: [{ priceId: free.priceId, processorPriceId: free.processorId, quantity: 1 }],
    monthly: {
      before: discountedSum(
        present.map((one) => monthlyItem(one, state)),
        state,
      ),
      after: zeroFraction,
    },
    free: { price: free.priceId, endsAnyway },
  }
}

function refuseBeside({ present, state: { subscription } }: ChangeSituation, { priceId }: WantedItem): void {
  const beside = present.find(({ replaced }) => !replaced)
  if (beside === undefined) return
  const name = beside.priceId ?? beside.live.price.id
  throw invalid(
    'items',
    `The free price "${priceId}" is not at the processor, so that "${name}" cannot go on beside it in ${subscription.id}.`,
    `Leave it first ("items": [], "replaces": "${name}"), or cancel the subscription.`,
  )
}

/** Returns the steps that end the paid subscription. Empty if it ends anyway. */
export function freeSteps(
  { subscription: { id }, when, releases }: ChangeDecision,
  { endsAnyway }: FreeChange,
): readonly ChangeStep[] {
  // A change now is refused where there is usage to bill.
  if (when === 'now') return [{ op: 'cancel', subscription: id, billsUsage: false }]
  if (endsAnyway) return []
  return [...releaseOf(id, releases), { op: 'settings', subscription: id, cancellation: 'period_end' }]
}
