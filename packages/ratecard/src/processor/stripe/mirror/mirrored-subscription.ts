// Converts subscriptions for the mirror, with all items, the terms of their discounts, and the prices that their schedules move them to.
import type { Stripe } from 'stripe'
import { addDecimals, canonicalDecimal, decimalText, parseDecimal, zero } from '../../../base/money/decimal.ts'
import type { MirroredItem, MirroredSubscription } from '../../mirrored.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, translateReply } from '../customers/single-object.ts'
import { listOf, requirePresent, type Untrusted, type UntrustedReply } from '../connection/reading.ts'
import type { LiveSubscription } from '../../customer-half.ts'
import { liveSubscription, momentOf, type SubscriptionReply } from '../subscriptions/live-subscription.ts'
import { scheduleFrom } from '../subscriptions/schedule-timeline.ts'
import { scheduledMoves } from '../subscriptions/scheduled-moves.ts'
import { mirroredDiscounts, type FindCoupon } from './coupons.ts'

export const subscriptionExpand = ['discounts', 'items.data.discounts', 'schedule'] as const

/**
 * Converts a subscription that was requested with `subscriptionExpand`. Reads items beyond the first ten, and coupons that are not cached.
 */
export async function mirroredSubscription(
  context: StripeContext,
  find: FindCoupon,
  reply: SubscriptionReply,
  signal: AbortSignal,
): Promise<MirroredSubscription> {
  const whole = await withAllItems(context, reply, signal)
  const live = translateReply(whole, liveSubscription)
  const saidItems = listOf(whole.items?.data)
  const items: MirroredItem[] = []
  for (const [index, item] of live.items.entries())
    items.push({
      ...item,
      discounts: await mirroredDiscounts(listOf(saidItems[index]?.discounts), find, signal),
      inclusiveTaxPercent: translateReply(whole, (said) => inclusivePercent(said, saidItems[index])),
    })
  const discounts = await mirroredDiscounts(listOf(whole.discounts), find, signal)
  return translateReply(whole, (said) => ({
    ...live,
    items,
    discounts,
    automaticTax: said.automatic_tax?.enabled === true,
    canceledAt: momentOf(said, 'canceled_at'),
    endedAt: momentOf(said, 'ended_at'),
    scheduled: scheduleOf(said, live),
  }))
}

type Rates = readonly Untrusted<Stripe.TaxRate>[] | null | undefined

/** Tax rates of an item replace those of the subscription. */
function inclusivePercent(said: SubscriptionReply, item: Untrusted<Stripe.SubscriptionItem> | undefined): string {
  const own: Rates = listOf(item?.tax_rates as Rates)
  const rates = own.length > 0 ? own : listOf(said.default_tax_rates as Rates)
  const percents = rates
    .filter(({ inclusive }) => inclusive === true)
    .map(({ percentage }) => canonicalDecimal(requirePresent(percentage, 'percentage of a tax rate')))
  return decimalText(percents.map(parseDecimal).reduce(addDecimals, zero))
}

function scheduleOf({ schedule }: SubscriptionReply, live: LiveSubscription) {
  if (schedule === null || schedule === undefined) return []
  if (typeof schedule === 'string') throw new TypeError(`its schedule ${schedule} is not expanded`)
  return scheduledMoves(scheduleFrom(schedule as UntrustedReply<Stripe.SubscriptionSchedule>), live)
}

/** Adds the items that are missing in a reply (which contains only the first page), with their discounts. */
async function withAllItems(
  context: StripeContext,
  reply: SubscriptionReply,
  signal: AbortSignal,
): Promise<SubscriptionReply> {
  const { items } = reply
  if (items?.has_more !== true) return reply
  const request = {
    operation: 'GET /v1/subscription_items',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      context.stripe.subscriptionItems.list({ ...paging, subscription: reply.id, expand: ['data.discounts'] }, options),
  }
  const data = await readAll<Stripe.SubscriptionItem>(context, 'subscription_item', request, signal)
  return { ...reply, items: { ...items, data, has_more: false } }
}
