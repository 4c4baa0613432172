// Finds the product or group whose items a change replaces.
import { bookedProduct, scopeOf, type PriceBook } from '../../item-swaps/price-book.ts'
import type { SoldItemOf } from '../../item-swaps/sold-items.ts'
import { isPublic } from '../../../document/schema/public-view.ts'
import { invalidMembers } from '../../../base/errors/invalid-members.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'
import { invalid } from './invalid.ts'
import { attachedPricesOf, type ListedItem } from './replaced-items.ts'
import { namedItems, type Offer } from './wanted-items.ts'
import type { NewChange } from '../../../api/customers/subscription-changes.ts'

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
    throw invalid('replaces', `The subscription ${subscription} has nothing of the ${replaced}.`)
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
  throw invalid(
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
  throw invalid(
    'replaces',
    `The items are of other products than the ${scope}, and would take its place.`,
    'To keep it too, add its price to "items". To replace it, set "replaces" to its price.',
  )
}
