// Moves items to other prices at the end of their current period, through the subscription's schedule. Nothing is billed now. Usage of a
// metered item until then is billed at the old price. Takes at most two writes; a retry continues an interrupted move.
import { isDeepStrictEqual } from 'node:util'
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import { endsKey } from '../../customer-half.ts'
import type { InvoicePreview, LiveItem, LiveSubscription, ScheduledSwaps } from '../../customer-half.ts'
import { withQuantities } from '../../subscription-change.ts'
import type { ItemsSchedule, PreviewedSchedule, QuantityChange, ScheduledInvoice } from '../../subscription-change.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readOne, translateReply, writeOne } from '../customers/single-object.ts'
import { hasEnded, liveSubscription, type SubscriptionReply } from './live-subscription.ts'
import { idIn, text } from '../connection/reading.ts'
import { previewInvoice } from './previews.ts'
import { phaseDiscounts, phaseMetadata, phaseParams, withCodes } from './schedule-phases.ts'
import { changeMetadata, movedChangeMetadata, scheduledChangeOf } from './scheduled-change.ts'
import { scheduledMoves } from './scheduled-moves.ts'
import { hasPrice, planSegments, remainingPhases, replaceItems, scheduleFrom } from './schedule-timeline.ts'
import type { Phase, PhaseItem, PriceSwitch, Schedule, Segment } from './schedule-timeline.ts'
import { retrieveSubscription, withAllItems } from './subscriptions.ts'

export type Phases = readonly [Phase, ...Phase[]]

/**
 * Schedules the moves. Throws `rejected`, before any write, in these cases: the subscription has ended or will be cancelled, it has no item
 * on a price to move, the new price has another usage type, or the schedule already moves the item to a third price.
 */
export async function scheduleSwaps(
  context: StripeContext,
  { subscription: id, swaps, forGood = false }: ScheduledSwaps,
  options: WriteOptions,
): Promise<{ effectiveAt: number }> {
  if (swaps.length === 0) throw new TypeError('A schedule without swaps would do nothing.')
  const { signal } = options
  // Read everything before the first write, so that a refused change leaves no new schedule behind.
  const { present, ...held } = await readScheduled(context, id, signal)
  const turns = translateReply(held.subscription, () => swaps.map((swap) => turnOf(swap, held.live, present)))
  await checkPrices(context, held.live, turns, signal)
  const plan: PlanOfSegments = (schedule, phases) => {
    const { segments, changes } = planSegments(schedule, phases, turns)
    return changes ? segments : null
  }
  const metadata = present === null ? null : movedChangeMetadata(present, turns, forGood)
  await writePlan(context, { ...held, plan, ...(metadata === null ? {} : { metadata }) }, present, options)
  return { effectiveAt: Math.max(...turns.map((turn) => turn.at)) * 1000 }
}

/** Replaces items from a given time on. Throws `rejected`, before any write, if the subscription has ended or will be cancelled. */
export async function scheduleItems(
  context: StripeContext,
  { subscription: id, at, leaving, coming, restores, promotionCodes, ends = [], cancelsAt }: ItemsSchedule,
  options: WriteOptions,
): Promise<void> {
  const { present, ...held } = await readScheduled(context, id, options.signal)
  const plan: PlanOfSegments = (schedule, phases) => {
    const segments = segmentsOf(schedule, phases, { at, leaving, coming, promotionCodes, ends })
    // An interrupted attempt may have created the schedule already, but not its end.
    if (cancelsAt !== undefined && schedule.endBehavior !== 'cancel') return endingAt(segments, cancelsAt / 1000)
    return segments.length === phases.length && segments.every(keepsPhase) ? null : segments
  }
  // Without items there is no change that could be undone.
  const isChange = coming.length + restores.length > 0
  const metadata = isChange ? { metadata: changeMetadata({ at, coming, restores, promotionCodes, ends }) } : {}
  await writePlan(context, { ...held, plan, ...metadata, cancels: cancelsAt !== undefined }, present, options)
}

const endingAt = (segments: readonly Segment[], end: number): readonly Segment[] =>
  segments.map((segment, index) => (index === segments.length - 1 ? { ...segment, end } : segment))

function segmentsOf(
  schedule: Schedule,
  phases: Phases,
  { at, leaving, coming, promotionCodes, ends = [], quantities }: Omit<PreviewedSchedule, 'subscription'>,
): readonly Segment[] {
  if (quantities !== undefined) return phases.map((phase) => countedSegment(phase, quantities))
  const codes = { coming: promotionCodes, former: scheduledChangeOf(schedule)?.promotionCodes ?? [] }
  return replaceItems(schedule, phases, { at: at / 1000, leaving: new Set<string>(leaving), coming, codes, ends })
}

