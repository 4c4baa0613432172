// Moves items when their running period ends, through the subscription's schedule: nothing is billed now, and a metered
// item's usage until then is billed at the price it was used at. Two writes at most, and a repeat goes on where it broke off.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { LiveItem, LiveSubscription, ScheduledSwaps } from '../customer-half.ts'
import { ProcessorError } from '../processor-error.ts'
import type { WriteOptions } from '../processor.ts'
import type { StripeContext } from './context.ts'
import { readOne, understood, writeOne } from './single-object.ts'
import { idOf } from './kinds/kind.ts'
import { hasEnded } from './live-subscription.ts'
import { phaseParams } from './schedule-phases.ts'
import { holds, planSegments, remainingPhases } from './schedule-timeline.ts'
import type { Phase, Turn } from './schedule-timeline.ts'
import { retrieveSubscription, translated } from './subscriptions.ts'

type Schedule = Stripe.SubscriptionSchedule
type Phases = readonly [Phase, ...Phase[]]

/**
 * `rejected` without any write when the subscription is over or about to be, when it has no item on a price that is to
 * move, when a price is of another usage type, or when its schedule puts the item on a third price.
 */
export async function scheduleSwaps(
  context: StripeContext,
  { subscription: id, swaps }: ScheduledSwaps,
  options: WriteOptions,
): Promise<{ effectiveAt: number }> {
  if (swaps.length === 0) throw new TypeError('A schedule without swaps would do nothing.')
  const { signal } = options
  const subscription = await retrieveSubscription(context, id, signal)
  if (subscription === null) throw rejected(`There is no subscription ${id}.`)
  refuseEnding(subscription)
  const live = await translated(context, subscription, signal)
  const present =
    subscription.schedule === null ? null : await readSchedule(context, idOf(subscription.schedule), signal)
  const turns = understood(present ?? subscription, () => swaps.map((swap) => turnOf(swap, live, present)))
  await checkPrices(context, live, turns, signal)
  const key = options.idempotencyKey
  const schedule = present ?? (await makeSchedule(context, id, { signal, idempotencyKey: `${key}:make` }))
  await move(context, { subscription, live, schedule, turns }, { signal, idempotencyKey: `${key}:change` })
  return { effectiveAt: Math.max(...turns.map((turn) => turn.at)) * 1000 }
}

/** Where present prices lead when the running period of their item is over; a price that stays is not mentioned. */
export async function readScheduledPrices(
  context: StripeContext,
  subscription: LiveSubscription,
  signal: AbortSignal,
): Promise<ReadonlyMap<ProcessorId, ProcessorId>> {
  if (subscription.schedule === null) return new Map()
  const schedule = await readSchedule(context, subscription.schedule, signal)
  if (schedule.status !== 'active') return new Map()
  const phases = understood(schedule, remainingPhases)
  const pairs = subscription.items.flatMap(({ price, currentPeriodEnd }) => {
    const then = phases.findLast((phase) => phase.start_date * 1000 <= currentPeriodEnd) ?? phases[0]
    const successor = successors(subscription, then).get(price.id)
    return successor === undefined ? [] : [[price.id, successor] as const]
  })
  return new Map(pairs)
}

/** As Stripe does it: an item stays on its price if the phase has it, the others take over what is new, in order. */
function successors(subscription: LiveSubscription, then: Phase): Map<ProcessorId, ProcessorId> {
  const present = subscription.items.map((item) => item.price.id)
  const leaving = present.filter((price) => !holds(then, price))
  const coming = then.items.map((item) => idOf(item.price)).filter((price) => !present.includes(price))
  const pairs = leaving.flatMap((price, index) => {
    const successor = coming[index]
    return successor === undefined ? [] : [[price, successor] as const]
  })
  return new Map(pairs)
}

function refuseEnding(subscription: Stripe.Subscription): void {
  const { id } = subscription
  if (hasEnded(subscription)) throw rejected(`The subscription ${id} has ended.`)
  // A schedule would take over how it ends.
  if (subscription.cancel_at_period_end || subscription.cancel_at !== null)
    throw rejected(`The subscription ${id} is going to be cancelled, so its items are not moved.`)
}

