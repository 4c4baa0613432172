// Finds the prices to which a schedule moves items at the end of their current period. Pure: no reads or writes.
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { LiveSubscription, ScheduledMove } from '../../customer-half.ts'
import { hasPrice, remainingPhases, type Phase, type Schedule } from './schedule-timeline.ts'

/** Returns a move for each item that has another price after its current period; empty unless the schedule is active. */
export function scheduledMoves(
  schedule: Schedule,
  subscription: Pick<LiveSubscription, 'items'>,
): readonly ScheduledMove[] {
  if (schedule.status !== 'active') return []
  const phases = remainingPhases(schedule)
  return subscription.items.flatMap(({ price, currentPeriodEnd }) => {
    const then = phases.findLast((phase) => phase.start_date * 1000 <= currentPeriodEnd) ?? phases[0]
    const successor = successorPrices(subscription, then).get(price.id)
    return successor === undefined ? [] : [{ from: price.id, to: successor, at: then.start_date * 1000 }]
  })
}

/**
 * Maps present prices to the next ones as Stripe does. An item keeps its price if the next phase contains that price. The other items get
 * the remaining prices of the phase, in order: licensed items those with a quantity, and metered items those without.
 */
function successorPrices(subscription: Pick<LiveSubscription, 'items'>, then: Phase): Map<ProcessorId, ProcessorId> {
  const present = subscription.items.map((item) => item.price.id)
  const pairs = [true, false].flatMap((metered) => {
    const leaving = subscription.items.filter(
      ({ price, quantity }) => (quantity === null) === metered && !hasPrice(then, price.id),
    )
    const coming = then.items
      .filter(({ quantity }) => ((quantity ?? null) === null) === metered)
      .map((item) => processorId(item.price))
      .filter((price) => !present.includes(price))
    return leaving.flatMap(({ price }, index) => {
      const successor = coming[index]
      return successor === undefined ? [] : [[price.id, successor] as const]
    })
  })
  return new Map(pairs)
}
