// What the seller has planned for a subscription is not undone by a change (decision 29): not by one that takes its place, and not by one that takes
// it off and could not bring it back. Pure.
import { ServiceError } from '../../../base/errors/service-error.ts'
import { entriesOf } from '../../item-swaps/change-step.ts'
import { planned, untilOf } from '../kept/scheduled-items.ts'
import type { ChangeSituation } from './decision.ts'

/** Throws `not_allowed` if a session would change what a service key has scheduled another change for. */
export function refuseReplacingPlan({
  state: { subscription, scheduled },
  session,
  scheduledBySession,
}: ChangeSituation): void {
  if (!session || scheduled === null || scheduledBySession) return
  throw new ServiceError(
    'not_allowed',
    `The seller has planned a change of ${subscription.id}${untilOf(scheduled.at)}, so a session cannot plan another one.`,
    { hint: 'A service key can (POST subscription/change). Once the planned change has begun, the session can too.' },
  )
}

/**
 * Throws `conflict` if a session, or a change of quantities (`follows`), would schedule a change of items that the seller's schedule changes again later, e.g. in the steps of a ramp.
 * Undoing the scheduled change could not bring those steps back.
 */
export function refuseBreakingRamp(
  { state: { subscription, phases }, session, isReplaced }: ChangeSituation,
  { at, follows }: { readonly at: number; readonly follows: boolean },
): void {
  if (!session && !follows) return
  const left = (phases ?? [])
    .filter(({ end }) => end > at)
    .map(({ items }) => entriesOf(items.filter(({ price }) => isReplaced(price))))
  if (new Set(left).size <= 1) return
  throw new ServiceError(
    'conflict',
    `The seller has planned further prices for ${subscription.id} after${untilOf(at)}.`,
    {
      hint: session
        ? 'Change now, or ask the seller: a service key can schedule the change.'
        : 'Change now ("when": "now", with "proration": "none" if nothing is to be credited).',
    },
  )
}

/** Throws `conflict` if a session would go back to its present items although the schedule has other ones for it without the scheduled change. */
export function refuseTakingOff({
  state: { subscription, scheduled },
  session,
  present,
  isReplaced,
}: ChangeSituation): void {
  if (!session || scheduled === null) return
  const now = entriesOf(present.filter(({ replaced }) => replaced).map(({ live }) => planned(live)))
  const then = scheduled.restores.filter(({ price }) => isReplaced(price))
  if (then.length === 0 || entriesOf(then) === now) return
  throw new ServiceError(
    'conflict',
    `The schedule of ${subscription.id} has other prices for it${untilOf(scheduled.at)}.`,
    {
      hint: 'Undo the scheduled change instead (POST subscription/resume).',
    },
  )
}
