// Which phases a schedule has after some items are moved when their running periods end. Works out; asks and writes nothing.
// A phase of the customer's own keeps everything but the prices that move; the running one is cut, never altered.
import type { Stripe } from 'stripe'
import { ProcessorError } from '../processor-error.ts'
import { idOf } from './kinds/kind.ts'

export type Phase = Stripe.SubscriptionSchedule.Phase

/** A price that takes another's place from a moment on (seconds). */
export interface Turn {
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

interface Plan {
  readonly segments: readonly Segment[]
  /** False when the schedule says all of it already. */
  readonly changes: boolean
}

/** The phase that runs and those to come; `rejected` when none runs. */
export function remainingPhases(schedule: Stripe.SubscriptionSchedule): readonly [Phase, ...Phase[]] {
  const begun = schedule.current_phase?.start_date
  const [running, ...later] = schedule.phases.filter((phase) => begun !== undefined && phase.start_date >= begun)
  if (schedule.status === 'active' && running !== undefined && running.start_date === begun) return [running, ...later]
  throw new ProcessorError('rejected', `The schedule ${schedule.id} is ${schedule.status}: it has no running phase.`)
}

export function planSegments(
  schedule: Stripe.SubscriptionSchedule,
  phases: readonly [Phase, ...Phase[]],
  turns: readonly Turn[],
): Plan {
  const within = phases.flatMap((phase) => cut(phase, turns))
  const last = phases.at(-1) ?? phases[0]
  const missing = turns.filter((turn) => turn.at >= last.end_date && holds(last, turn.from))
  if (missing.length > 0 && schedule.end_behavior === 'cancel')
    throw new ProcessorError(
      'rejected',
      `The schedule ${schedule.id} cancels the subscription before the items can move.`,
    )
  const segments = [...within, ...goingOn(last, missing, turns)]
  for (const turn of turns) checkReached(schedule, segments, turn)
  const moves = segments.some(({ phase, moved }) => [...moved.keys()].some((price) => holds(phase, price)))
  return { segments, changes: moves }
}

function cut(phase: Phase, turns: readonly Turn[]): Segment[] {
  const inside = turns.filter(({ from, at }) => at > phase.start_date && at < phase.end_date && holds(phase, from))
  return between(phase, [phase.start_date, ...inside.map((turn) => turn.at)], phase.end_date, turns)
}

/** What comes after the last phase so far; nothing if nothing is left to be moved. */
function goingOn(last: Phase, missing: readonly Turn[], turns: readonly Turn[]): Segment[] {
  return missing.length === 0 ? [] : between(last, [last.end_date, ...missing.map((turn) => turn.at)], null, turns)
}

function between(phase: Phase, moments: readonly number[], end: number | null, turns: readonly Turn[]): Segment[] {
  const starts = [...new Set(moments)].sort((a, b) => a - b)
  return starts.map((start, index) => ({
    phase,
    start,
    end: starts[index + 1] ?? end,
    moved: new Map(turns.filter((turn) => turn.at <= start).map(({ from, to }) => [from, to])),
  }))
}

/** A schedule that puts the item on a third price is somebody else's decision. */
function checkReached(schedule: Stripe.SubscriptionSchedule, segments: readonly Segment[], turn: Turn): void {
  const then = segments.find(({ start, end }) => start <= turn.at && (end === null || end > turn.at)) ?? segments.at(-1)
  const prices = then?.phase.items.map((item) => priceIn(item, then.moved)) ?? []
  if (prices.includes(turn.to)) return
  const other = `The schedule ${schedule.id} already moves the item on ${turn.from} to another price`
  throw new ProcessorError('rejected', `${other}; move that one instead.`)
}

export function priceIn(item: Phase['items'][number], moved: ReadonlyMap<string, string>): string {
  const price = idOf(item.price)
  return moved.get(price) ?? price
}

export function holds(phase: Phase, price: string): boolean {
  return phase.items.some((item) => idOf(item.price) === price)
}
