// Whose decision it was (decision 29): what sessions of a tenant did to a subscription, so that a session undoes that alone, and the schedule that
// a cancellation took off, so that undoing the cancellation puts it back.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ChangeableSubscription, ScheduledChange } from '../../processor/subscription-change.ts'
import { withNamedLease } from '../../acts/lease.ts'
import { type RequestRecordDeps, previewLifetimeMs } from './earlier-requests.ts'
import type { SetAsideSchedule } from './decide/decision.ts'
import type { LiveItem } from '../../processor/customer-half.ts'
import { intervalOf } from './decide/monthly.ts'

/** A schedule that a cancellation took off. */
export interface TakenOff extends SetAsideSchedule {
  /** Id of the released schedule. */
  readonly released: string
  /** Deal of the tenant then, as text that can be compared. */
  readonly deal: string
}

export interface SubscriptionDecisions {
  readonly cancellation?: {
    readonly bySession: boolean
    /** Time at which the processor says that it was made; a later cancellation by somebody else has another one. */
    readonly canceledAt: number | null
    readonly takenOff: TakenOff | null
  }
  /** Change that a session scheduled, as `scheduledText` names it. */
  readonly scheduled?: string
  /** Invoice of a change by a session that waits for its payment. */
  readonly invoice?: string
}

interface Deps {
  readonly store: Pick<RequestRecordDeps['store'], 'facts'>
}

const factOf = (subscription: string) => `decided:${subscription}`

export async function readDecided({ store }: Deps, subscription: string): Promise<SubscriptionDecisions> {
  const text = await store.facts.get(factOf(subscription))
  return text === null ? {} : (JSON.parse(text) as SubscriptionDecisions)
}

/** Adds to what is known of the subscription. The caller holds the tenant's lease. */
export async function storeDecided(deps: Deps, subscription: string, more: SubscriptionDecisions): Promise<void> {
  const text = JSON.stringify({ ...(await readDecided(deps, subscription)), ...more })
  await deps.store.facts.set(factOf(subscription), text)
}

/** Name of the list of subscriptions whose cancellations took a schedule off: pairs of tenant and subscription. */
const listName = 'schedules_taken_off'

export async function takenOffList({ store }: Deps): Promise<readonly (readonly [string, string])[]> {
  const text = await store.facts.get(listName)
  return text === null ? [] : (JSON.parse(text) as [string, string][])
}

type ListDeps = Pick<RequestRecordDeps, 'store' | 'shutdown'>

export const addTakenOff = (deps: ListDeps, tenantId: string, subscription: string) =>
  changeList(deps, subscription, [[tenantId, subscription]])

/** Forgets a cancellation that was undone, or that has ended the subscription, with the schedule that it took off. */
export async function forgetCancellation(deps: ListDeps, subscription: string): Promise<void> {
  const { cancellation, ...others } = await readDecided(deps, subscription)
  if (cancellation !== undefined) await deps.store.facts.set(factOf(subscription), JSON.stringify(others))
  if ((cancellation?.takenOff ?? null) !== null) await changeList(deps, subscription, [])
}

function changeList(deps: ListDeps, subscription: string, more: readonly (readonly [string, string])[]): Promise<void> {
  return withNamedLease(deps, listName, async () => {
    const others = (await takenOffList(deps)).filter(([, id]) => id !== subscription)
    await deps.store.facts.set(listName, JSON.stringify([...others, ...more]))
  })
}

/** Names a scheduled change by its time. What comes, and what undoing it brings back, may get another price or quantity meanwhile. */
export const scheduledText = ({ at }: Pick<ScheduledChange, 'at'>) => String(at)

type Planned = Pick<ChangeableSubscription, 'subscription' | 'scheduled'>

/** True if a session of the tenant scheduled the change that the subscription has. Earlier texts go on after the time. */
export const isScheduledBySession = ({ scheduled }: Pick<Planned, 'scheduled'>, decided: SubscriptionDecisions) =>
  scheduled !== null && decided.scheduled?.split(' ')[0] === scheduledText(scheduled)

/** True if the running cancellation is the one that is known, and a session of the tenant made it. */
const isCancelledBySession = ({ subscription: { canceledAt } }: Planned, { cancellation }: SubscriptionDecisions) =>
  cancellation?.bySession === true && cancellation.canceledAt === canceledAt

/** Throws `not_allowed` if a session would undo what no session of its tenant did. */
export function refuseUndoing(
  state: Pick<ChangeableSubscription, 'subscription' | 'scheduled' | 'payment'>,
  decided: SubscriptionDecisions,
): void {
  const { subscription, scheduled, payment } = state
  const { id, cancelAt, cancelAtPeriodEnd, paused } = subscription
  if ((cancelAtPeriodEnd || cancelAt !== null) && !isCancelledBySession(state, decided))
    throw decidedBySeller(
      `The cancellation of ${id}`,
      'A customer who cancelled in the customer portal can renew it there.',
    )
  if (paused !== null) throw decidedBySeller(`The pause of ${id}`)
  if (scheduled !== null && !isScheduledBySession(state, decided))
    throw decidedBySeller(`The scheduled change of ${id}`)
  if (payment !== null && decided.invoice !== payment.invoice)
    throw decidedBySeller(`The change of ${id} that waits for its payment`)
}

const decidedBySeller = (what: string, besides?: string) =>
  new ServiceError('not_allowed', `${what} was decided by the seller, so a session cannot undo it.`, {
    hint: ['A service key can (POST subscription/resume).', ...(besides === undefined ? [] : [besides])].join(' '),
  })

// One new period at a time (decision 29): a session begins a new period, e.g. by a change from a month to a year, only if the
// running period was not begun by such a change. Otherwise it could be granted the credit and the allowance of a period at each turn.
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

const periodFactOf = (subscription: string) => `begun_period:${subscription}`

/** Remembers, before the write, that a change by a session begins a period of these intervals. */
export async function storeBegunPeriod({ store }: Deps, subscription: string, period: BegunPeriod): Promise<void> {
  await store.facts.set(periodFactOf(subscription), JSON.stringify(period))
}

/** True if the running period of one of the items was begun by a change of a session. */
export async function isBegunBySession(
  { store }: Deps,
  subscription: string,
  items: readonly LiveItem[],
): Promise<boolean> {
  const text = await store.facts.get(periodFactOf(subscription))
  if (text === null) return false
  const { at, intervals } = JSON.parse(text) as BegunPeriod
  // The processor counts in whole seconds, and carries out a change at the amounts of its preview for as long as that is fresh.
  const isBegun = ({ currentPeriodStart }: LiveItem) =>
    currentPeriodStart >= at - 1000 && currentPeriodStart <= at + 2 * previewLifetimeMs
  return items.some((item) => intervals.includes(intervalOf(item.price)) && isBegun(item))
}
