// Items that the schedule of a subscription moves, and the schedule of a change at the end of the period. Pure.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { entriesOf } from '../../item-swaps/change-step.ts'
import { toRfc3339 } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { LiveItem } from '../../../processor/customer-half.ts'
import {
  type ChangeableSubscription,
  type ItemsSchedule,
  type PlannedItem,
  type PreviewedSchedule,
  type ScheduledChange,
  type SchedulePhase,
  withQuantities,
  type ItemChange,
  type QuantityChange,
} from '../../../processor/subscription-change.ts'
import type { ChangeSituation, OtherItem, PresentItem, Requantified } from './decision.ts'

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
  const restores = left ?? replaced.map(({ live }) => plannedItem(live))
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
  const items = phaseAt(state.phases, at)?.items ?? present.map(({ live }) => plannedItem(live))
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
  const now = entriesOf(present.filter(({ replaced }) => replaced).map(({ live }) => plannedItem(live)))
  return laterPhases(phases).some(({ items }) => entriesOf(items.filter(({ price }) => isReplaced(price))) !== now)
}

/** Returns the first phase that changes items that the change is not about, e.g. to a negotiated price. */
export function plansOthers(
  phases: readonly SchedulePhase[] | null,
  present: readonly PresentItem[],
  isReplaced: (price: ProcessorId) => boolean,
): SchedulePhase | undefined {
  const now = entriesOf(present.filter(({ replaced }) => !replaced).map(({ live }) => plannedItem(live)))
  return laterPhases(phases).find(({ items }) => entriesOf(items.filter(({ price }) => !isReplaced(price))) !== now)
}

const laterPhases = (phases: readonly SchedulePhase[] | null) => (phases ?? []).slice(1)

export const plannedItem = ({ price: { id: price }, quantity }: LiveItem): PlannedItem => ({ price, quantity })

// What the seller has planned for a subscription is not undone by a change (decision 29): not by one that takes its place, and not by one that takes
// it off and could not bring it back. Pure.
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
  const now = entriesOf(present.filter(({ replaced }) => replaced).map(({ live }) => plannedItem(live)))
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

// Another quantity of what a subscription has: what its schedule has planned stays planned, with the new quantity (decision 24). Pure.
/** An item that gets another quantity and keeps its price. */
interface Counted extends QuantityChange {
  readonly listed: string | null
}

/** Returns the items that get another quantity; null if the change also adds, removes or moves an item, or changes nothing. */
function countedItems(
  { present, listedOf }: Pick<ChangeSituation, 'present' | 'listedOf'>,
  items: readonly ItemChange[],
): readonly Counted[] | null {
  const counted = items.flatMap((change): Counted[] => {
    if (change.op !== 'set' || change.quantity === null) return []
    const { live } = present.find((one) => one.live.id === change.item) ?? {}
    if (live?.price.id !== change.price || live.quantity === null) return []
    return [{ price: change.price, listed: listedOf(change.price), from: live.quantity, to: change.quantity }]
  })
  return counted.length === 0 || counted.length < items.length ? null : counted
}

/**
 * Returns the new quantities in the phases of the schedule. An item of a later phase follows the present item of the same listed price, or the
 * one whose place it takes, if it has the same quantity; e.g. five seats of a cheaper plan become seven. A later phase with another quantity was
 * planned on purpose and keeps it, unless it is a scheduled change of the same price: the new change replaces that one.
 */
function quantitiesIn(
  { state: { scheduled }, isReplaced, listedOf }: ChangeSituation,
  [running, ...later]: readonly SchedulePhase[],
  counted: readonly Counted[],
): readonly QuantityChange[] {
  const isAlike = counted.every(({ from, to }) => from === counted[0]?.from && to === counted[0].to)
  const followed = (price: PlannedItem['price']): Counted | undefined => {
    const same = counted.find((one) => one.price === price)
    if (same !== undefined || running?.items.some((item) => item.price === price) === true) return same
    const listed = counted.find((one) => one.listed !== null && one.listed === listedOf(price))
    return listed ?? (isAlike && isReplaced(price) ? counted[0] : undefined)
  }
  const isScheduled = (item: PlannedItem) =>
    scheduled?.coming.some(({ price, quantity }) => price === item.price && quantity === item.quantity) === true
  const planned = later.flatMap(({ items }) =>
    items.flatMap((item): QuantityChange[] => {
      const { price, quantity: from } = item
      const one = followed(price)
      if (one === undefined || from === null || from === one.to || (price === one.price && from === one.from)) return []
      const isReplacedQuantity = one.listed === listedOf(price) && isScheduled(item)
      return from === one.from || isReplacedQuantity ? [{ price, from, to: one.to }] : []
    }),
  )
  return [...counted.map(({ price, from, to }) => ({ price, from, to })), ...planned]
}

/** Returns the new quantities in the schedule for a change now; null for any other change, and if the schedule would plan nothing any more. */
export function requantifiedNow(situation: ChangeSituation, items: readonly ItemChange[]): Requantified | null {
  const { phases, scheduled, subscription } = situation.state
  const counted = countedItems(situation, items)
  if (phases === null || counted === null) return null
  const quantities = quantitiesIn(situation, phases, counted)
  const [now = '', ...later] = phases.map((phase) => entriesOf(withQuantities(phase.items, quantities)))
  if (later.every((entries) => entries === now)) return null
  if (situation.promotionCode !== null)
    throw new ServiceError(
      'conflict',
      `A change of ${subscription.id} is scheduled, so a promotion code cannot apply together with another quantity.`,
      { hint: 'Change the quantity first, then apply the code (POST admin/tenants/{id}/discounts).' },
    )
  const change = scheduled && {
    ...scheduled,
    coming: withQuantities(scheduled.coming, quantities),
    restores: withQuantities(scheduled.restores, quantities),
  }
  const isNothing = change?.promotionCodes.length === 0 && entriesOf(change.coming) === entriesOf(change.restores)
  return { quantities, change: isNothing ? null : change }
}

/**
 * Returns what the subscription will have from the time `at` on of what the change is about, in place of its present items; null for any other
 * change than one of quantities, without a schedule, and if the schedule has planned another quantity on purpose.
 */
export function requantifiedAt(
  situation: ChangeSituation,
  items: readonly ItemChange[],
  at: number,
): readonly PlannedItem[] | null {
  const { state, isReplaced, promotionCode } = situation
  const { phases, scheduled } = state
  const counted = countedItems(situation, items)
  if (phases === null || counted === null) return null
  if (scheduled !== null && (scheduled.at !== at || promotionCode !== null)) return null
  const quantities = quantitiesIn(situation, phases, counted)
  const then = phases.findLast(({ start }) => start <= at)?.items.filter(({ price }) => isReplaced(price)) ?? []
  const coming = withQuantities(then, quantities)
  const has = ({ price, to, listed }: Counted) =>
    coming.some(
      (item) => item.quantity === to && (item.price === price || situation.listedOf(item.price) === listed),
    ) || coming.some((item, index) => item !== then[index] && item.quantity === to)
  return counted.every(has) ? coming : null
}

/** True if the change replaces a quantity that a scheduled change would give to the same price. */
export function replacesQuantity(situation: ChangeSituation, items: readonly ItemChange[]): boolean {
  const { state, listedOf } = situation
  const counted = countedItems(situation, items) ?? []
  return (state.scheduled?.coming ?? []).some(({ price, quantity }) =>
    counted.some((one) => one.listed === listedOf(price) && quantity !== one.from && quantity !== one.to),
  )
}