function countedSegment(phase: Phase, quantities: readonly QuantityChange[]): Segment {
  const items = withQuantities(phase.items, quantities)
  return { phase, start: phase.start_date, end: phase.end_date, moved: new Map(), items }
}

/** Previews the next invoice of a subscription that has a schedule. Throws `rejected` if the subscription is going to be cancelled. */
export async function previewScheduled(
  context: StripeContext,
  { subscription: id, usedUp = [], ...request }: PreviewedSchedule,
  invoice: ScheduledInvoice,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  const { present, ...held } = await readScheduled(context, id, signal)
  if (present === null) throw rejectedError(`The subscription ${id} has no schedule.`)
  const change = changeOf(present, { ...held, plan: (schedule, phases) => segmentsOf(schedule, phases, request) })
  if (change === null) throw new TypeError('The plan of a preview has no segments.')
  const { phases = [], end_behavior: ending, proration_behavior: prorates } = change.params
  return previewInvoice(
    context,
    {
      subscription: id,
      schedule: change.schedule,
      ...(invoice === 'recurring' ? { preview_mode: 'recurring' } : {}),
      schedule_details: {
        phases: phases.map((phase) => withoutDiscounts(phase, usedUp)),
        ...(ending === 'release' ? { end_behavior: ending } : {}),
        ...(prorates === undefined ? {} : { proration_behavior: prorates }),
      },
    },
    signal,
  )
}

function withoutDiscounts<P extends Pick<Stripe.SubscriptionScheduleUpdateParams.Phase, 'discounts'>>(
  phase: P,
  usedUp: readonly string[],
): P {
  const { discounts } = phase
  if (!Array.isArray(discounts) || usedUp.length === 0) return phase
  return {
    ...phase,
    discounts: discounts.filter(({ discount }) => discount === undefined || !usedUp.includes(discount)),
  }
}

/** True if the segment has the items and promotion codes of its phase. */
function keepsPhase({ phase, items = phase.items, codes, ends }: Segment): boolean {
  const entries = (of: readonly PhaseItem[]) =>
    of
      .map(({ price, quantity }) => itemText(price, quantity))
      .sort()
      .join()
  const own = phaseDiscounts(phase)
  return (
    entries(items) === entries(phase.items) &&
    (codes === undefined || isDeepStrictEqual(withCodes(own, codes), own)) &&
    (phaseMetadata(phase, ends)?.[endsKey] ?? '') === (phase.metadata?.[endsKey] ?? '')
  )
}

export async function readScheduled(context: StripeContext, id: string, signal: AbortSignal) {
  const found = await retrieveSubscription(context, id, signal)
  if (found === null) throw rejectedError(`There is no subscription ${id}.`)
  const subscription = await withAllItems(context, found, signal)
  if (hasEnded(subscription)) throw rejectedError(`The subscription ${id} has ended.`)
  const live = translateReply(subscription, liveSubscription)
  const owner = translateReply(subscription, (one) => idIn(one.schedule))
  const present = owner === null ? null : await readSchedule(context, owner, signal)
  refuseEnding(subscription, present)
  return { subscription, live, present }
}

export async function writePlan(
  context: StripeContext,
  asked: ScheduleMove,
  present: Schedule | null,
  { signal, idempotencyKey: key }: WriteOptions,
): Promise<void> {
  const change =
    present === null
      ? await changeOfNew(context, asked, { signal, idempotencyKey: `${key}:make` })
      : changeOf(present, asked)
  // null means that an earlier attempt has already written the change.
  if (change !== null) await write(context, change, { signal, idempotencyKey: `${key}:change` })
}

/**
 * Returns the next price of each item that will move at the end of its period, keyed by the present price. Items that do not move are
 * omitted.
 */
export async function readScheduledPrices(
  context: StripeContext,
  subscription: LiveSubscription,
  signal: AbortSignal,
): Promise<ReadonlyMap<ProcessorId, ProcessorId>> {
  if (subscription.schedule === null) return new Map()
  const schedule = await readSchedule(context, subscription.schedule, signal)
  return new Map(scheduledMoves(schedule, subscription).map(({ from, to }) => [from, to]))
}

/**
 * Throws `rejected` if the subscription is going to be cancelled, because a change of its schedule would override that. An end that is the
 * end of the schedule itself is kept.
 */
function refuseEnding({ id, cancel_at: at, ...subscription }: SubscriptionReply, schedule: Schedule | null): void {
  const endsWithSchedule = schedule?.endBehavior === 'cancel' && schedule.phases.at(-1)?.end_date === at
  const isPlanned = (at ?? null) !== null && !endsWithSchedule
  if (subscription.cancel_at_period_end === true || isPlanned)
    throw rejectedError(`The subscription ${id} is going to be cancelled, so its items are not moved.`)
}

/**
 * Returns the move with its time. That is the end of the present period of the item on the old price. If there is no such item now, it is
 * the start of the later phase with the old or the new price. If the item has already moved, it is the start of its present period.
 */
