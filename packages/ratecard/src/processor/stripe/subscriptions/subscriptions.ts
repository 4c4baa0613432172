// Reads subscriptions, and moves their items to other prices in one update. It does not decide which move is right. It always sends the
// quantity of a moved item, and never requests prorations.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { LiveSubscription, ItemSwap } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, readOne, translateReply, writeOne } from '../customers/single-object.ts'
import { hasEnded, liveSubscription, type SubscriptionReply } from './live-subscription.ts'

type Filter = Pick<Stripe.SubscriptionListParams, 'customer' | 'price'>

/** Returns subscriptions that have not ended, oldest first. Throws `rejected` if the customer (or price) to filter by does not exist. */
export async function runningSubscriptions(
  context: StripeContext,
  filter: Filter,
  signal: AbortSignal,
): Promise<LiveSubscription[]> {
  return translatedAll(
    context,
    (await listSubscriptions(context, filter, signal)).filter((one) => !hasEnded(one)),
    signal,
  )
}

/** Returns all subscriptions that match the filter, ended ones included. */
export async function everySubscription(
  context: StripeContext,
  filter: Filter,
  signal: AbortSignal,
): Promise<LiveSubscription[]> {
  return translatedAll(context, await listSubscriptions(context, { ...filter, status: 'all' }, signal), signal)
}

function listSubscriptions(
  context: StripeContext,
  filter: Stripe.SubscriptionListParams,
  signal: AbortSignal,
): Promise<readonly SubscriptionReply[]> {
  return readAll<Stripe.Subscription>(
    context,
    'subscription',
    {
      operation: 'GET /v1/subscriptions',
      page: (paging, options) => context.stripe.subscriptions.list({ ...paging, ...filter }, options),
    },
    signal,
  )
}

async function translatedAll(
  context: StripeContext,
  newestFirst: readonly SubscriptionReply[],
  signal: AbortSignal,
): Promise<LiveSubscription[]> {
  const live: LiveSubscription[] = []
  for (const one of newestFirst.toReversed()) live.push(await translateSubscription(context, one, signal))
  // Stripe lists the newest subscription first, so the list was reversed. The sort is stable, so subscriptions of the same second keep
  // their order.
  return live.sort((a, b) => a.createdAt - b.createdAt)
}

export async function readSubscription(
  context: StripeContext,
  id: string,
  signal: AbortSignal,
): Promise<LiveSubscription | null> {
  const reply = await retrieveSubscription(context, id, signal)
  return reply === null ? null : translateSubscription(context, reply, signal)
}

export function retrieveSubscription(
  context: StripeContext,
  id: string,
  signal: AbortSignal,
): Promise<SubscriptionReply | null> {
  const request = {
    operation: 'GET /v1/subscriptions/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.subscriptions.retrieve(id, {}, options),
  }
  return readOne<Stripe.Subscription>(context, request, { object: 'subscription', id }, signal)
}

export async function swapItems(
  context: StripeContext,
  id: string,
  swaps: readonly ItemSwap[],
  options: WriteOptions,
): Promise<LiveSubscription> {
  if (swaps.length === 0) throw new TypeError('A subscription update without swaps would do nothing.')
  const items = swaps.map(({ item, price, quantity }) => ({
    id: item,
    price,
    ...(quantity === null ? {} : { quantity }),
  }))
  const request = {
    operation: 'POST /v1/subscriptions/:id',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.subscriptions.update(id, { items, proration_behavior: 'none' }, sending),
  }
  const reply = await writeOne(context, request, { object: 'subscription', id }, options)
  const after = await translateSubscription(context, reply, options.signal)
  const lost = swaps.find((swap) => !isDone(after, swap))
  if (lost === undefined) return after
  throw new ProcessorError(
    'broken',
    `Stripe accepted the change of ${id}, but its item ${lost.item} is not what was asked.`,
  )
}

export async function setPriceActive(
  context: StripeContext,
  id: ProcessorId,
  active: boolean,
  options: WriteOptions,
): Promise<void> {
  const request = {
    operation: 'POST /v1/prices/:id',
    send: (sending: Stripe.RequestOptions) => context.stripe.prices.update(id, { active }, sending),
  }
  await writeOne(context, request, { object: 'price', id }, options)
}

function isDone(after: LiveSubscription, swap: ItemSwap): boolean {
  const item = after.items.find((one) => one.id === swap.item)
  return item !== undefined && item.price.id === swap.price && item.quantity === swap.quantity
}

/** Converts a subscription, with all its items. */
export async function translateSubscription(
  context: StripeContext,
  subscription: SubscriptionReply,
  signal: AbortSignal,
): Promise<LiveSubscription> {
  return translateReply(await withAllItems(context, subscription, signal), liveSubscription)
}

/** Completes the list of items, because a reply may contain only its first page. */
export async function withAllItems(
  context: StripeContext,
  subscription: SubscriptionReply,
  signal: AbortSignal,
): Promise<SubscriptionReply> {
  const { items } = subscription
  if (items?.has_more !== true) return subscription
  const data = await readAll<Stripe.SubscriptionItem>(
    context,
    'subscription_item',
    {
      operation: 'GET /v1/subscription_items',
      page: (paging, options) =>
        context.stripe.subscriptionItems.list({ ...paging, subscription: subscription.id }, options),
    },
    signal,
  )
  return { ...subscription, items: { ...items, data, has_more: false } }
}
