// Moves items to other prices at the end of their current period, through the subscription's schedule. Nothing is billed now, and a metered
// item's usage until then is billed at its old price. Takes at most two writes; a retry continues an interrupted move.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { LiveItem, LiveSubscription, ScheduledSwaps } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readOne, translateReply, writeOne } from '../customers/single-object.ts'
import { hasEnded, liveSubscription } from './live-subscription.ts'
import type { SubscriptionReply } from './live-subscription.ts'
import { idIn, text } from '../connection/reading.ts'
import { phaseParams } from './schedule-phases.ts'
import { scheduledMoves } from './scheduled-moves.ts'
import { hasPrice, planSegments, remainingPhases, scheduleFrom } from './schedule-timeline.ts'
import type { Phase, Schedule, PriceSwitch } from './schedule-timeline.ts'
import { retrieveSubscription, withAllItems } from './subscriptions.ts'

type Phases = readonly [Phase, ...Phase[]]

/**
 * Schedules the moves. Throws `rejected`, without any write, if the subscription has ended or is going to be cancelled, if it has no item
 * on a price to move, if the new price has another usage type, or if the schedule moves the item to a third price.
 */
export async function scheduleSwaps(
  context: StripeContext,
  { subscription: id, swaps }: ScheduledSwaps,
  options: WriteOptions,
): Promise<{ effectiveAt: number }> {
  if (swaps.length === 0) throw new TypeError('A schedule without swaps would do nothing.')
  const { signal, idempotencyKey: key } = options
  const found = await retrieveSubscription(context, id, signal)
  if (found === null) throw rejected(`There is no subscription ${id}.`)
  const subscription = await withAllItems(context, found, signal)
  refuseEnding(subscription)
  // Read everything before the first write, so that a refusal leaves nothing behind.
  const live = translateReply(subscription, liveSubscription)
  const owner = translateReply(subscription, (one) => idIn(one.schedule))
  const present = owner === null ? null : await readSchedule(context, owner, signal)
  const turns = translateReply(subscription, () => swaps.map((swap) => turnOf(swap, live, present)))
  await checkPrices(context, live, turns, signal)
  const asked = { subscription, live, turns }
  const change =
    present === null
      ? await changeOfNew(context, asked, { signal, idempotencyKey: `${key}:make` })
      : changeOf(present, asked)
  // null means that an earlier attempt has already written the change.
  if (change !== null) await write(context, change, { signal, idempotencyKey: `${key}:change` })
  return { effectiveAt: Math.max(...turns.map((turn) => turn.at)) * 1000 }
}

/**
 * Returns the next price of each item that will move at the end of its period, keyed by the present price. Prices that stay are omitted.
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

function refuseEnding(subscription: SubscriptionReply): void {
  const { id, cancel_at: at } = subscription
  if (hasEnded(subscription)) throw rejected(`The subscription ${id} has ended.`)
  // A schedule would override the planned cancellation, so the move is refused.
  if (subscription.cancel_at_period_end === true || (at !== null && at !== undefined))
    throw rejected(`The subscription ${id} is going to be cancelled, so its items are not moved.`)
}

/**
 * Returns the move with its time: the end of the item's present period. If no item is on the old price now, the time is the start of the
 * later phase with the old or the new price or, if the item already moved, the start of its present period.
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
  throw rejected(`The subscription ${live.id} has no item on ${swap.from}.`)
}

function isAhead({ begun }: Schedule, phase: Phase): boolean {
  return begun !== null && phase.start_date > begun
}

/**
 * Throws `rejected` unless both prices of a move have the same usage type: a metered item has no quantity to pass on, and a licensed item
 * would start with quantity 1.
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
      throw rejected(`${from} and ${to} are not both metered or both licensed; such a move is not scheduled.`)
  }
}

async function readUsageType(context: StripeContext, id: string, signal: AbortSignal): Promise<string> {
  const request = {
    operation: 'GET /v1/prices/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.prices.retrieve(id, {}, options),
  }
  const price = await readOne(context, request, { object: 'price', id }, signal)
  if (price === null) throw rejected(`There is no price ${id}.`)
  const { recurring } = price
  if (recurring === null || recurring === undefined) throw rejected(`The price ${id} does not recur.`)
  return translateReply(price, () => text(recurring.usage_type, 'usage_type'))
}

async function readSchedule(context: StripeContext, id: string, signal: AbortSignal): Promise<Schedule> {
  const request = {
    operation: 'GET /v1/subscription_schedules/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.retrieve(id, {}, options),
  }
  const schedule = await readOne(context, request, { object: 'subscription_schedule', id }, signal)
  if (schedule === null) throw rejected(`There is no schedule ${id}.`)
  return translateReply(schedule, scheduleFrom)
}

interface ScheduleMove {
  readonly subscription: SubscriptionReply
  readonly live: LiveSubscription
  readonly turns: readonly PriceSwitch[]
}

interface ScheduleUpdate {
  readonly schedule: string
  readonly params: Stripe.SubscriptionScheduleUpdateParams
  /** Start (s) of the first phase that the change contains. */
  readonly from: number
}