function turnOf(swap: ScheduledSwaps['swaps'][number], live: LiveSubscription, schedule: Schedule | null): PriceSwitch {
  const on = (price: string): LiveItem | undefined => live.items.find((item) => item.price.id === price)
  const later = (price: string) => schedule?.phases.find((phase) => isAhead(schedule, phase) && hasPrice(phase, price))
  const item = on(swap.from)
  if (item !== undefined) return { ...swap, at: item.currentPeriodEnd / 1000 }
  const phase = later(swap.from) ?? later(swap.to)
  if (phase !== undefined) return { ...swap, at: phase.start_date }
  const moved = on(swap.to)
  if (moved !== undefined) return { ...swap, at: moved.currentPeriodStart / 1000 }
  throw rejectedError(`The subscription ${live.id} has no item with the price ${swap.from}.`)
}

function isAhead({ begun }: Schedule, phase: Phase): boolean {
  return begun !== null && phase.start_date > begun
}

/**
 * Throws `rejected` if the two prices of a move differ in usage type. A metered item has no quantity to keep, and a licensed item would
 * start with quantity 1.
 */
async function checkPrices(
  context: StripeContext,
  live: LiveSubscription,
  turns: readonly PriceSwitch[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<string, string>(live.items.map(({ price }) => [price.id, price.usageType]))
  const usageOf = async (price: string): Promise<string> =>
    known.get(price) ?? (await readUsageType(context, price, signal))
  for (const { from, to } of turns) {
    if ((await usageOf(from)) !== (await usageOf(to)))
      throw rejectedError(`${from} and ${to} are not both metered or both licensed; such a move is not scheduled.`)
  }
}

async function readUsageType(context: StripeContext, id: string, signal: AbortSignal): Promise<string> {
  const request = {
    operation: 'GET /v1/prices/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.prices.retrieve(id, {}, options),
  }
  const price = await readOne(context, request, { object: 'price', id }, signal)
  if (price === null) throw rejectedError(`There is no price ${id}.`)
  const { recurring } = price
  if (recurring === null || recurring === undefined) throw rejectedError(`The price ${id} does not recur.`)
  return translateReply(price, () => text(recurring.usage_type, 'usage_type'))
}

export async function readSchedule(context: StripeContext, id: string, signal: AbortSignal): Promise<Schedule> {
  const request = {
    operation: 'GET /v1/subscription_schedules/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.retrieve(id, {}, options),
  }
  const schedule = await readOne(context, request, { object: 'subscription_schedule', id }, signal)
  if (schedule === null) throw rejectedError(`There is no schedule ${id}.`)
  return translateReply(schedule, scheduleFrom)
}

/**
 * Returns the segments (phases or parts of phases) of the changed schedule; null if the schedule needs no change. Throws before any write
 * if the change is impossible.
 */
export type PlanOfSegments = (schedule: Schedule, phases: Phases) => readonly Segment[] | null

interface ScheduleMove {
  readonly subscription: SubscriptionReply
  readonly live: LiveSubscription
  readonly plan: PlanOfSegments
  /** Metadata that the schedule gets; absent if it keeps its own. */
  readonly metadata?: Record<string, string>
  /** True if the schedule cancels the subscription at its end. If absent, it does what it did. */
  readonly cancels?: boolean
  /** Proration of a phase that begins with the update; absent if none does. */
  readonly proration?: Stripe.SubscriptionScheduleUpdateParams.ProrationBehavior
}

interface ScheduleUpdate {
  readonly schedule: string
  readonly params: Stripe.SubscriptionScheduleUpdateParams
  /** Start (s) of the first phase that the change contains. */
  readonly from: number
}

/**
 * Creates a schedule and computes its change. If the change fails, even after the schedule was read again, releases the schedule. Otherwise
 * it would remain without a purpose.
 */
async function changeOfNew(
  context: StripeContext,
  asked: ScheduleMove,
  options: WriteOptions,
): Promise<ScheduleUpdate | null> {
  const { subscription } = asked
  const request = {
    operation: 'POST /v1/subscription_schedules',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptionSchedules.create({ from_subscription: subscription.id }, sending),
  }
  const made = await writeOne(context, request, { object: 'subscription_schedule', id: null }, options)
  const owner = translateReply(made, (one) => idIn(one.subscription))
  if (owner !== null && owner !== subscription.id) throw strange(made.id, subscription.id)
  try {
    return changeOf(translateReply(made, scheduleFrom), asked)
  } catch {
    return await changeOfRead(context, made.id, asked, options)
  }
}

async function changeOfRead(
  context: StripeContext,
  id: string,
  asked: ScheduleMove,
  options: WriteOptions,
): Promise<ScheduleUpdate | null> {
  const schedule = await readSchedule(context, id, options.signal)
  try {
    return changeOf(schedule, asked)
  } catch (error) {
    if (schedule.subscription === asked.subscription.id)
      await releaseSchedule(context, id, { ...options, idempotencyKey: `${options.idempotencyKey}:undo` })
    throw error
  }
}

/**
 * Releases the schedule: the subscription continues with its present items, and the later phases are dropped. If the schedule would have
 * cancelled the subscription (e.g. after a term of three months), the subscription keeps that date in `cancel_at`. Otherwise a request that
 * fails after the release would leave a subscription that never ends.
 */
export async function releaseSchedule(context: StripeContext, id: string, options: WriteOptions): Promise<void> {
  const request = {
    operation: 'POST /v1/subscription_schedules/:id/release',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptionSchedules.release(id, { preserve_cancel_date: true }, sending),
  }
  await writeOne(context, request, { object: 'subscription_schedule', id }, options)
}

/**
 * Returns the update that adds the moves to the schedule. Returns null if the schedule already contains them. Throws before any write if
 * the moves are impossible.
 */
function changeOf(
  schedule: Schedule,
  { subscription, live, plan, metadata, cancels = false, proration = 'none' }: ScheduleMove,
): ScheduleUpdate | null {
  if (schedule.subscription !== subscription.id) throw strange(schedule.id, subscription.id)
  const phases = remainingPhases(schedule)
  refuseDisagreement(live, schedule, phases)
  const segments = plan(schedule, phases)
  if (segments === null) return null
  const running = segments[0]?.phase ?? phases[0]
  const around = { subscription, running, usual: schedule.usual, period: shortestPeriod(live) }
  const said = { id: schedule.id, object: 'subscription_schedule' }
  return {
    schedule: schedule.id,
    from: phases[0].start_date,
    params: {
      ...(schedule.endBehavior === 'cancel' ? {} : { end_behavior: cancels ? 'cancel' : 'release' }),
      phases: translateReply(said, () => segments.map((segment) => phaseParams(segment, around))),
      proration_behavior: proration,
      ...(metadata === undefined ? {} : { metadata }),
    },
  }
}

async function write(
  context: StripeContext,
  { schedule, params, from }: ScheduleUpdate,
  options: WriteOptions,
): Promise<void> {
  const request = {
    operation: 'POST /v1/subscription_schedules/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.update(schedule, params, sending),
  }
  const after = await writeOne(context, request, { object: 'subscription_schedule', id: schedule }, options)
  if (isWritten(translateReply(after, scheduleFrom), params, from)) return
  throw new ProcessorError(
    'broken',
    `Stripe accepted the change of ${schedule}, but its phases are not what was asked.`,
  )
}

/**
 * Throws if the running phase has other items than the subscription. An update of the schedule writes the running phase too, so it would
 * change those items at once.
 */
function refuseDisagreement(live: LiveSubscription, schedule: Schedule, [running]: Phases): void {
  const said = running.items.map((item) => itemText(item.price, item.quantity)).sort()
  const held = live.items.map((item) => itemText(item.price.id, item.quantity)).sort()
  if (said.join() === held.join()) return
  throw rejectedError(
    `The schedule ${schedule.id} and the subscription ${live.id} do not agree about the current items.`,
  )
}

export function itemText(price: string, quantity: number | null | undefined): string {
  return `${price}×${String(quantity ?? 'metered')}`
}

/**
 * Returns the shortest billing period of the items. The phase that Ratecard adds at the end lasts that long, so that the schedule releases
 * the subscription soon.
 */
export function shortestPeriod(live: LiveSubscription): { interval: string; interval_count: number } {
  const days = { day: 1, week: 7, month: 30, year: 365 }
  const [shortest] = live.items
    .map(({ price }) => price)
    .sort((a, b) => days[a.interval] * a.intervalCount - days[b.interval] * b.intervalCount)
  if (shortest === undefined) throw rejectedError(`The subscription ${live.id} has no items.`)
  return { interval: shortest.interval, interval_count: shortest.intervalCount }
}

function isWritten(after: Schedule, { phases = [] }: Stripe.SubscriptionScheduleUpdateParams, from: number): boolean {
  const written = after.phases.filter((phase) => phase.start_date >= from)
  return (
    written.length === phases.length &&
    phases.every(({ items }, index) => {
      const wanted = items.map((item) => itemText(item.price ?? '', item.quantity))
      return wanted.join() === written[index]?.items.map((item) => itemText(item.price, item.quantity)).join()
    })
  )
}

function strange(schedule: string, subscription: string): ProcessorError {
  return new ProcessorError('broken', `Stripe’s schedule ${schedule} is not of ${subscription}.`)
}

export function rejectedError(message: string): ProcessorError {
  return new ProcessorError('rejected', message)
}
