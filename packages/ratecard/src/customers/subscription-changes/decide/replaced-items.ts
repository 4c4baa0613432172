// Finds the items that a change replaces: the items of one product or group (scope), and the prices attached to them. Pure.
import type { RequestedItem } from '../../../document/pricing/sold-together.ts'
import { bookedProduct, scopeOf, type PriceBook } from '../../item-swaps/price-book.ts'
import type { SoldItemOf, SoldItem } from '../../item-swaps/sold-items.ts'
import { isPublic } from '../../../document/schema/public-view.ts'
import { invalidMembers } from '../../../base/errors/invalid-members.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'
import { invalidChange } from './decision.ts'
import { namedItems, type Offer, type ReplacedItems } from './wanted-items.ts'
import type { NewChange } from '../../../api/customers/subscription-changes.ts'
import { isCurrency } from '../../../base/money/currencies.ts'
import type { BillingConfig, Price, Product } from '../../../document/schema/schema.ts'

/** An item of the subscription, or of a later phase of its schedule, under its listed price. */
export interface ListedItem {
  /**
   * Configuration id of the price, or of the base price for a negotiated price; for a price of the subscription that was removed, its last id. null
   * if the price does not belong to the configuration.
   */
  readonly listed: string | null
  /** Product or group of the price; null if the price does not belong to the configuration. */
  readonly scope: string | null
  /** Ids of the listed prices that are sold with the price. */
  readonly attachedPrices: readonly string[]
  /** null for a metered item. */
  readonly quantity: number | null
}

/** Returns the items that a change of the product or group `scope` replaces. `phased` are the items of later phases of the schedule. */
export function replacedItems(
  scope: string,
  present: readonly ListedItem[],
  phased: readonly ListedItem[],
): ReplacedItems {
  const isOfScope = (item: ListedItem) => item.scope === scope
  const own = [...present, ...phased].filter(isOfScope)
  const attached = attachedPricesOf(present)
  const isLicensedBase = (item: ListedItem) => isOfScope(item) && item.quantity !== null && !attached.has(item.listed)
  const [only, second] = present.filter(isLicensedBase)
  return {
    prices: new Set(
      own.flatMap(({ listed, attachedPrices }) => (listed === null ? attachedPrices : [listed, ...attachedPrices])),
    ),
    quantity: second === undefined ? (only?.quantity ?? 1) : 1,
    staying: stayingItems(present.filter((item) => !isOfScope(item))),
  }
}

/** Returns the ids of the listed prices that are attached to another item. Only items with a listed price are considered. */
export function attachedPricesOf(items: readonly ListedItem[]): ReadonlySet<string | null> {
  return new Set(items.flatMap(({ attachedPrices }) => attachedPrices))
}

/** Returns each listed price once. The quantities of items on several processor prices of one listed price are added. */
function stayingItems(items: readonly ListedItem[]): readonly RequestedItem[] {
  const quantities = new Map<string, number>()
  for (const { listed, quantity } of items)
    if (listed !== null) quantities.set(listed, (quantities.get(listed) ?? 0) + (quantity ?? 1))
  return [...quantities].map(([priceId, quantity]) => ({ priceId, quantity }))
}

// Finds the product or group whose items a change replaces.
const isGroup = (scope: string) => scope.startsWith('group ')

export function scopeOfItem(item: LiveItem, soldItem: SoldItemOf): string | null {
  const sold = soldItem(item)
  return sold === null ? null : scopeOf(sold.product)
}

export interface Scopes {
  /** Scope of the price that `replaces` names; null if the request leaves it out. */
  readonly replaced: string | null
  readonly wanted: readonly string[]
}

/** Returns the products or groups that the request names. */
export function scopesOf(
  offer: Offer,
  { items, replaces }: Pick<NewChange, 'items' | 'replaces'>,
  { book, live }: { readonly book: PriceBook; readonly live: readonly LiveSubscription[] },
): Scopes {
  const wanted = namedItems(offer, items).map(({ product }) => scopeOf(bookedProduct(product)))
  if (replaces === undefined) return { replaced: null, wanted }
  const booked = book.find(replaces)
  const has = (one: LiveSubscription) =>
    one.items.some(({ price }) => book.find(book.idOf(price.id) ?? '')?.price.id === booked?.price.id)
  // To a session, a hidden price that its tenant does not have is unknown.
  if (booked === undefined || !(offer.hidden || isPublic(booked.price) || live.some(has)))
    throw invalidMembers('price_not_found', [{ path: ['replaces'], detail: `There is no price "${replaces}".` }])
  return { replaced: scopeOf(booked.product), wanted }
}

