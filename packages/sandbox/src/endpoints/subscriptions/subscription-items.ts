import {
  itemsAfter,
  newItemFields,
  refuseClearUsage,
  type ItemParams,
} from '../../billing/subscriptions/subscription-items.ts'
import { checkProrationDate, withItems } from '../../billing/subscriptions/proration.ts'
import { withPlannedEnd } from '../../billing/subscriptions/planned-end.ts'
import { timeOf, save } from '../../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { StripeError } from '../../protocol/responses/errors.ts'
import { deletion, post, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { boolean, oneOf, required, text, timestamp, type Read } from '../../protocol/parameters/params.ts'
import {
  prorationBehavior,
  refuseIncomplete,
  refuseEnded,
  refusePaused,
  refuseScheduled,
  refuseUnpaid,
} from './subscriptions.ts'

const billing = {
  payment_behavior: oneOf('allow_incomplete', 'error_if_incomplete'),
  proration_behavior: prorationBehavior,
  proration_date: timestamp(),
}
const createFields = { ...newItemFields, ...billing, subscription: required(text()) }
const updateFields = { ...newItemFields, ...billing, off_session: boolean() }
const deleteFields = { ...billing, clear_usage: boolean() }

/** Changes one subscription item. Errors name the parameter without `items[0]`, e.g. `price`. */
function changeItem(
  outer: OperationContext,
  before: SubscriptionBody,
  item: ItemParams,
  how: Partial<Read<typeof billing>>,
): SubscriptionBody {
  refuseEnded(before)
  refuseIncomplete(before, { items: [item] })
  refusePaused(before)
  refuseScheduled(before, 'items')
  const call = outer.at(timeOf(outer, before.test_clock))
  const { proration_behavior: behavior = 'create_prorations', proration_date: date } = how
  const prorateFrom = checkProrationDate(before, date)
  const changed = withItems(call, before, itemsAfter(call, before, [item]), { behavior, prorateFrom })
  const after = withPlannedEnd(call, before, changed, behavior)
  const saved = save(call, before, after)
  refuseUnpaid(call, before, saved, how.payment_behavior)
  return saved
}

function create(call: OperationContext): SubscriptionItemBody {
  const { subscription, payment_behavior, proration_behavior, proration_date, ...item } = call.read(createFields)
  const before = call.reference('subscription', subscription, 'subscription')
  const known = new Set(before.items.data.map((one) => one.id))
  const after = changeItem(call, before, item, { payment_behavior, proration_behavior, proration_date })
  const made = after.items.data.find((one) => !known.has(one.id))
  if (made === undefined) throw new Error('No subscription item was created')
  return made
}

function holderOf(call: OperationContext): SubscriptionBody {
  const id = call.find('subscription_item', call.id)?.subscription
  const found = id === undefined ? undefined : call.find('subscription', id)
  if (found === undefined) throw noSuchItem(call.id)
  return found
}

function find(call: OperationContext): HandlerResult {
  call.read({})
  const object = call.find('subscription_item', call.id)
  if (object === undefined) throw noSuchItem(call.id)
  return { object }
}

/** Returns the error for an unknown item in the path. Unlike other objects it has neither a code nor a param. Source: the real API. */
function noSuchItem(id: string): StripeError {
  return new StripeError(`Invalid subscription_item id: ${id}`, { status: 404 })
}

function update(call: OperationContext): SubscriptionItemBody {
  const before = holderOf(call)
  const { off_session: _off, payment_behavior, proration_behavior, proration_date, ...item } = call.read(updateFields)
  changeItem(call, before, { ...item, id: call.id }, { payment_behavior, proration_behavior, proration_date })
  return call.subject('subscription_item')
}

function remove(call: OperationContext): void {
  const before = holderOf(call)
  const { clear_usage, ...how } = call.read(deleteFields)
  refuseClearUsage(before, { clear_usage }, 'clear_usage')
  changeItem(call, before, { id: call.id, deleted: true }, how)
}

/** Lists the items of a subscription, oldest first. All other objects are listed newest first. */
function page(call: OperationContext): HandlerResult {
  const params = call.read({ ...pageFields, subscription: required(text()) })
  const all = call.reference('subscription', params.subscription, 'subscription').items.data
  return { page: pageWithin(all, params, 'subscription_item') }
}

const base = '/v1/subscription_items'

export const subscriptionItems: readonly Operation[] = [
  post(base, 'subscription_item', create),
  { method: 'GET', path: base, of: 'subscription_item', list: true, run: page },
  { method: 'GET', path: `${base}/:id`, of: 'subscription_item', run: find },
  post(`${base}/:id`, 'subscription_item', update),
  deletion(`${base}/:id`, 'subscription_item', remove),
]
