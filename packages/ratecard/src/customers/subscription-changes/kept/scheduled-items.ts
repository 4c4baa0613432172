// Items that the schedule of a subscription moves, and the schedule of a change at the end of the period. Pure.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { entriesOf } from '../../item-swaps/change-step.ts'
import { toRfc3339 } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { LiveItem } from '../../../processor/customer-half.ts'
import type {
  ChangeableSubscription,
  ItemsSchedule,
  PlannedItem,
  PreviewedSchedule,
  ScheduledChange,
  SchedulePhase,
} from '../../../processor/subscription-change.ts'
import type { ChangeSituation, OtherItem, PresentItem, Requantified } from '../decide/decision.ts'

/**
 * Decides the schedule of a change at the end of the period `at`. `follows` are the items that are scheduled for then, with new quantities; null
 * for a change that brings its own. A change of other items that is scheduled for the same time stays, and both are
 * undone together. Throws `conflict` if the subscription ends then, or if other items change at another time.
 */
export function scheduleOf(
  situation: ChangeSituation,
  at: number,
  follows: readonly PlannedItem[] | null,
): ItemsSchedule {
  const { state, present, isReplaced } = situation
  const { phases } = state
  const replaced = present.filter((one) => one.replaced)
  refuseEnding(situation, at)
  const left = phaseAt(phases, at)?.items.filter(({ price }) => isReplaced(price))
  const change = replacementOf(situation)
  const coming = follows ?? change.coming
  const restores = left ?? replaced.map(({ live }) => planned(live))
  return { ...change, at, ...besideScheduled(situation, { ...change, at, coming, restores }, follows !== null) }
}

/** Returns the end of the present period of what the change is about. */
export function periodEndOf({ present }: Pick<ChangeSituation, 'present'>): number {
  const replaced = present.filter((one) => one.replaced)
  return Math.max(...(replaced.length === 0 ? present : replaced).map(({ live }) => live.currentPeriodEnd))
}

/**
 * Returns the change in terms of the subscription's schedule, for the preview of the next invoice: the present schedule would make another
 * one. `stays`: new quantities in a schedule that stays. null without a schedule.
 */
export function renewalOf(
  situation: ChangeSituation,
  { schedule, stays }: { readonly schedule: ItemsSchedule | null; readonly stays: Requantified | null },
): PreviewedSchedule | null {
  const { subscription, phases } = situation.state
  const [running] = phases ?? []
  if (running === undefined || subscription.cancelAtPeriodEnd || subscription.cancelAt !== null) return null
  if (stays === null) return schedule ?? { ...replacementOf(situation), at: running.start }
  const { quantities } = stays
  return { subscription: subscription.id, at: running.start, leaving: [], coming: [], promotionCodes: [], quantities }
}

function replacementOf(situation: ChangeSituation): Omit<PreviewedSchedule, 'at'> {
  const { state, present, wanted, isReplaced, promotionCode, endsFree } = situation
  const phased = (state.phases ?? []).flatMap(({ items }) => items.map(({ price }) => price)).filter(isReplaced)
  const replaced = present.filter((one) => one.replaced).map(({ live }) => live.price.id)
  return {
    subscription: state.subscription.id,
    leaving: [...new Set([...replaced, ...phased])],
    coming: wanted.map(({ processorId: price, quantity }) => ({ price, quantity })),
    promotionCodes: promotionCode === null ? [] : [promotionCode],
    ends: endsFree.length === 0 ? [] : [...state.subscription.ends, ...endsFree],
  }
}

function refuseEnding({ state: { subscription, termEnd } }: ChangeSituation, at: number): void {
  const { id, cancelAt, cancelAtPeriodEnd } = subscription
  if (termEnd !== null && termEnd <= at)
    throw new ServiceError(
      'conflict',
      `The schedule of ${id} cancels it${untilOf(termEnd)}, so nothing changes then.`,
      {
        hint: 'To let the subscription continue, release its schedule at the processor, then change it.',
      },
    )
  if (!cancelAtPeriodEnd && cancelAt === null) return
  throw new ServiceError(
    'conflict',
    `The subscription ${id} is cancelled${untilOf(cancelAt)}, so nothing changes then.`,
    {
      hint: 'Resume it first (POST subscription/resume).',
    },
  )
}