/** Returns the product or group whose items the change replaces. Throws `change_invalid` if the request does not say which. */
export function scopeIn(subscription: string, { replaced, wanted }: Scopes, items: readonly ListedItem[]): string {
  if (replaced !== null) {
    if (items.some(({ scope }) => scope === replaced)) return replaced
    throw invalidChange('replaces', `The subscription ${subscription} has nothing of the ${replaced}.`)
  }
  // Prices that are attached to others follow those, so they leave no choice.
  const attached = attachedPricesOf(items)
  const free = items.filter(({ listed }) => !attached.has(listed))
  const present = [...new Set(free.map(({ scope }) => scope))]
  const named = [...new Set(wanted.filter((scope) => items.some((item) => item.scope === scope)))]
  const [only, other] = named.length > 1 ? named.filter(isGroup) : named
  if (only !== undefined && other === undefined) return only
  const [whole, second] = present
  if (named.length === 0 && typeof whole === 'string' && second === undefined) {
    refuseOutside(whole, wanted)
    return whole
  }
  throw invalidChange(
    'replaces',
    `The subscription ${subscription} has items of several products, so "items" alone does not tell which of them to replace.`,
    'Set "replaces" to one of the prices of the subscription.',
  )
}

/**
 * Refuses items that take the place of something else without naming it: an add-on alone would take the place of the plan, and a plan that of
 * an add-on which the tenant has without one. Products without a group may replace each other.
 */
function refuseOutside(scope: string, wanted: readonly string[]): void {
  if (![scope, ...wanted].some(isGroup)) return
  throw invalidChange(
    'replaces',
    `The items are of other products than the ${scope}, and would take its place.`,
    'To keep it too, add its price to "items". To replace it, set "replaces" to its price.',
  )
}

// Prices that were removed from the configuration and that a subscription still has: it may get another quantity of them. Pure.
interface Removed {
  readonly id: string
  readonly live: LiveItem
  readonly currency: Price['currency']
  readonly sold: SoldItem
}

/**
 * Returns the configuration with the removed prices that the subscriptions have, as they are billed. A removed metered price counts as attached
 * to the other removed prices of its product or group, so that their change leaves it alone.
 */
export function withRemovedPrices(
  config: BillingConfig,
  live: readonly LiveSubscription[],
  { book, soldItem }: { readonly book: PriceBook; readonly soldItem: SoldItemOf },
): BillingConfig {
  const found = live.flatMap(({ items }) =>
    items.flatMap((item): Removed[] => {
      const id = book.idOf(item.price.id)
      const sold = id === undefined || book.find(id) !== undefined ? null : soldItem(item)
      const { currency } = item.price
      return id === undefined || sold === null || !isCurrency(currency) ? [] : [{ id, live: item, currency, sold }]
    }),
  )
  const removed = found.filter(({ id }, index) => found.findIndex((one) => one.id === id) === index)
  if (removed.length === 0) return config
  return { ...config, products: [...config.products, ...removed.map((one) => productOf(one, removed))] }
}

function productOf({ id, live, currency, sold }: Removed, removed: readonly Removed[]): Product {
  const { group } = sold.product
  const isMetered = live.quantity === null
  const attached = removed.filter(
    (one) => !isMetered && one.live.quantity === null && scopeOf(one.sold.product) === scopeOf(sold.product),
  )
  const { interval, intervalCount } = live.price
  const price: Price = {
    // The amount is not used: the item keeps its price at the processor.
    ...{ id, processor_id: live.price.id, amount: 0, currency, interval, interval_count: intervalCount },
    ...(isMetered ? { usage_type: 'metered' as const, ...(sold.meter === null ? {} : { meter: sold.meter }) } : {}),
    ...(attached.length === 0 ? {} : { attached_prices: attached.map((one) => one.id) }),
  }
  return {
    ...{ id: sold.product.id, name: sold.product.id, prices: [price] },
    ...(group === null ? {} : { subscription_group: group }),
  }
}
