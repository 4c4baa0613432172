// Changes subscriptions for a customer or an operator: immediate change of items, cancellation, pause. A preview uses the same parameters
// as the change, so that the invoice equals the preview.
import type { Stripe } from 'stripe'
import { endsKey, endsText, type InvoicePreview, type LiveSubscription } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import type {
  Cancellation,
  ChangeableSubscription,
  ItemChange,
  ItemsUpdate,
  PreviewedInvoice,
  PreviewedUpdate,
  SchedulePhase,
  SubscriptionSettings,
  UpdatedSubscription,
} from '../../subscription-change.ts'
import { processorId } from '../../../catalog/resource.ts'
import type { MirroredDiscount } from '../../mirrored.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readOne, translateReply, writeOne } from '../customers/single-object.ts'
import { idOf, requireInteger, listOf, requireWord } from '../connection/reading.ts'
import { mirroredDiscounts, type DiscountReply, type FindCoupon } from '../mirror/coupons.ts'
import type { SubscriptionReply } from './live-subscription.ts'
import { previewInvoice } from './previews.ts'
import { paymentOf, readPayment } from './required-payment.ts'
import { remainingPhases, type Schedule } from './schedule-timeline.ts'
import { scheduledChangeOf } from './scheduled-change.ts'
import { readSchedule } from './schedules.ts'
import { translateSubscription } from './subscriptions.ts'

export async function readChangeable(
  context: StripeContext,
  findCoupon: FindCoupon,
  id: string,
  signal: AbortSignal,
): Promise<ChangeableSubscription | null> {
  const request = {
    operation: 'GET /v1/subscriptions/:id',
    send: (options: Stripe.RequestOptions) =>
      context.stripe.subscriptions.retrieve(
        id,
        { expand: ['latest_invoice', 'discounts', 'items.data.discounts', 'customer'] },
        options,
      ),
  }
  const reply = await readOne<Stripe.Subscription>(context, request, { object: 'subscription', id }, signal)
  if (reply === null) return null
  const live = await translateSubscription(context, reply, signal)
  const plan = await readPlan(context, live.schedule, signal)
  // The processor sets `cancel_at` in the last phase of a schedule that cancels. That end belongs to the schedule: nobody cancelled.
  const subscription = plan.termEnd === null || live.cancelAt !== plan.termEnd ? live : { ...live, cancelAt: null }
  return {
    subscription,
    ...translateReply(reply, (one) => ({
      billingMode: requireWord(['classic', 'flexible'], one.billing_mode?.type ?? 'classic', 'billing_mode'),
      discounts: discountIds(one.discounts),
    })),
    discountTerms: await mirroredDiscounts(listOf(reply.discounts), findCoupon, signal),
    ...(await discountsBeside(reply, findCoupon, signal)),
    payment: await readPayment(context, reply, signal),
    ...plan,
    clockTime: subscription.testClock === null ? null : await timeOf(context, subscription.testClock, signal),
  }
}

/** Reads the discounts of the items and of the customer, as far as the reply has them: its list of items may end after ten. */
async function discountsBeside(
  { items, customer }: SubscriptionReply,
  findCoupon: FindCoupon,
  signal: AbortSignal,
): Promise<Pick<ChangeableSubscription, 'itemDiscounts' | 'customerDiscount'>> {
  const itemDiscounts: Record<string, readonly MirroredDiscount[]> = {}
  for (const { id, discounts } of listOf(items?.data))
    if (listOf(discounts).length > 0)
      itemDiscounts[idOf(id, 'item')] = await mirroredDiscounts(listOf(discounts), findCoupon, signal)
  const held = typeof customer === 'string' ? null : (customer as { readonly discount?: DiscountReply | null } | null)
  const own = held?.discount ?? null
  const [customerDiscount = null] = own === null ? [] : await mirroredDiscounts([own], findCoupon, signal)
  return { itemDiscounts, customerDiscount }
}

const discountIds = (discounts: SubscriptionReply['discounts']) =>
  listOf(discounts).map((discount) => idOf(discount, 'discount'))

