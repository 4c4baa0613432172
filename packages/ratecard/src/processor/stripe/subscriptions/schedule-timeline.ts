// Computes the phases of a schedule after items are moved to other prices at the end of their periods. Pure: no reads or writes. Existing
// phases keep everything but the prices that move. The running phase may be split, but its values stay.
import type { Stripe } from 'stripe'
import { ProcessorError } from '../../processor-error.ts'
import { idIn, idOf, integer, present, requiredList, word } from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'

type PhaseReply = Untrusted<Stripe.SubscriptionSchedule.Phase>
type PhaseItemReply = Untrusted<Stripe.SubscriptionSchedule.Phase.Item>

export type PhaseItem = Omit<PhaseItemReply, 'price'> & { readonly price: string }

/** A phase of a schedule. Its times and items were validated; any other member may be null or missing. */
export type Phase = Omit<PhaseReply, 'start_date' | 'end_date' | 'items'> & {
  readonly start_date: number
  readonly end_date: number
  readonly items: readonly PhaseItem[]
}

/** A schedule, read and validated as a whole before anything is written. */
export interface Schedule {
  readonly id: string
  readonly status: string
  readonly endBehavior: 'cancel' | 'release'
  /** Id of the schedule's subscription; null if the schedule no longer has one. */
  readonly subscription: string | null
  /** Start of the running phase in seconds; null if no phase is running. */
  readonly begun: number | null
  readonly phases: readonly Phase[]
  /** Billing settings that apply to phases without their own. */
  readonly usual: Untrusted<Stripe.SubscriptionSchedule.DefaultSettings>
}

/** Converts a schedule. Throws a plain error that names the member that is missing or malformed. */
export function scheduleFrom(said: UntrustedReply<Stripe.SubscriptionSchedule>): Schedule {
  const { current_phase: current } = said
  return {
    id: said.id,
    status: said.status ?? 'of no known state',
    // `end_behavior` decides whether the subscription continues after the schedule, so an unknown value throws. `none` and `renew` are
    // former values that mean: it continues.
    endBehavior:
      word(['cancel', 'release', 'none', 'renew'], said.end_behavior, 'end_behavior') === 'cancel'
        ? 'cancel'
        : 'release',
    subscription: idIn(said.subscription),
    // An active schedule must have a current phase, otherwise this throws.
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

/** Replacement of the price `from` by the price `to` at a time (seconds). */
export interface PriceSwitch {
  readonly from: string
  readonly to: string
  readonly at: number
}

/** A time span of the schedule within which no price changes. */
export interface Segment {
  /** The existing phase that this segment equals, is cut from, or continues. */
  readonly phase: Phase
  readonly start: number
  /** End in seconds; null for an added last segment, which lasts one period and then releases the subscription. */
  readonly end: number | null
  /** New price of each price that has moved by the start of this segment, keyed by the old price. */
  readonly moved: ReadonlyMap<string, string>
}

interface TimelinePlan {
  readonly segments: readonly Segment[]
  /** False if the schedule contains all moves already, so that nothing has to be written. */
  readonly changes: boolean
}

/** Returns the running phase and the later ones. Throws `rejected` if no phase is running. */
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
  const missing = turns.filter((turn) => turn.at >= last.end_date && hasPrice(last, turn.from))
  if (missing.length > 0 && schedule.endBehavior === 'cancel')
    throw new ProcessorError(
      'rejected',
      `The schedule ${schedule.id} cancels the subscription before the items can move.`,
    )
  const segments = [...within, ...goingOn(last, missing, turns)]
  for (const turn of turns) checkReached(schedule, segments, turn)
  const moves = segments.some(({ phase, moved }) => [...moved.keys()].some((price) => hasPrice(phase, price)))
  return { segments, changes: moves }
}

function cut(phase: Phase, turns: readonly PriceSwitch[]): Segment[] {
  const inside = turns.filter(({ from, at }) => at > phase.start_date && at < phase.end_date && hasPrice(phase, from))
  return between(phase, [phase.start_date, ...inside.map((turn) => turn.at)], phase.end_date, turns)
}

/** Returns the segments that must be added after the last phase; empty if no price is left to move. */
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

/**
 * Throws `rejected` if the schedule moves the item to a third price (neither the old nor the new one), because that was a deliberate
 * change.
 */
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

export function hasPrice(phase: Phase, price: string): boolean {
  return phase.items.some((item) => item.price === price)
}