/**
 * Returns the end of the term if the subscription ends with it in the present period; otherwise null. Then nothing has to be cancelled, and
 * releasing the schedule could lose the end.
 */
export function termEndOfPeriod({
  subscription: { items },
  termEnd,
}: Pick<ChangeableSubscription, 'subscription' | 'termEnd'>): number | null {
  const periodEnd = Math.max(...items.map(({ currentPeriodEnd }) => currentPeriodEnd))
  return termEnd !== null && termEnd <= periodEnd ? termEnd : null
}

/** Adds what an earlier scheduled change leaves and restores: without it, resuming would undo only a part of what is scheduled. */
function besideScheduled(
  { state: { scheduled, subscription }, isReplaced }: ChangeSituation,
  change: ScheduledChange,
  follows: boolean,
): Omit<ScheduledChange, 'at'> {
  const { at, coming, restores, promotionCodes, ends = [] } = change
  if (scheduled === null) return { coming, restores, promotionCodes, ends }
  const others = scheduled.coming.filter(({ price }) => !isReplaced(price))
  const isOther = others.length > 0 || scheduled.restores.some(({ price }) => !isReplaced(price))
  if (isOther && scheduled.at !== at)
    throw new ServiceError(
      'conflict',
      `A change of other items of ${subscription.id} is scheduled${untilOf(scheduled.at)}, and this one would begin${untilOf(at)}.`,
      {
        hint: 'Undo the scheduled change (POST subscription/resume) and ask for both in one change, or wait until it has begun.',
      },
    )
  const isKept = isOther || follows
  const known = new Set([...scheduled.coming, ...scheduled.restores].map(({ price }) => price))
  return {
    coming: [...others, ...coming],
    restores: [...scheduled.restores, ...restores.filter(({ price }) => !known.has(price))],
    promotionCodes: [...new Set([...(isKept ? scheduled.promotionCodes : []), ...promotionCodes])],
    ends: [...new Set([...(isKept ? (scheduled.ends ?? []) : []), ...ends])],
  }
}

/** Returns the items beside those that the change is about, as they will be at a time. */
export function othersAt(
  { state, present, isReplaced, planned: named }: ChangeSituation,
  at: number,
): readonly OtherItem[] {
  const items = phaseAt(state.phases, at)?.items ?? present.map(({ live }) => planned(live))
  return items
    .filter(({ price }) => !isReplaced(price))
    .map(({ price, quantity }) => ({ ...named(price), processorPriceId: price, quantity }))
}

/** Returns the phase that the subscription is in at a time: the last one that begins by then. */
const phaseAt = (phases: readonly SchedulePhase[] | null, at: number) => phases?.findLast(({ start }) => start <= at)

export const untilOf = (at: number | null) => (at === null ? '' : ` at ${toRfc3339(at)}`)

/** True if a later phase of the schedule has other items of what the change is about than the subscription has now. */
export function hasOtherPlan(
  phases: readonly SchedulePhase[] | null,
  present: readonly PresentItem[],
  isReplaced: (price: ProcessorId) => boolean,
): boolean {
  const now = entriesOf(present.filter(({ replaced }) => replaced).map(({ live }) => planned(live)))
  return laterPhases(phases).some(({ items }) => entriesOf(items.filter(({ price }) => isReplaced(price))) !== now)
}

/** Returns the first phase that changes items that the change is not about, e.g. to a negotiated price. */
export function plansOthers(
  phases: readonly SchedulePhase[] | null,
  present: readonly PresentItem[],
  isReplaced: (price: ProcessorId) => boolean,
): SchedulePhase | undefined {
  const now = entriesOf(present.filter(({ replaced }) => !replaced).map(({ live }) => planned(live)))
  return laterPhases(phases).find(({ items }) => entriesOf(items.filter(({ price }) => !isReplaced(price))) !== now)
}

const laterPhases = (phases: readonly SchedulePhase[] | null) => (phases ?? []).slice(1)

export const planned = ({ price: { id: price }, quantity }: LiveItem): PlannedItem => ({ price, quantity })