/**
 * Returns the parameter `discounts` with the promotion code and all existing discounts, because the parameter replaces the whole list.
 * Empty without a promotion code.
 */
function discountParams({ promotion }: PreviewedUpdate) {
  if (promotion === null) return {}
  const { code, beside } = promotion
  const all = [...beside.map((discount) => ({ discount })), ...(code === null ? [] : [{ promotion_code: code }])]
  return { discounts: all.length === 0 ? ('' as const) : all }
}

async function readPlan(
  context: StripeContext,
  id: string | null,
  signal: AbortSignal,
): Promise<Pick<ChangeableSubscription, 'phases' | 'termEnd' | 'scheduled'>> {
  if (id === null) return { phases: null, termEnd: null, scheduled: null }
  const schedule = await readSchedule(context, id, signal)
  const phases = phasesOf(schedule)
  const termEnd = schedule.endBehavior === 'cancel' ? (phases.at(-1)?.end ?? null) : null
  return { phases, termEnd, scheduled: scheduledChangeOf(schedule) }
}

export async function readPhases(
  context: StripeContext,
  id: string,
  signal: AbortSignal,
): Promise<readonly SchedulePhase[]> {
  return phasesOf(await readSchedule(context, id, signal))
}

function phasesOf(schedule: Schedule): readonly SchedulePhase[] {
  if (schedule.status !== 'active') return []
  return remainingPhases(schedule).map(({ start_date: start, end_date: end, items }) => ({
    start: start * 1000,
    end: end * 1000,
    items: items.map(({ price, quantity }) => ({ price: processorId(price), quantity: quantity ?? null })),
  }))
}

async function timeOf(context: StripeContext, id: string, signal: AbortSignal): Promise<number | null> {
  const request = {
    operation: 'GET /v1/test_helpers/test_clocks/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.testHelpers.testClocks.retrieve(id, {}, options),
  }
  const clock = await readOne<Stripe.TestHelpers.TestClock>(
    context,
    request,
    { object: 'test_helpers.test_clock', id },
    signal,
  )
  return clock === null ? null : translateReply(clock, (one) => requireInteger(one.frozen_time, 'frozen_time') * 1000)
}

function itemParams(change: ItemChange): Stripe.SubscriptionUpdateParams.Item {
  if (change.op === 'remove') return { id: change.item, deleted: true }
  const { price, quantity } = change
  return {
    ...(change.op === 'set' ? { id: change.item } : {}),
    price,
    ...(quantity === null ? {} : { quantity }),
  }
}

/** Returns the parameter `proration_date`. Omits it with `proration_behavior: none`, because Stripe refuses that combination. */
const prorationDate = ({ prorateAt, proration }: PreviewedUpdate) =>
  prorateAt === null || proration === 'none' ? {} : { proration_date: Math.floor(prorateAt / 1000) }

export function previewUpdate(
  context: StripeContext,
  update: PreviewedUpdate,
  invoice: PreviewedInvoice,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  const items = update.items.map(itemParams)
  const prorates = invoice === 'immediate' && update.proration === 'prorate'
  const params: Parameters<typeof previewInvoice>[1] = {
    subscription: update.subscription,
    ...(invoice === 'recurring' ? { preview_mode: 'recurring' } : {}),
    ...discountParams(update),
    subscription_details: {
      items,
      proration_behavior: prorates ? 'always_invoice' : 'none',
      ...(invoice === 'final' ? { cancel_at_period_end: true } : {}),
      ...(prorates ? prorationDate(update) : {}),
    },
  }
  return previewInvoice(context, params, signal)
}

