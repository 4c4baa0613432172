// Which phases a schedule has after some items are moved when their running periods end. Works out; asks and writes nothing.
// A phase of the customer's own keeps everything but the prices that move; the running one is cut, never altered.
import type { Stripe } from 'stripe'
import { ProcessorError } from '../../processor-error.ts'
import { idIn, idOf, integer, present, requiredList, word } from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'

type PhaseReply = Untrusted<Stripe.SubscriptionSchedule.Phase>
type PhaseItemReply = Untrusted<Stripe.SubscriptionSchedule.Phase.Item>

export type PhaseItem = Omit<PhaseItemReply, 'price'> & { readonly price: string }

/** A phase with what the timeline stands on; the rest is as it was said. */
export type Phase = Omit<PhaseReply, 'start_date' | 'end_date' | 'items'> & {
  readonly start_date: number
  readonly end_date: number
  readonly items: readonly PhaseItem[]
}

/** A schedule that was read whole: nothing is written before it was. */
export interface Schedule {
  readonly id: string
  readonly status: string
  readonly endBehavior: 'cancel' | 'release'
  /** Of no subscription any more: null. */
  readonly subscription: string | null
  /** When the running phase began, in seconds; null when none runs. */
  readonly begun: number | null
  readonly phases: readonly Phase[]
  /** What a phase bills like when it does not say it. */
  readonly usual: Untrusted<Stripe.SubscriptionSchedule.DefaultSettings>
}

/** Throws a plain error that says what could not be understood. */
export function scheduleFrom(said: UntrustedReply<Stripe.SubscriptionSchedule>): Schedule {
  const { current_phase: current } = said
  return {
    id: said.id,
    status: said.status ?? 'of no known state',
    // It decides whether the subscription goes on: nothing is guessed. The last two are former words for going on.
    endBehavior:
      word(['cancel', 'release', 'none', 'renew'], said.end_behavior, 'end_behavior') === 'cancel'
        ? 'cancel'
        : 'release',
    subscription: idIn(said.subscription),
    // One that runs is always in some phase.
    begun:
      said.status === 'active' || current
        ? integer(present(current, 'current_phase').start_date, 'start of the current_phase')
        : null,
    phases: requiredList(said.phases, 'phases').map(phaseFrom),
    usual: said.default_settings ?? {},
  }
}

function phaseFrom(said: PhaseReply): Phase {
  return {
    ...said,
    start_date: integer(said.start_date, 'start_date of a phase'),
    end_date: integer(said.end_date, 'end_date of a phase'),
    items: requiredList(said.items, 'items of a phase').map((item) => ({
      ...item,
      price: idOf(item.price ?? item.plan, 'price of a phase'),
    })),
  }
}

/** A price that takes another's place from a moment on (seconds). */
export interface PriceSwitch {
  readonly from: string
  readonly to: string
  readonly at: number
}

/** A stretch of time in which nothing changes. */
export interface Segment {
  /** The phase that it is, or is cut from, or goes on from. */
  readonly phase: Phase
  readonly start: number
  /** null: it lasts one period and then lets the subscription go. */
  readonly end: number | null
  /** Which prices give way to which. */
  readonly moved: ReadonlyMap<string, string>
}

interface TimelinePlan {
  readonly segments: readonly Segment[]
  /** False when the schedule says all of it already. */
  readonly changes: boolean
}

/** The phase that runs and those to come; `rejected` when none runs. */
export function remainingPhases(schedule: Schedule): readonly [Phase, ...Phase[]] {
  const { begun } = schedule
  const [running, ...later] = schedule.phases.filter((phase) => begun !== null && phase.start_date >= begun)
  if (schedule.status === 'active' && running !== undefined && running.start_date === begun) return [running, ...later]
  throw new ProcessorError('rejected', `The schedule ${schedule.id} is ${schedule.status}: it has no running phase.`)
}

export function planSegments(
  schedule: Pick<Schedule, 'id' | 'endBehavior'>,
  phases: readonly [Phase, ...Phase[]],
  turns: readonly PriceSwitch[],
): TimelinePlan {
  const within = phases.flatMap((phase) => cut(phase, turns))
  const last = phases.at(-1) ?? phases[0]
  const missing = turns.filter((turn) => turn.at >= last.end_date && holds(last, turn.from))
  if (missing.length > 0 && schedule.endBehavior === 'cancel')
    throw new ProcessorError(
      'rejected',
      `The schedule ${schedule.id} cancels the subscription before the items can move.`,
    )
  const segments = [...within, ...goingOn(last, missing, turns)]
  for (const turn of turns) checkReached(schedule, segments, turn)
  const moves = segments.some(({ phase, moved }) => [...moved.keys()].some((price) => holds(phase, price)))
  return { segments, changes: moves }
}

function cut(phase: Phase, turns: readonly PriceSwitch[]): Segment[] {
  const inside = turns.filter(({ from, at }) => at > phase.start_date && at < phase.end_date && holds(phase, from))
  return between(phase, [phase.start_date, ...inside.map((turn) => turn.at)], phase.end_date, turns)
}

/** What comes after the last phase so far; nothing if nothing is left to be moved. */
function goingOn(last: Phase, missing: readonly PriceSwitch[], turns: readonly PriceSwitch[]): Segment[] {
  return missing.length === 0 ? [] : between(last, [last.end_date, ...missing.map((turn) => turn.at)], null, turns)
}

function between(
  phase: Phase,
  moments: readonly number[],
  end: number | null,
  turns: readonly PriceSwitch[],
): Segment[] {
  const starts = [...new Set(moments)].sort((a, b) => a - b)
  return starts.map((start, index) => ({
    phase,
    start,
    end: starts[index + 1] ?? end,
    moved: new Map(turns.filter((turn) => turn.at <= start).map(({ from, to }) => [from, to])),
  }))
}

/** A schedule that puts the item on a third price is somebody else's decision. */
function checkReached(schedule: Pick<Schedule, 'id'>, segments: readonly Segment[], turn: PriceSwitch): void {
  const then = segments.find(({ start, end }) => start <= turn.at && (end === null || end > turn.at)) ?? segments.at(-1)
  const prices = then?.phase.items.map((item) => priceIn(item, then.moved)) ?? []
  if (prices.includes(turn.to)) return
  const other = `The schedule ${schedule.id} already moves the item on ${turn.from} to another price`
  throw new ProcessorError('rejected', `${other}; move that one instead.`)
}

export function priceIn({ price }: Pick<PhaseItem, 'price'>, moved: ReadonlyMap<string, string>): string {
  return moved.get(price) ?? price
}

export function holds(phase: Phase, price: string): boolean {
  return phase.items.some((item) => item.price === price)
}
