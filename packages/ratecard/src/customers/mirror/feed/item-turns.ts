// Remembers what the items of a subscription were before a change within their period, because allowances follow the money (decision 29): the
// processor tells only what they are. Whoever made the change, the mirror sees it. Pure.
import type { ItemTurn, MirroredItem, MirroredSubscription } from '../../../processor/mirrored.ts'

/** Returns the subscription with the turns of its items; `before` is what the mirror had of it, null for nothing. */
export function withTurns(
  subscription: MirroredSubscription,
  before: MirroredSubscription | null,
  now: number,
): MirroredSubscription {
  if (before === null) return subscription
  const gone = before.items.filter(({ id }) => subscription.items.every((item) => item.id !== id))
  const items = subscription.items.map((item) => {
    const same = before.items.find(({ id }) => id === item.id)
    const former = same ?? gone.shift() ?? null
    const turns = former === null ? turnsOfNewItem(item, before, now) : turnsOfItem(item, former, now)
    return turns.length === 0 ? item : { ...item, turns }
  })
  return { ...subscription, items }
}

/** Turns of an item after what it was. A renewal, which begins where the former period ends, is no change within a period. */
function turnsOfItem(item: MirroredItem, former: MirroredItem, now: number): readonly ItemTurn[] {
  const { currentPeriodStart: start, currentPeriodEnd: end, price, quantity } = former
  const kept = (former.turns ?? []).filter((turn) => turn.end > item.currentPeriodStart)
  const begins = item.currentPeriodStart !== start
  const changes = begins
    ? item.currentPeriodStart > start && item.currentPeriodStart < end
    : item.price.id !== price.id || item.quantity !== quantity
  if (!changes) return kept
  const at = begins ? item.currentPeriodStart : clampToPeriod(now, { start, end })
  return [...kept, { at, start, end, price: price.id, product: price.product, quantity }]
}

/** An item that a known subscription gets within a period was nothing before. */
function turnsOfNewItem(
  { currentPeriodStart: start, currentPeriodEnd: end }: MirroredItem,
  before: MirroredSubscription,
  now: number,
): readonly ItemTurn[] {
  const isWithin = before.items.some((item) => item.currentPeriodStart <= start && start < item.currentPeriodEnd)
  return isWithin
    ? [{ at: clampToPeriod(now, { start, end }), start, end, price: null, product: null, quantity: 0 }]
    : []
}

/** The time of this service may be outside of the period, where a test clock is ahead of it. */
const clampToPeriod = (now: number, { start, end }: Pick<ItemTurn, 'start' | 'end'>) =>
  Math.min(Math.max(now, start), end)