export async function updateItems(
  context: StripeContext,
  update: ItemsUpdate,
  options: WriteOptions,
): Promise<UpdatedSubscription> {
  const { subscription: id } = update
  const params: Stripe.SubscriptionUpdateParams = {
    items: update.items.map(itemParams),
    proration_behavior: update.proration === 'prorate' ? 'always_invoice' : 'none',
    ...prorationDate(update),
    ...discountParams(update),
    ...(update.ends === undefined ? {} : { metadata: { [endsKey]: endsText(update.ends) } }),
    ...(update.waitsForPayment ? { payment_behavior: 'pending_if_incomplete' as const } : {}),
    expand: ['latest_invoice'],
  }
  const request = {
    operation: 'POST /v1/subscriptions/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptions.update(id, params, sending),
  }
  const reply: SubscriptionReply = await writeOne(context, request, { object: 'subscription', id }, options)
  const subscription = await translateSubscription(context, reply, options.signal)
  const payment = translateReply(reply, paymentOf)
  const lost = payment === null ? update.items.find((change) => !isDone(subscription, change)) : undefined
  if (lost === undefined) return { subscription, payment }
  throw new ProcessorError('broken', `Stripe accepted the change of ${id}, but its items are not what was asked.`)
}

/** True if the subscription has the item as the change asked for it. */
export function isDone(after: LiveSubscription, change: ItemChange): boolean {
  if (change.op === 'remove') return after.items.every(({ id }) => id !== change.item)
  return after.items.some(
    ({ id, price, quantity }) =>
      (change.op === 'add' || id === change.item) && price.id === change.price && quantity === change.quantity,
  )
}

export async function changeSettings(
  context: StripeContext,
  { subscription: id, cancellation, comment, pause }: SubscriptionSettings,
  options: WriteOptions,
): Promise<LiveSubscription> {
  const params: Stripe.SubscriptionUpdateParams = {
    ...(cancellation === undefined ? {} : cancellationParams(cancellation, comment)),
    ...(pause === undefined ? {} : { pause_collection: pause === null ? '' : pauseParams(pause) }),
  }
  const request = {
    operation: 'POST /v1/subscriptions/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptions.update(id, params, sending),
  }
  return translateSubscription(
    context,
    await writeOne(context, request, { object: 'subscription', id }, options),
    options.signal,
  )
}

function cancellationParams(
  cancellation: NonNullable<SubscriptionSettings['cancellation']>,
  comment: string | undefined,
): Stripe.SubscriptionUpdateParams {
  if (cancellation === 'undo_date') return { cancel_at: '' }
  if (cancellation === 'undo_period_end') return { cancel_at_period_end: false }
  return { cancel_at_period_end: true, ...(comment === undefined ? {} : { cancellation_details: { comment } }) }
}

function pauseParams({ behavior, until }: NonNullable<SubscriptionSettings['pause']>) {
  return { behavior, ...(until === null ? {} : { resumes_at: Math.floor(until / 1000) }) }
}

export async function voidInvoice(context: StripeContext, id: string, options: WriteOptions): Promise<void> {
  const request = {
    operation: 'POST /v1/invoices/:id/void',
    send: (sending: Stripe.RequestOptions) => context.stripe.invoices.voidInvoice(id, {}, sending),
  }
  await writeOne(context, request, { object: 'invoice', id }, options)
}

export async function cancelSubscription(
  context: StripeContext,
  { subscription: id, comment, billsUsage }: Cancellation,
  options: WriteOptions,
): Promise<LiveSubscription> {
  const params = {
    ...(comment === undefined ? {} : { cancellation_details: { comment } }),
    ...(billsUsage ? { invoice_now: true } : {}),
  }
  const request = {
    operation: 'DELETE /v1/subscriptions/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.subscriptions.cancel(id, params, sending),
  }
  return translateSubscription(
    context,
    await writeOne(context, request, { object: 'subscription', id }, options),
    options.signal,
  )
}

export async function resumeSubscription(
  context: StripeContext,
  id: string,
  options: WriteOptions,
): Promise<LiveSubscription> {
  const request = {
    operation: 'POST /v1/subscriptions/:id/resume',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: 'now' } }, sending),
  }
  return translateSubscription(
    context,
    await writeOne(context, request, { object: 'subscription', id }, options),
    options.signal,
  )
}
