// The schedule that a change now takes off its subscription. If the change is not made after all (e.g. because it is refused, or never
// paid), the schedule is put back. Pure.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { isMade, type ChangeStep } from '../../item-swaps/change-step.ts'
import type { ChangeableSubscription } from '../../../processor/subscription-change.ts'
import type { SetAsideSchedule } from '../decide/decision.ts'
import { entriesOf, planned, untilOf } from './scheduled-items.ts'

/**
 * Returns what is needed to put the subscription's schedule back: the one change of its items (e.g. a downgrade at the end of the period),
 * its promotion codes, and the end of a term that is later than its running phase. Not kept are other values of the schedule's phases, e.g.
 * metadata or tax rates that were set in the processor's dashboard. Returns null without a schedule, if the items change several times (then
 * the schedule is not put back), or in its last phase: that has set its end at the subscription, which stays when the schedule is released.
 */
export function setAsideSchedule({
  subscription,
  phases,
  scheduled,
  termEnd,
}: Pick<ChangeableSubscription, 'subscription' | 'phases' | 'scheduled' | 'termEnd'>): SetAsideSchedule | null {
  const [running, ...later] = phases ?? []
  if (running === undefined) return null
  const from = running.items
  const first = later.findIndex(({ items }) => entriesOf(items) !== entriesOf(from))
  const next = later[first] ?? (termEnd === null ? undefined : later[0])
  if (next === undefined || later.slice(first).some(({ items }) => entriesOf(items) !== entriesOf(next.items)))
    return null
  const change = scheduled?.at === next.start ? scheduled : { coming: [], restores: [], promotionCodes: [], ends: [] }
  const marked = new Set(change.coming.map(({ price }) => price))
  const present = new Set(from.map((item) => entriesOf([item])))
  // Items that another schedule entry moves, e.g. a price migration. `resume` does not undo them.
  const others = next.items.filter((item) => !marked.has(item.price) && !present.has(entriesOf([item])))
  const then = new Set(next.items.map(({ price }) => price))
  return {
    from,
    schedule: {
      subscription: subscription.id,
      at: next.start,
      leaving: from.map(({ price }) => price).filter((price) => !then.has(price)),
      coming: [...change.coming, ...others],
      restores: [...change.restores, ...others],
      promotionCodes: change.promotionCodes,
      ends: change.ends ?? [],
      ...(termEnd === null ? {} : { cancelsAt: termEnd }),
    },
  }
}

/** What becomes of a schedule that was taken off. `impossible`: it cannot be put back although the change was not made. */
export type PutBack =
  | { readonly kind: 'steps'; readonly steps: readonly ChangeStep[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'impossible'; readonly why: string }

interface PutBackFacts {
  readonly now: number
  readonly isArchived: (price: ProcessorId) => boolean
  /** Update that took the schedule off; null if it was refused or interrupted. */
  readonly update: ChangeStep | null
  /** True if a deal of the tenant began or ended since the schedule was taken off. */
  readonly dealChanged: boolean
}

const nothing = { kind: 'nothing' } as const
const impossible = (why: string) => ({ kind: 'impossible', why }) as const

/**
 * Decides how the schedule is put back: at the end of the present period if its time has passed. Nothing is put back if the subscription
 * ends before, if the change was paid after all, or if the schedule is back already.
 */
export function decidePutBack(
  state: ChangeableSubscription,
  { from, schedule }: SetAsideSchedule,
  { now, isArchived, update, dealChanged }: PutBackFacts,
): PutBack {
  const { subscription, clockTime } = state
  const { status, cancelAt, cancelAtPeriodEnd, items } = subscription
  if (status === 'canceled' || status === 'incomplete_expired' || cancelAtPeriodEnd) return nothing
  if (update !== null && isMade(update, state)) return nothing
  const passed = schedule.at <= (clockTime ?? now)
  const at = passed ? Math.max(...items.map(({ currentPeriodEnd }) => currentPeriodEnd)) : schedule.at
  if (cancelAt !== null)
    return cancelAt <= at ? nothing : impossible(`The subscription has a planned end${untilOf(cancelAt)}.`)
  const reopens = schedule.coming.map(({ price }) => price).filter(isArchived)
  const step: ChangeStep = { op: 'schedule', ...schedule, at, ...(reopens.length === 0 ? {} : { reopens }) }
  if (subscription.schedule !== null)
    return isMade(step, state) ? nothing : impossible('The subscription has another schedule by now.')
  if (entriesOf(items.map(planned)) !== entriesOf(from)) return impossible('The subscription has other items by now.')
  if (schedule.cancelsAt !== undefined && schedule.cancelsAt <= at)
    return impossible(`It cancelled the subscription${untilOf(schedule.cancelsAt)}; plan that end again.`)
  if (dealChanged) return impossible('A deal of the tenant has begun or ended since, so that its prices may be others.')
  return { kind: 'steps', steps: [step] }
}
