// Adds discounts to running subscriptions and removes them. An update sends the complete list of discounts. A discount that stays is sent
// by its own id, because a new discount from the same coupon would restart its duration. Later phases of a schedule have their own
// discounts, so they are updated too.
import type { Stripe } from 'stripe'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { DiscountedSubscription, InvoicePreview } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { DiscountOffer, DiscountSource, DiscountUpdate, RunningDiscount } from '../../subscription-discounts.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { idIn, idOf, requireInteger, listOf, requireMilliseconds, type UntrustedReply } from '../connection/reading.ts'
import { readAll, readOne, translateReply, writeOne } from '../customers/single-object.ts'
import { readDiscount, termsOf } from '../mirror/coupons.ts'
import { hasEnded, type SubscriptionReply } from './live-subscription.ts'
import { phaseDiscounts, phaseParams, type DiscountParams } from './schedule-phases.ts'
import { readSchedule, shortestPeriod } from './schedules.ts'
import { remainingPhases, scheduleFrom, type Phase, type Schedule } from './schedule-timeline.ts'
import { previewInvoice } from './previews.ts'
import { translateSubscription, withAllItems } from './subscriptions.ts'

const expand = ['discounts']

export async function discountedSubscriptions(
  context: StripeContext,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly DiscountedSubscription[]> {
  const newestFirst: readonly SubscriptionReply[] = await readAll<Stripe.Subscription>(
    context,
    'subscription',
    {
      operation: 'GET /v1/subscriptions',
      page: (paging, options) =>
        context.stripe.subscriptions.list({ ...paging, customer, expand: ['data.discounts'] }, options),
    },
    signal,
  )
  const found: DiscountedSubscription[] = []
  for (const one of newestFirst.toReversed())
    if (!hasEnded(one))
      found.push({ subscription: await translateSubscription(context, one, signal), discounts: runningIn(one) })
  return found.sort((a, b) => a.subscription.createdAt - b.subscription.createdAt)
}

export async function findDiscounts(
  context: StripeContext,
  update: DiscountUpdate,
  signal: AbortSignal,
): Promise<RunningDiscount | null | 'missing'> {
  const { subscription: id, add, remove } = update
  const request = {
    operation: 'GET /v1/subscriptions/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.subscriptions.retrieve(id, { expand }, options),
  }
  const reply = await readOne<Stripe.Subscription>(context, request, { object: 'subscription', id }, signal)
  if (reply === null) return 'missing'
  const running = runningIn(reply)
  const added = addedIn(update, running)
  if ((add !== null && added === null) || running.some((one) => one.id === remove?.id)) return 'missing'
  const schedule = translateReply(reply, (one) => idIn(one.schedule))
  const plan = schedule === null ? null : await planPhases(context, schedule, { added, update }, signal)
  return plan === null ? added : 'missing'
}

function runningIn(reply: SubscriptionReply): readonly RunningDiscount[] {
  return translateReply(reply, ({ discounts }) =>
    listOf(discounts).map((said) => {
      const code = typeof said === 'string' ? null : idIn(said.promotion_code)
      return { ...readDiscount(said), promotionCode: code === null ? null : processorId(code) }
    }),
  )
}

export async function discountOffer(
  context: StripeContext,
  source: DiscountSource,
  signal: AbortSignal,
): Promise<DiscountOffer | null> {
  if (source.kind === 'coupon') return offerOf(context, source.coupon, null, signal)
  const id = source.promotionCode
  const request = {
    operation: 'GET /v1/promotion_codes/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.promotionCodes.retrieve(id, {}, options),
  }
  const reply = await readOne<Stripe.PromotionCode>(context, request, { object: 'promotion_code', id }, signal)
  if (reply === null) return null
  const coupon = translateReply(reply, ({ promotion }) => idOf(promotion?.coupon, 'coupon'))
  return offerOf(context, coupon, translateReply(reply, codeOf), signal)
}

async function offerOf(
  context: StripeContext,
  id: string,
  code: DiscountOffer['code'],
  signal: AbortSignal,
): Promise<DiscountOffer | null> {
  const request = {
    operation: 'GET /v1/coupons/:id',
    send: (options: Stripe.RequestOptions) =>
      context.stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] }, options),
  }
  const reply = await readOne<Stripe.Coupon>(context, request, { object: 'coupon', id }, signal)
  if (reply === null) return null
  return { coupon: translateReply(reply, couponOf), code }
}