/**
 * Creates a schedule and computes its change. If that fails even after the schedule was read again, releases the schedule, because
 * otherwise it would be left over from a change that was never made.
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
    if (schedule.subscription === asked.subscription.id) await releaseSchedule(context, id, options)
    throw error
  }
}

/** Releases the schedule. The subscription continues unchanged, because no phase of the planned change has started. */
async function releaseSchedule(
  context: StripeContext,
  id: string,
  { idempotencyKey, signal }: WriteOptions,
): Promise<void> {
  const request = {
    operation: 'POST /v1/subscription_schedules/:id/release',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.release(id, {}, sending),
  }
  const options = { idempotencyKey: `${idempotencyKey}:undo`, signal }
  await writeOne(context, request, { object: 'subscription_schedule', id }, options)
}

/**
 * Returns the update that adds the moves to the schedule; null if the schedule contains them already. Throws, before any write, if the
 * moves are impossible.
 */
function changeOf(schedule: Schedule, { subscription, live, turns }: ScheduleMove): ScheduleUpdate | null {
  if (schedule.subscription !== subscription.id) throw strange(schedule.id, subscription.id)
  const phases = remainingPhases(schedule)
  refuseDisagreement(live, schedule, phases)
  const plan = planSegments(schedule, phases, turns)
  if (!plan.changes) return null
  const around = { subscription, running: phases[0], usual: schedule.usual, period: shortestPeriod(live) }
  const said = { id: schedule.id, object: 'subscription_schedule' }
  return {
    schedule: schedule.id,
    from: phases[0].start_date,
    params: {
      ...(schedule.endBehavior === 'cancel' ? {} : { end_behavior: 'release' }),
      phases: translateReply(said, () => plan.segments.map((segment) => phaseParams(segment, around))),
      proration_behavior: 'none',
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

/** Throws if the running phase has other items than the subscription, because writing the running phase takes effect at once. */
function refuseDisagreement(live: LiveSubscription, schedule: Schedule, [running]: Phases): void {
  const said = running.items.map((item) => entry(item.price, item.quantity)).sort()
  const held = live.items.map((item) => entry(item.price.id, item.quantity)).sort()
  if (said.join() === held.join()) return
  throw rejected(`The schedule ${schedule.id} and the subscription ${live.id} do not agree about the present items.`)
}

function entry(price: string, quantity: number | null | undefined): string {
  return `${price}×${String(quantity ?? 'metered')}`
}

/**
 * Returns the shortest billing period of the items. The added last phase lasts that long, so that the schedule releases the subscription
 * soon.
 */
function shortestPeriod(live: LiveSubscription): { interval: string; interval_count: number } {
  const days = { day: 1, week: 7, month: 30, year: 365 }
  const [shortest] = live.items
    .map(({ price }) => price)
    .sort((a, b) => days[a.interval] * a.intervalCount - days[b.interval] * b.intervalCount)
  if (shortest === undefined) throw rejected(`The subscription ${live.id} has no items.`)
  return { interval: shortest.interval, interval_count: shortest.intervalCount }
}

function isWritten(after: Schedule, { phases = [] }: Stripe.SubscriptionScheduleUpdateParams, from: number): boolean {
  const written = after.phases.filter((phase) => phase.start_date >= from)
  return (
    written.length === phases.length &&
    phases.every(({ items }, index) => {
      const wanted = items.map((item) => entry(item.price ?? '', item.quantity))
      return wanted.join() === written[index]?.items.map((item) => entry(item.price, item.quantity)).join()
    })
  )
}

function strange(schedule: string, subscription: string): ProcessorError {
  return new ProcessorError('broken', `Stripe’s schedule ${schedule} is not of ${subscription}.`)
}

function rejected(message: string): ProcessorError {
  return new ProcessorError('rejected', message)
}
