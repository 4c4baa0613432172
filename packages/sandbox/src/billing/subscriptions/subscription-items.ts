// Subscription items of a request: computes the resulting items and throws the errors of the real API.
import type { PriceBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { missingParam, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { boolean, integer, list, shape, text, type Fields, type Read } from '../../protocol/parameters/params.ts'
import { inlinePrice, recurringPriceData } from '../../endpoints/catalog/inline-prices.ts'
import { periodAt, isSameInterval } from '../pricing/billing-intervals.ts'
import { amountFor, pricingIn } from '../pricing/price-amounts.ts'
import { discountsParam, readDiscounts, redeem } from '../pricing/discounts.ts'
import { customerOf, isMetered, priceOf, intervalOf } from './subscription-records.ts'
import { taxRatesParam, usableTaxRates } from './terms.ts'

const maxItems = 20

export const newItemFields = {
  discounts: discountsParam,
  tax_rates: taxRatesParam,
  metadata: metadata(),
  price: text(),
  price_data: recurringPriceData,
  quantity: integer({ min: 0 }),
} satisfies Fields
export const changedItemFields = { ...newItemFields, clear_usage: boolean(), deleted: boolean(), id: text() }

export const newItems = list(shape(newItemFields), { max: maxItems })
export const changedItems = list(shape(changedItemFields), { max: maxItems })
export type ItemParams = Partial<Read<typeof changedItemFields>>

/** Members of a subscription that are needed to compute new items, e.g. `billing_cycle_anchor` for their periods. */
export type Holder = Pick<
  SubscriptionBody,
  'id' | 'customer' | 'currency' | 'billing_cycle_anchor' | 'billing_mode'
> & {
  readonly trialEnd: number | null
}

export function holderOf(subscription: SubscriptionBody): Holder {
  const trialEnd = subscription.status === 'trialing' ? subscription.trial_end : null
  return { ...subscription, trialEnd }
}

/** Returns the price with this id. Throws if it cannot be sold because the price or its product is inactive. */
export function activePrice(call: OperationContext, id: string | undefined, name: string): PriceBody {
  if (id === undefined) throw missingParam(`${name}[price]`)
  const price = call.reference('price', id, `${name}[price]`)
  if (!price.active) throw inactivePrice(`${name}[price]`)
  refuseArchivedProduct(call, price, name)
  return price
}

export function inactivePrice(param: string): Error {
  return badRequest('The price specified is inactive. This field only accepts active prices.', param)
}

/** Returns the error for a price of a type (e.g. `one_time`) that the field does not accept. */
export function wrongType(is: 'one_time' | 'recurring', param: string): Error {
  const accepted = is === 'recurring' ? 'one_time' : 'recurring'
  const message = `The price specified is set to \`type=${is}\` but this field only accepts prices with`
  return badRequest(`${message} \`type=${accepted}\`.`, param)
}

/**
 * Returns the price with this id. Throws if it cannot be used for a subscription item: it must be active, recurring and in the currency.
 */
export function usablePrice(
  call: OperationContext,
  id: string | undefined,
  name: string,
  currency: string | undefined,
): PriceBody {
  const price = activePrice(call, id, name)
  if (price.recurring === null) throw wrongType('one_time', `${name}[price]`)
  if (currency !== undefined && pricingIn(price, currency) === undefined) throw wrongCurrency(price, currency, name)
  return price
}

/** Refuses an active price of an archived product. Source: public forum threads that quote Stripe's message. */
function refuseArchivedProduct(call: OperationContext, price: PriceBody, name: string): void {
  if (call.find('product', price.product)?.active !== false) return
  throw badRequest(
    `Price \`${price.id}\` is not available to be purchased because its product is not active.`,
    `${name}[price]`,
  )
}

export function wrongCurrency(price: PriceBody, currency: string, name: string): Error {
  const message = `The price specified only supports \`${price.currency}\`.`
  return badRequest(`${message} This doesn't match the expected currency: \`${currency}\`.`, `${name}[price]`)
}

/** Returns the error for a quantity of a metered price. Its quantity comes from the meter. */
export function quantityOfMetered(name: string): Error {
  const message = 'Quantity should not be specified where usage_type is `metered`.'
  return badRequest(`${message} Remove quantity from \`${name}\``, `${name}[quantity]`)
}

function quantityFor(price: PriceBody, given: number | undefined, name: string): { quantity?: number } {
  if (!isMetered(price)) return { quantity: given ?? 1 }
  if (given === undefined) return {}
  throw quantityOfMetered(name)
}

/** Returns the price that the item names, or a new one made from its `price_data`. */
function priceFor(
  call: OperationContext,
  { price, price_data: data }: ItemParams,
  name: string,
  currency: string,
): PriceBody {
  if (data === undefined) return usablePrice(call, price, name, currency)
  if (price !== undefined) throw onlyOneOf(`${name}[price]`, `${name}[price_data]`)
  const made = inlinePrice(call, data, `${name}[price_data]`)
  if (pricingIn(made, currency) === undefined) throw wrongCurrency(made, currency, name)
  return made
}

/** Checks the parameters and returns a new item whose period begins now. */
export function itemFrom(
  call: OperationContext,
  holder: Holder,
  params: ItemParams,
  name: string,
): SubscriptionItemBody {
  const price = priceFor(call, params, name, holder.currency)
  const quantity = quantityFor(price, params.quantity, name)
  const item = newItem(call, holder, price, { ...quantity, metadata: applyMetadata({}, params.metadata) })
  return { ...item, ...extras(call, holder, item, params, name) }
}

/** Returns the item's own discounts and tax rates, with the changes of the request. */
function extras(
  call: OperationContext,
  holder: Holder,
  item: SubscriptionItemBody,
  params: ItemParams,
  name: string,
): Pick<SubscriptionItemBody, 'discounts' | 'tax_rates'> {
  const { discounts, tax_rates: rates } = params
  return {
    discounts: discounts === undefined ? item.discounts : itemDiscounts(call, holder, item, discounts ?? []),
    tax_rates: rates === undefined ? item.tax_rates : usableTaxRates(call, rates, `${name}[tax_rates]`, item.tax_rates),
  }
}

function itemDiscounts(
  call: OperationContext,
  holder: Holder,
  item: SubscriptionItemBody,
  given: NonNullable<ItemParams['discounts']>,
): string[] {
  const price = priceOf(call, item)
  const subtotal = isMetered(price) ? 0 : amountFor(price, holder.currency, String(item.quantity ?? 1))
  const purchase = { customer: customerOf(call, holder.customer), currency: holder.currency, subtotal }
  const of = { customer: holder.customer, subscription: holder.id, item: item.id, session: null }
  return redeem(call, readDiscounts(call, given, purchase, item.discounts), of)
}

/**
 * Returns a new item. Its first period begins now and ends with the trial or with the subscription's current period. Source: the real API
 * at version 2026-08-26.dahlia.
 */
export function newItem(
  call: OperationContext,
  holder: Holder,
  price: PriceBody,
  own: Pick<SubscriptionItemBody, 'quantity' | 'metadata'>,
): SubscriptionItemBody {
  const { trialEnd, billing_cycle_anchor: anchor } = holder
  const end = trialEnd ?? periodAt(anchor, intervalOf(price), call.now).end
  return {
    id: newId('si_', 14),
    object: 'subscription_item',
    created: call.now,
    current_period_end: end,
    current_period_start: call.now,
    discounts: [],
    plan: price.id,
    price: price.id,
    subscription: holder.id,
    tax_rates: [],
    ...own,
    _anchor: anchor,
    _usage_from: call.now,
    _debited: { amount: 0, start: call.now, end },
  }
}

/** Returns the item with the changes of the request. A new price without a quantity resets the quantity to 1. */
function changedItem(
  call: OperationContext,
  holder: Holder,
  before: SubscriptionItemBody,
  params: ItemParams,
  name: string,
): SubscriptionItemBody {
  const { quantity: _former, ...rest } = before
  const described = {
    ...rest,
    ...extras(call, holder, before, params, name),
    metadata: applyMetadata(before.metadata, params.metadata),
  }
  if (params.price_data === undefined && (params.price === undefined || params.price === before.price)) {
    const price = priceOf(call, before)
    if (params.quantity === undefined)
      return { ...described, ...(before.quantity === undefined ? {} : { quantity: before.quantity }) }
    return { ...described, ...quantityFor(price, params.quantity, name) }
  }
  const price = priceFor(call, params, name, holder.currency)
  const quantity = quantityFor(price, params.quantity, name)
  return {
    ...described,
    plan: price.id,
    price: price.id,
    ...quantity,
    ...(isMetered(price) ? { _usage_from: call.now } : {}),
  }
}

/** Returns all items of the subscription, with the changes of the request. Items that the request does not name stay unchanged. */
export function itemsAfter(
  call: OperationContext,
  subscription: SubscriptionBody,
  given: readonly ItemParams[],
  nameOf: (index: number) => string = (index) => `items[${index}]`,
): SubscriptionItemBody[] {
  const holder = holderOf(subscription)
  const items = new Map(subscription.items.data.map((item) => [item.id, item]))
  for (const [index, params] of given.entries()) {
    const name = nameOf(index)
    if (params.id === undefined) {
      const item = itemFrom(call, holder, params, name)
      refuseDuplicatePrice(subscription, given, item.price)
      items.set(item.id, item)
      continue
    }
    const before = subscription.items.data.find((item) => item.id === params.id)
    if (before === undefined) throw badRequest(`Invalid subscription_item id: ${params.id}`)
    refuseClearUsage(holder, params, `${name}[clear_usage]`)
    if (params.deleted === true) items.delete(before.id)
    else items.set(before.id, changedItem(call, holder, before, params, name))
  }
  return checkItems(call, [...items.values()], holder.billing_mode.type)
}

/** Refuses `clear_usage` in flexible billing. Source of the message: laravel/cashier-stripe#1819. */
export function refuseClearUsage(
  { billing_mode: mode }: Pick<SubscriptionBody, 'billing_mode'>,
  { clear_usage: clears }: Pick<ItemParams, 'clear_usage'>,
  name: string,
): void {
  if (clears === undefined || mode.type === 'classic') return
  const message = 'With `billing_mode.type=flexible` set on a subscription, the following parameters are not supported'
  throw badRequest(`${message}: clear_usage.`, name)
}

/** Refuses a new item with the price of an existing item. Source of the message: the real API at version 2026-08-26.dahlia. */
function refuseDuplicatePrice({ items }: SubscriptionBody, given: readonly ItemParams[], price: string): void {
  const taken = items.data.find((item) => item.price === price)
  const named = given.find(({ id }) => id !== undefined && id === taken?.id)
  if (taken === undefined || named?.deleted === true || (named?.price !== undefined && named.price !== price)) return
  throw badRequest(
    `A new item with Price ${price} can't be added to this Subscription because an existing Subscription Item ${taken.id} is ` +
      'already using that Price. If you want to update the existing item (e.g., to adjust the quantity), pass the existing ' +
      "Subscription Item's `id` in your update request: " +
      'https://stripe.com/docs/api/subscriptions/update#update_subscription-items-id',
    'plan',
  )
}

/**
 * Checks the rules about all items together: their number, duplicate prices and, in classic billing, equal intervals. Returns the items.
 */
export function checkItems<Item extends Pick<SubscriptionItemBody, 'price'>>(
  call: OperationContext,
  items: Item[],
  mode: 'classic' | 'flexible',
): Item[] {
  if (items.length === 0) {
    throw badRequest('A subscription must have at least one active item. To cancel, use the cancel endpoint.', 'items')
  }
  if (items.length > maxItems) throw badRequest(`A subscription can have at most ${maxItems} items.`, 'items')
  const duplicate = items.find((item, index) => items.findIndex((other) => other.price === item.price) < index)
  if (duplicate !== undefined) {
    const message = 'Cannot create a Subscription with multiple Subscription Items with the same Price'
    throw badRequest(`${message}: ${duplicate.price}`, 'plan')
  }
  const [first, ...others] = items.map((item) => intervalOf(priceOf(call, item)))
  if (mode === 'classic' && first !== undefined && others.some((step) => !isSameInterval(first, step))) {
    throw badRequest(
      'Currently, all prices on a subscription must have the same billing interval and interval count.',
      'items',
    )
  }
  return items
}