function couponOf(said: UntrustedReply<Stripe.Coupon>): DiscountOffer['coupon'] {
  return {
    ...termsOf(said),
    id: processorId(said.id),
    valid: said.valid === true,
    redeemBy: timeOrNull(said.redeem_by, 'redeem_by'),
    maxRedemptions: said.max_redemptions ?? null,
    timesRedeemed: requireInteger(said.times_redeemed, 'times_redeemed'),
    durationInMonths: said.duration_in_months ?? null,
  }
}

function codeOf(said: UntrustedReply<Stripe.PromotionCode>): DiscountOffer['code'] {
  const customer = idIn(said.customer)
  return {
    id: processorId(said.id),
    active: said.active === true,
    expiresAt: timeOrNull(said.expires_at, 'expires_at'),
    maxRedemptions: said.max_redemptions ?? null,
    timesRedeemed: requireInteger(said.times_redeemed, 'times_redeemed'),
    customer: customer === null ? null : processorId(customer),
    hasMinimum: (said.restrictions?.minimum_amount ?? null) !== null,
  }
}

function timeOrNull(seconds: number | null | undefined, what: string): number | null {
  return seconds === null || seconds === undefined ? null : requireMilliseconds(seconds, what)
}

export function previewDiscounts(
  context: StripeContext,
  update: DiscountUpdate,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  return previewInvoice(context, { subscription: update.subscription, discounts: discountsOf(update) }, signal)
}

export async function setDiscounts(
  context: StripeContext,
  update: DiscountUpdate,
  { idempotencyKey: key, signal }: WriteOptions,
): Promise<RunningDiscount | null> {
  const { subscription: id } = update
  const request = {
    operation: 'POST /v1/subscriptions/:id',
    send: (options: Stripe.RequestOptions) =>
      context.stripe.subscriptions.update(id, { discounts: discountsOf(update), expand }, options),
  }
  const options = { idempotencyKey: `${key}:set`, signal }
  const reply: SubscriptionReply = await writeOne(context, request, { object: 'subscription', id }, options)
  const added = checkSet(update, runningIn(reply))
  const schedule = translateReply(reply, (one) => idIn(one.schedule))
  const plan = schedule === null ? null : await planPhases(context, schedule, { added, update }, signal)
  if (plan !== null) await writePhases(context, reply, plan, { idempotencyKey: `${key}:phases`, signal })
  return added
}

/** Returns the parameter `discounts`. To remove all discounts it is an empty text, because Stripe ignores an empty list. */
function discountsOf({ keep, add }: DiscountUpdate): DiscountParams[] | '' {
  const all = [...keep.map((discount) => ({ discount })), ...(add === null ? [] : [sourceParams(add)])]
  return all.length === 0 ? '' : all
}

function sourceParams(source: DiscountSource): DiscountParams {
  return source.kind === 'coupon' ? { coupon: source.coupon } : { promotion_code: source.promotionCode }
}

/**
 * Checks that the reply has exactly the requested discounts; throws `broken` otherwise. Returns the added discount, or null if none was
 * added.
 */
function checkSet(update: DiscountUpdate, after: readonly RunningDiscount[]): RunningDiscount | null {
  const { subscription, keep, add } = update
  const added = addedIn(update, after)
  const kept = keep.every((id) => after.some((one) => one.id === id))
  if (kept && after.length === keep.length + (add === null ? 0 : 1) && (added === null) === (add === null)) return added
  throw new ProcessorError(
    'broken',
    `Stripe accepted the discounts of ${subscription}, but they are not what was asked.`,
  )
}

