// Another quantity of what a subscription has: what its schedule has planned stays planned, with the new quantity (decision 24). Pure.
import { ServiceError } from '../../../base/errors/service-error.ts'
import { entriesOf } from '../../item-swaps/change-step.ts'
import {
  withQuantities,
  type ItemChange,
  type PlannedItem,
  type QuantityChange,
  type SchedulePhase,
} from '../../../processor/subscription-change.ts'
import type { ChangeSituation, Requantified } from '../decide/decision.ts'

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
 * one whose place it takes, if it has the same quantity; e.g. five seats of a cheaper plan become seven. Another quantity was planned on
 * purpose, and stays, but for that of a scheduled change of the same price, which this change replaces.
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
