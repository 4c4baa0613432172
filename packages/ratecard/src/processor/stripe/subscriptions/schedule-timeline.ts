// Computes the phases of a schedule after items are moved to other prices at the end of their periods. Pure: no reads or writes. Existing
// phases change only in the prices that move. The running phase may be split in two, but its values stay.
import type { Stripe } from 'stripe'
import { ProcessorError } from '../../processor-error.ts'
import { idIn, idOf, requireInteger, requirePresent, requiredList, requireWord } from '../connection/reading.ts'
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
  /** Subscription that the schedule was taken off, and when (seconds); null for a schedule that was not released. */
  readonly released: { readonly subscription: string; readonly at: number } | null
  readonly phases: readonly Phase[]
  /** Billing settings that apply to phases without their own. */
  readonly usual: Untrusted<Stripe.SubscriptionSchedule.DefaultSettings>
  readonly metadata: Readonly<Partial<Record<string, string>>>
}

/** Converts a schedule. Throws a plain error that names the member that is missing or malformed. */
export function scheduleFrom(said: UntrustedReply<Stripe.SubscriptionSchedule>): Schedule {
  const { current_phase: current } = said
  return {
    id: said.id,
    status: said.status ?? 'of no known state',
    // `end_behavior` decides whether the subscription continues after the schedule, so an unknown value throws. `none` and `renew` are
    // values of earlier API versions, and mean that it continues.
    endBehavior:
      requireWord(['cancel', 'release', 'none', 'renew'], said.end_behavior, 'end_behavior') === 'cancel'
        ? 'cancel'
        : 'release',
    subscription: idIn(said.subscription),
    // An active schedule must have a current phase, otherwise this throws.
    begun:
      said.status === 'active' || current
        ? requireInteger(requirePresent(current, 'current_phase').start_date, 'start of the current_phase')
        : null,
    released: releaseIn(said),
    phases: requiredList(said.phases, 'phases').map(phaseFrom),
    usual: said.default_settings ?? {},
    metadata: Object.fromEntries(
      Object.entries(said.metadata ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  }
}

function releaseIn({
  released_at: at,
  released_subscription: subscription,
}: UntrustedReply<Stripe.SubscriptionSchedule>) {
  const id = idIn(subscription)
  return id === null || at === null || at === undefined ? null : { subscription: id, at }
}

function phaseFrom(said: PhaseReply): Phase {
  return {
    ...said,
    start_date: requireInteger(said.start_date, 'start_date of a phase'),
    end_date: requireInteger(said.end_date, 'end_date of a phase'),
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
  /** The existing phase that this segment is made from: the whole phase, a part of it, or its continuation. */
  readonly phase: Phase
  readonly start: number
  /**
   * End of the segment (seconds). null for a segment that was added as the last one; it lasts one period, and then the schedule releases
   * the subscription.
   */
  readonly end: number | 'now' | null
  /** Prices that items have moved to when this segment starts, keyed by the old price. */
  readonly moved: ReadonlyMap<string, string>
  /** Items of the segment, if they were replaced. If absent, the segment has the items of its phase. */
  readonly items?: readonly PhaseItem[]
  /** Promotion codes that apply beside the discounts of the phase, in place of `former`. Absent if the discounts are those of the phase. */
  readonly codes?: PhaseCodes
  /** Free subscriptions that end with the segment. Absent if the metadata is that of the phase. */
  readonly ends?: readonly string[]
}

/** Promotion codes of a scheduled change, and those of the change that it replaces. */
export interface PhaseCodes {
  readonly coming: readonly string[]
  readonly former: readonly string[]
}

/** Replacement of items from a time (seconds) on. Items on the prices in `leaving` are replaced; all other items stay. */
export interface ItemsReplacement {
  readonly at: number
  readonly leaving: ReadonlySet<string>
  readonly coming: readonly { readonly price: string; readonly quantity: number | null }[]
  /** Promotion codes that apply from then on. */
  readonly codes: PhaseCodes
  /** Free subscriptions that end when the items are replaced. */
  readonly ends: readonly string[]
}

/** Returns the segments of a schedule whose items are replaced from a time on. The schedule ends after the last segment. */
export function replaceItems(
  schedule: Pick<Schedule, 'id' | 'endBehavior'>,
  phases: readonly [Phase, ...Phase[]],
  replacement: ItemsReplacement,
): readonly Segment[] {
  const { at, codes, ends } = replacement
  const segment = (phase: Phase, start: number, end: number | null): Segment => {
    const unmoved = { phase, start, end, moved: new Map<string, string>() }
    if (start < at) return unmoved
    return { ...unmoved, items: itemsAfter(phase, replacement), codes, ends }
  }
  const within = phases.flatMap((phase) =>
    at > phase.start_date && at < phase.end_date
      ? [segment(phase, phase.start_date, at), segment(phase, at, phase.end_date)]
      : [segment(phase, phase.start_date, phase.end_date)],
  )
  const last = phases.at(-1) ?? phases[0]
  if (at < last.end_date) return within
  if (schedule.endBehavior === 'cancel')
    throw new ProcessorError(
      'rejected',
      `The schedule ${schedule.id} cancels the subscription before its items change.`,
    )
  // Phases have no gaps, so the present items need a segment of their own until a later time, e.g. in the third period.
  const until = at > last.end_date ? [segment(last, last.end_date, at)] : []
  return [...within, ...until, segment(last, at, null)]
}

/**
 * Returns the items of a phase after the replacement. A new item keeps metadata, discounts and tax rates of the item that it replaces. It
 * replaces an item on the same price or, if there is none, the next item that leaves.
 */
function itemsAfter({ items }: Phase, { leaving, coming }: ItemsReplacement): readonly PhaseItem[] {
  const free = items.filter(({ price }) => leaving.has(price) && !coming.some((one) => one.price === price))
  const replaced = coming.map(({ price, quantity }) => {
    const { quantity: _former, ...former } = items.find((one) => one.price === price) ?? free.shift() ?? {}
    return { ...former, price, ...(quantity === null ? {} : { quantity }) }
  })
  const prices = new Set(coming.map(({ price }) => price))
  return [...items.filter(({ price }) => !leaving.has(price) && !prices.has(price)), ...replaced]
}

interface TimelinePlan {
  readonly segments: readonly Segment[]
  /** False if the schedule already contains all moves, so that nothing must be written. */
  readonly changes: boolean
}

/** Returns the running phase and the phases after it. Throws `rejected` if no phase is running. */
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
  return segmentsBetween(phase, [phase.start_date, ...inside.map((turn) => turn.at)], phase.end_date, turns)
}

/** Returns the segments to add after the last phase for moves that are due after its end. Empty if there are no such moves. */
function goingOn(last: Phase, missing: readonly PriceSwitch[], turns: readonly PriceSwitch[]): Segment[] {
  return missing.length === 0
    ? []
    : segmentsBetween(last, [last.end_date, ...missing.map((turn) => turn.at)], null, turns)
}

function segmentsBetween(
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
 * Throws `rejected` if the schedule moves the item to a third price (neither the old nor the new one). Such a move was made deliberately
 * and must not be overwritten.
 */
function checkReached(schedule: Pick<Schedule, 'id'>, segments: readonly Segment[], turn: PriceSwitch): void {
  const then =
    segments.find(({ start, end }) => start <= turn.at && (end === null || end === 'now' || end > turn.at)) ??
    segments.at(-1)
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