/** Returns the discount that the update added; null if there is none. */
function addedIn({ keep, add }: DiscountUpdate, running: readonly RunningDiscount[]): RunningDiscount | null {
  if (add === null) return null
  const found = running.find(
    ({ id, coupon, promotionCode }) =>
      !keep.includes(id) &&
      (add.kind === 'coupon' ? promotionCode === null && coupon === add.coupon : promotionCode === add.promotionCode),
  )
  return found ?? null
}

interface PhasesPlan {
  readonly schedule: Schedule
  readonly running: Phase
  readonly later: readonly Phase[]
  /** Discounts of each later phase. */
  readonly discounts: readonly (readonly DiscountParams[])[]
}

interface MadeUpdate {
  readonly added: RunningDiscount | null
  readonly update: DiscountUpdate
}

/** Returns the discounts for the later phases of the schedule (after the running one); null if no phase must change. */
async function planPhases(
  context: StripeContext,
  id: string,
  made: MadeUpdate,
  signal: AbortSignal,
): Promise<PhasesPlan | null> {
  const schedule = await readSchedule(context, id, signal)
  const [running, ...later] = remainingPhases(schedule)
  const said = { id: schedule.id, object: 'subscription_schedule' }
  return translateReply(said, () => {
    const discounts = later.map((phase) => discountsAfter(phaseDiscounts(phase), made))
    const same = later.every((phase, index) => sameDiscounts(phaseDiscounts(phase), discounts[index] ?? []))
    return same ? null : { schedule, running, later, discounts }
  })
}

async function writePhases(
  context: StripeContext,
  reply: SubscriptionReply,
  { schedule, running, later, discounts }: PhasesPlan,
  { idempotencyKey, signal }: WriteOptions,
): Promise<void> {
  const subscription = await withAllItems(context, reply, signal)
  const live = await translateSubscription(context, subscription, signal)
  const around = { subscription, running, usual: schedule.usual, period: shortestPeriod(live) }
  const phases = translateReply({ id: schedule.id, object: 'subscription_schedule' }, () =>
    [running, ...later].map((phase, index) => {
      const kept = phaseParams({ phase, start: phase.start_date, end: phase.end_date, moved: new Map() }, around)
      const own = index === 0 ? undefined : discounts[index - 1]
      if (own === undefined) return kept
      // Without the parameter, the phase would get the customer's discount. An empty text means no discount.
      return { ...kept, discounts: own.length === 0 ? ('' as const) : [...own] }
    }),
  )
  const request = {
    operation: 'POST /v1/subscription_schedules/:id',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptionSchedules.update(schedule.id, { phases, proration_behavior: 'none' }, sending),
  }
  const expected = { object: 'subscription_schedule', id: schedule.id }
  const after = await writeOne(context, request, expected, { idempotencyKey, signal })
  if (arePhases(translateReply(after, scheduleFrom), later, discounts)) return
  throw new ProcessorError('broken', `Stripe accepted the phases of ${schedule.id}, but not their discounts.`)
}

function discountsAfter(before: readonly DiscountParams[], { added, update }: MadeUpdate): DiscountParams[] {
  const { remove } = update
  const left = remove === null ? before : before.filter((one) => !isOf(one, remove))
  return added === null || left.some((one) => isOf(one, added)) ? [...left] : [...left, { discount: added.id }]
}

/** True if the entry in the phase is the given discount, or the coupon or promotion code from which it was created. */
function isOf(one: DiscountParams, { id, coupon, promotionCode }: Omit<RunningDiscount, 'endsAt'>): boolean {
  if ('discount' in one) return one.discount === id
  if ('promotion_code' in one) return one.promotion_code === promotionCode
  return promotionCode === null && one.coupon === coupon
}

function sameDiscounts(a: readonly DiscountParams[], b: readonly DiscountParams[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function arePhases(after: Schedule, later: readonly Phase[], discounts: PhasesPlan['discounts']): boolean {
  return later.every((phase, index) => {
    const written = after.phases.find(({ start_date: start }) => start === phase.start_date)
    return written !== undefined && sameDiscounts(phaseDiscounts(written), discounts[index] ?? [])
  })
}