/** When the move takes place: at the end of the item's own period, or where the schedule brings the price in. */
function turnOf(swap: ScheduledSwaps['swaps'][number], live: LiveSubscription, schedule: Schedule | null): Turn {
  const on = (price: string): LiveItem | undefined => live.items.find((item) => item.price.id === price)
  const later = (price: string) => schedule?.phases.find((phase) => isAhead(schedule, phase) && holds(phase, price))
  const item = on(swap.from)
  if (item !== undefined) return { ...swap, at: item.currentPeriodEnd / 1000 }
  const phase = later(swap.from) ?? later(swap.to)
  if (phase !== undefined) return { ...swap, at: phase.start_date }
  const moved = on(swap.to)
  if (moved !== undefined) return { ...swap, at: moved.currentPeriodStart / 1000 }
  throw rejected(`The subscription ${live.id} has no item on ${swap.from}.`)
}

function isAhead({ current_phase: current }: Schedule, phase: Phase): boolean {
  return current !== null && phase.start_date > current.start_date
}

/** A metered price has no quantity to pass on, and a licensed one would begin with 1. */
async function checkPrices(
  context: StripeContext,
  live: LiveSubscription,
  turns: readonly Turn[],
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
  if (price.recurring === null) throw rejected(`The price ${id} does not recur.`)
  return price.recurring.usage_type
}

async function readSchedule(context: StripeContext, id: string, signal: AbortSignal): Promise<Schedule> {
  const request = {
    operation: 'GET /v1/subscription_schedules/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.retrieve(id, {}, options),
  }
  const schedule = await readOne(context, request, { object: 'subscription_schedule', id }, signal)
  if (schedule === null) throw rejected(`There is no schedule ${id}.`)
  return schedule
}

async function makeSchedule(context: StripeContext, subscription: string, options: WriteOptions): Promise<Schedule> {
  const request = {
    operation: 'POST /v1/subscription_schedules',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptionSchedules.create({ from_subscription: subscription }, sending),
  }
  const made = await writeOne(context, request, { object: 'subscription_schedule', id: null }, options)
  if (!made.subscription || idOf(made.subscription) !== subscription)
    throw new ProcessorError('broken', `Stripe’s new schedule ${made.id} is not of ${subscription}.`)
  return made
}

interface Move {
  readonly subscription: Stripe.Subscription
  readonly live: LiveSubscription
  readonly schedule: Schedule
  readonly turns: readonly Turn[]
}

async function move(
  context: StripeContext,
  { subscription, live, schedule, turns }: Move,
  options: WriteOptions,
): Promise<void> {
  const phases = understood(schedule, remainingPhases)
  const plan = understood(schedule, () => {
    refuseDisagreement(live, schedule, phases)
    return planSegments(schedule, phases, turns)
  })
  // An earlier attempt has done it.
  if (!plan.changes) return
  const around = { subscription, running: phases[0], period: shortestPeriod(live) }
  const params: Stripe.SubscriptionScheduleUpdateParams = {
    ...(schedule.end_behavior === 'cancel' ? {} : { end_behavior: 'release' }),
    phases: understood(schedule, () => plan.segments.map((segment) => phaseParams(segment, around))),
    proration_behavior: 'none',
  }
  const request = {
    operation: 'POST /v1/subscription_schedules/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptionSchedules.update(schedule.id, params, sending),
  }
  const after = await writeOne(context, request, { object: 'subscription_schedule', id: schedule.id }, options)
  if (!understood(after, () => isWritten(after, params, phases[0].start_date)))
    throw new ProcessorError(
      'broken',
      `Stripe accepted the change of ${schedule.id}, but its phases are not what was asked.`,
    )
}

/** What is sent for the running phase holds at once: if it were not what the subscription has, that would change now. */
function refuseDisagreement(live: LiveSubscription, schedule: Schedule, [running]: Phases): void {
  const said = running.items.map((item) => entry(idOf(item.price), item.quantity)).sort()
  const held = live.items.map((item) => entry(item.price.id, item.quantity)).sort()
  if (said.join() === held.join()) return
  throw rejected(`The schedule ${schedule.id} and the subscription ${live.id} do not agree about the present items.`)
}

function entry(price: string, quantity: number | null | undefined): string {
  return `${price}×${String(quantity ?? 'metered')}`
}

/** So that the subscription is let go soon, also where its items have periods of different length. */
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
      return wanted.join() === written[index]?.items.map((item) => entry(idOf(item.price), item.quantity)).join()
    })
  )
}

function rejected(message: string): ProcessorError {
  return new ProcessorError('rejected', message)
}
