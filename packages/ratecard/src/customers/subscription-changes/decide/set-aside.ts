// The schedule that a change or a cancellation takes off its subscription. The processor keeps it, as released. If the change is not made after
// all (e.g. because it is refused, or never paid), if it only changes quantities, or if the cancellation is undone, the schedule is put back. Pure.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { entriesOf, isMade, type ChangeStep } from '../../item-swaps/change-step.ts'
import {
  withQuantities,
  type ChangeableSubscription,
  type PlannedItem,
  type ReleasedSchedule,
  type RestoredPhase,
  type SchedulePhase,
} from '../../../processor/subscription-change.ts'
import type { Requantified, SetAsideSchedule } from './decision.ts'
import { plannedItem, untilOf } from './scheduled-items.ts'

/**
 * Returns what is kept of the subscription's schedule when it is taken off. Returns null without a schedule, and for one that would change
 * nothing any more. `then` are the new quantities that it is put back with when the change is made.
 */
export function setAsideSchedule(
  { phases, termEnd, scheduled }: Pick<ChangeableSubscription, 'phases' | 'termEnd' | 'scheduled'>,
  then: Requantified | null = null,
): SetAsideSchedule | null {
  const [running, ...later] = phases ?? []
  const at = later[0]?.start ?? termEnd
  const codes = scheduled?.promotionCodes ?? []
  return running === undefined || at === null
    ? null
    : { from: running.items, at, ...(codes.length === 0 ? {} : { codes }), ...(then === null ? {} : { then }) }
}

/** What becomes of a schedule that was taken off. `impossible`: it cannot be put back although it should be. */
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
  readonly released: { readonly id: string; readonly schedule: ReleasedSchedule | null }
}

const nothing = { kind: 'nothing' } as const
const impossible = (why: string) => ({ kind: 'impossible', why }) as const

/**
 * Decides how the schedule of a change that was not made is put back, or with new quantities that of one that was made. What should have begun by now begins at the end of the present period.
 * Nothing is put back if the subscription ends before, if a change that replaces the schedule was paid after all, or if the schedule is back.
 */
export function decidePutBack(
  state: ChangeableSubscription,
  { from, then }: SetAsideSchedule,
  { now, isArchived, update, dealChanged, released: { id: released, schedule } }: PutBackFacts,
): PutBack {
  const { subscription, clockTime } = state
  const { status, cancelAt, cancelAtPeriodEnd, items } = subscription
  if (status === 'canceled' || status === 'incomplete_expired' || cancelAtPeriodEnd) return nothing
  const isChanged = update !== null && isMade(update, state)
  if (isChanged && then === undefined) return nothing
  const quantities = isChanged ? (then?.quantities ?? []) : []
  if (schedule === null) return nothing
  const periodEnd = Math.max(...items.map(({ currentPeriodEnd }) => currentPeriodEnd))
  const phases = restoredPhases(schedule, {
    now: clockTime ?? now,
    overdueAt: periodEnd,
    items: items.map(plannedItem),
  })
  if (phases === 'over')
    return impossible(
      `It cancelled the subscription${untilOf(schedule.phases.at(-1)?.end ?? null)}; plan that end again.`,
    )
  if (phases === 'nothing') return nothing
  if (cancelAt !== null)
    return phases.every(({ start }) => start === 'now' || cancelAt <= start || start < (clockTime ?? now))
      ? nothing
      : impossible(`The subscription has a planned end${untilOf(cancelAt)}.`)
  const step = restorationStep(
    {
      ...{ subscription: subscription.id, released, cancels: schedule.cancels },
      phases: phases.map((phase) => ({ ...phase, items: withQuantities(phase.items, quantities) })),
      ...(isChanged && then !== undefined ? { change: then.change } : {}),
    },
    isArchived,
  )
  if (subscription.schedule !== null)
    return isMade(step, state) ? nothing : impossible('The subscription has another schedule by now.')
  if (entriesOf(items.map(plannedItem)) !== entriesOf(withQuantities(from, quantities)))
    return impossible('The subscription has other items by now.')
  if (dealChanged) return impossible('A deal of the tenant has begun or ended since, so that its prices may be others.')
  return { kind: 'steps', steps: [step] }
}

export type Restoration = Extract<ChangeStep, { op: 'restore' }>

/** Returns the step that puts a schedule back. Archived prices of later phases are active meanwhile. */
export function restorationStep(
  request: Omit<Restoration, 'op' | 'reopens'>,
  isArchived: (price: ProcessorId) => boolean,
): Restoration {
  const later = request.phases.slice(1).flatMap(({ items }) => items.map(({ price }) => price))
  const reopens = [...new Set(later)].filter(isArchived)
  return { op: 'restore', ...request, ...(reopens.length === 0 ? {} : { reopens }) }
}

/**
 * Returns the phases of a released schedule from now on. A phase that should have begun by now begins at `overdueAt`, in place of those that it
 * should have followed. Returns `nothing` if the schedule would have gone by without a change, and `over` if it would have cancelled the
 * subscription by then.
 */
export function restoredPhases(
  { phases: [first, ...later], cancels }: ReleasedSchedule,
  {
    now,
    overdueAt,
    items,
  }: { readonly now: number; readonly overdueAt: number | 'now'; readonly items: readonly PlannedItem[] },
): readonly RestoredPhase[] | 'nothing' | 'over' {
  if (first === undefined) return 'nothing'
  const whole = ({ start, end, items: of }: SchedulePhase): RestoredPhase => ({ of: start, start, end, items: of })
  const overdue = later.some(({ start }) => start <= now)
  if (!overdue) {
    if (first.end <= now) return cancels ? 'over' : 'nothing'
    return later.length === 0 && !cancels ? 'nothing' : [first, ...later].map(whole)
  }
  const at = overdueAt === 'now' ? now : overdueAt
  const current = later.findLast(({ start }) => start <= at)
  if (current === undefined) return 'nothing'
  const isPast = current.end <= at
  if (isPast && cancels) return 'over'
  return [
    { of: null, start: first.start, end: overdueAt, items },
    { of: current.start, start: overdueAt, end: isPast ? null : current.end, items: current.items },
    ...later.filter(({ start }) => start > at).map(whole),
  ]
}
