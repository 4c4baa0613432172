// One new period at a time (decision 29): a session begins a new period, e.g. by a change from a month to a year, only if the
// running period was not begun by such a change. Otherwise it could be granted the credit and the allowance of a period at each turn.
import type { LiveItem } from '../../../processor/customer-half.ts'
import { intervalOf } from '../decide/monthly.ts'
import { previewLifetimeMs } from '../previews.ts'
import type { KeptDeps } from './kept.ts'

/** A period that a change by a session began, or was to begin: the change may have failed, e.g. because its payment was declined. */
interface BegunPeriod {
  /** Moment of the change by the customer's clock. */
  readonly at: number
  /**
   * Intervals of the items that the change began, e.g. `1 year`. Not their prices: a session may move on to another price of the same interval
   * within the period.
   */
  readonly intervals: readonly string[]
}

type Deps = Pick<KeptDeps, 'store'>

const factOf = (subscription: string) => `begun_period:${subscription}`

/** Remembers, before the write, that a change by a session begins a period of these intervals. */
export async function keepBegunPeriod({ store }: Deps, subscription: string, period: BegunPeriod): Promise<void> {
  await store.facts.set(factOf(subscription), JSON.stringify(period))
}

/** True if the running period of one of the items was begun by a change of a session. */
export async function isBegunBySession(
  { store }: Deps,
  subscription: string,
  items: readonly LiveItem[],
): Promise<boolean> {
  const text = await store.facts.get(factOf(subscription))
  if (text === null) return false
  const { at, intervals } = JSON.parse(text) as BegunPeriod
  // The processor counts in whole seconds, and carries out a change at the amounts of its preview for as long as that is fresh.
  const isBegun = ({ currentPeriodStart }: LiveItem) =>
    currentPeriodStart >= at - 1000 && currentPeriodStart <= at + 2 * previewLifetimeMs
  return items.some((item) => intervals.includes(intervalOf(item.price)) && isBegun(item))
}
