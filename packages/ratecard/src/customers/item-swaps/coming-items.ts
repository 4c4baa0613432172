// Reads what the schedules of subscriptions will bring, e.g. the plan of a downgrade at the end of the period.
import type { LiveSubscription } from '../../processor/customer-half.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { Processor } from '../../processor/processor.ts'
import type { PriceBook } from './price-book.ts'
import { soldPrice, type SoldItem } from './sold-items.ts'

/** A subscription with the items of its schedule's later phases. Items that it has already may be among them. */
export interface ScheduledSubscription extends LiveSubscription {
  readonly coming: readonly SoldItem[]
}

/** Adds the scheduled items to each subscription. Calls the processor once for each subscription that has a schedule. */
export function withComing(
  processor: Pick<Processor, 'schedulePhases'>,
  subscriptions: readonly LiveSubscription[],
  book: PriceBook,
  signal: AbortSignal,
): Promise<readonly ScheduledSubscription[]> {
  return Promise.all(
    subscriptions.map(async (subscription) => {
      const { schedule, endedAt } = subscription
      if (schedule === null || endedAt !== null) return { ...subscription, coming: [] }
      const phases = await askProcessor(signal, () => processor.schedulePhases(schedule, signal))
      const prices = phases.slice(1).flatMap(({ items }) => items.map(({ price }) => price))
      const coming = [...new Set(prices)].flatMap((price) => {
        const id = book.idOf(price)
        const booked = id === undefined ? undefined : book.find(id)
        return booked === undefined ? [] : [soldPrice(booked)]
      })
      return { ...subscription, coming }
    }),
  )
}
