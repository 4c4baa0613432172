// Decides which offers the tenant has, and which subscription the choice of an offer would change, from the tenant's subscriptions. Pure.
import type { PriceList, SessionPrices } from './model.ts'

/** The part of `session/subscriptions` that a table reads. */
export interface SubscriptionList {
  readonly subscriptions: readonly Subscription[]
}

interface Subscription {
  readonly id: string
  /** `local`: a free price, which the processor does not have. */
  readonly home: 'processor' | 'local'
  readonly status: string
  readonly currency: string | null
  readonly cancel_at_period_end: boolean
  readonly cancel_at: string | null
  readonly scheduled: { readonly at: string; readonly items: readonly { readonly price_id: string | null }[] } | null
  readonly items: readonly SubscriptionItem[]
}

interface SubscriptionItem {
  readonly price_id: string | null
  readonly quantity: number | null
  readonly current_period_end: string | null
}

/** What the viewing tenant has, by the ids of listed prices. */
export interface Present {
  /** Currency of the oldest subscription; null without one. */
  readonly currency: string | null
  readonly items: readonly PresentItem[]
  /** Start times (RFC 3339) of listed prices to which a scheduled change will move the tenant, by price id. */
  readonly begins: ReadonlyMap<string, string>
}

interface PresentItem {
  /** Id of the listed price; for a negotiated price, the id of its public base price. */
  readonly listed: string
  /** Product or group of which a tenant has one at a time. */
  readonly scope: string
  readonly subscription: string
  readonly local: boolean
  readonly quantity: number | null
  /** End (RFC 3339) of the subscription, if it is cancelled. */
  readonly until: string | null
}

/**
 * How an offer relates to the tenant's subscriptions. `new`: a checkout sells it. `current`: the tenant has it. `change`: it would replace
 * the price `replaces` of a subscription.
 */
export type Standing =
  | { readonly kind: 'new' }
  | ({ readonly kind: 'current'; readonly until: string | null } & Changeable)
  | ({ readonly kind: 'change'; readonly begins: string | null } & Changeable)

interface Changeable {
  /**
   * Subscription that the choice would change. null for a free subscription, which cannot be changed to a paid one; the paid one is bought
   * through checkout.
   */
  readonly subscription: string | null
  readonly replaces: string
  readonly quantity: number | null
}

export const nothingPresent: Present = { currency: null, items: [], begins: new Map() }

/** Statuses in which a subscription is not or no more in effect. */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired'])

export function presentOf(list: PriceList, { subscriptions }: SubscriptionList, { prices }: SessionPrices): Present {
  const live = subscriptions.filter(({ status }) => !ended.has(status))
  const base = new Map(prices.map(({ base_price_id: id, price }) => [price.id, id]))
  const listedOf = (id: string) => base.get(id) ?? id
  return {
    currency: live.find(({ home }) => home === 'processor')?.currency ?? null,
    items: live.flatMap((one) => itemsOf(one, list, listedOf)),
    begins: new Map(
      live.flatMap(({ scheduled }) =>
        (scheduled?.items ?? []).flatMap(({ price_id: id }) =>
          id === null || scheduled === null ? [] : [[listedOf(id), scheduled.at] as const],
        ),
      ),
    ),
  }
}

function itemsOf(
  { id: subscription, home, cancel_at_period_end: ends, cancel_at: at, items }: Subscription,
  list: PriceList,
  listedOf: (id: string) => string,
): PresentItem[] {
  const priced = items.flatMap((item) => (item.price_id === null ? [] : [{ item, listed: listedOf(item.price_id) }]))
  const attached = new Set(priced.flatMap(({ listed }) => findPrice(list, listed)?.price.attached_prices ?? []))
  return priced.flatMap(({ item, listed }) => {
    const scope = scopeOf(list, listed)
    if (scope === null || attached.has(listed)) return []
    const until = at ?? (ends ? item.current_period_end : null)
    return [{ listed, scope, subscription, local: home === 'local', quantity: item.quantity, until }]
  })
}

function findPrice({ products }: PriceList, id: string) {
  for (const product of products) {
    const price = product.prices?.find((one) => one.id === id)
    if (price !== undefined) return { product, price }
  }
  return null
}

function scopeOf(list: PriceList, priceId: string): string | null {
  const found = findPrice(list, priceId)
  if (found === null) return null
  const { id, subscription_group: group } = found.product
  return group === undefined ? `product ${id}` : `group ${group}`
}

/** Returns the standing of a listed price: how it relates to what the tenant has. A one-time price can always be bought again. */
export function standingOf(list: PriceList, { items, begins }: Present, priceId: string): Standing {
  const found = findPrice(list, priceId)
  if (found?.price.interval === undefined) return { kind: 'new' }
  const scope = scopeOf(list, priceId)
  const own = items.filter((item) => item.scope === scope)
  const item = own.find(({ listed }) => listed === priceId) ?? own[0]
  if (item === undefined) return { kind: 'new' }
  const { listed: replaces, subscription, local, quantity, until } = item
  const changeable = { subscription: local ? null : subscription, replaces, quantity }
  if (replaces === priceId) return { kind: 'current', until, ...changeable }
  return local ? { kind: 'new' } : { kind: 'change', begins: begins.get(priceId) ?? null, ...changeable }
}
