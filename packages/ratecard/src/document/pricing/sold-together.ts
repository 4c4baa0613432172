// Determines what is sold together. Adds the attached prices to the items that a tenant wants, and replaces prices by the tenant's
// negotiated ones. Used wherever a tenant gets items (checkout, plan change). Pure.
import { didYouMean } from '../../base/errors/suggest.ts'
import { basesOf } from '../schema/prices/base-price.ts'
import { maxItemsTogether } from '../schema/prices/items-together.ts'
import { aliasesOf } from '../rules/previous-ids.ts'
import { isEnterprise } from '../schema/ids.ts'
import type { BillingConfig, Price, Product } from '../schema/schema.ts'
import { priceForTenant, type Deal } from './tenant-price.ts'

export interface RequestedItem {
  /** Present or earlier configuration id of the price. */
  readonly priceId: string
  /** Absent: `defaultQuantity`, or no quantity for a metered price. */
  readonly quantity?: number | undefined
}

/** A price that is sold, with its product. */
export interface ItemSold {
  /** The price that is sold: the tenant's negotiated price if there is one. */
  readonly price: Price
  /** The ordinary price that the document lists. It differs from `price` only if `price` is a negotiated price. */
  readonly listed: Price
  readonly product: Product
  /** null for a metered price, which has no quantity. */
  readonly quantity: number | null
  /** Ids of the wanted listed prices to which the price is attached. */
  readonly attachedTo: readonly string[]
  /** Index of the item in the request; null if the request does not contain the price and it is sold only because it is attached. */
  readonly wantedAt: number | null
}

/** A reason why the items cannot be sold together. */
export interface ItemProblem {
  /**
   * `not_found`: the price does not exist, or the caller may not see it. `invalid`: the items conflict with the configuration or with each
   * other.
   */
  readonly kind: 'not_found' | 'invalid'
  /** Index in the wanted items. */
  readonly at: number
  readonly field: 'price_id' | 'quantity'
  readonly detail: string
  readonly hint: string | null
}

export interface ItemsSold {
  /**
   * Wanted items in the order of the request, each followed by its attached prices. The attached prices of the items in `beside` come last.
   * Empty if there is a problem with a wanted item itself.
   */
  readonly items: readonly ItemSold[]
  readonly problems: readonly ItemProblem[]
}

export interface Selling {
  readonly config: BillingConfig
  readonly deal: Deal
  /** Returns false for a price that the caller may not buy. Its error is the same as for an unknown price. */
  readonly mayBuy: (price: Price) => boolean
  /** Quantity of a wanted licensed price without one. Default: 1. */
  readonly defaultQuantity?: number
  /**
   * Items that the tenant has and keeps. They count in the quantities of attached prices: with a kept `desk` × 2 and a wanted `pro` × 3, a
   * price `storage` that is attached to both is sold in the quantity 5. An item that is kept and wanted counts once. Default: none.
   */
  readonly beside?: readonly RequestedItem[]
}

/**
 * Returns everything that is sold if a tenant wants these items. Attached prices are added: a metered price once, a licensed price in the
 * quantity of the item that it is attached to (for several items, in the sum of their quantities). E.g. `pro` × 3 with the attached prices
 * `calls` (metered) and `storage` (licensed) gives `pro` × 3, `calls`, `storage` × 3. It makes no difference if the request also names an
 * attached price, so the result can be passed in again.
 */
export function itemsSold(selling: Selling, wanted: readonly RequestedItem[]): ItemsSold {
  const { config, mayBuy } = selling
  const listings = listingsOf(config)
  const renamed = new Map(aliasesOf(config).flatMap(({ kind, from, to }) => (kind === 'price' ? [[from, to]] : [])))
  const problems: ItemProblem[] = []
  const asked = wanted.flatMap(({ priceId, quantity }, at): AskedItem[] => {
    const listing = listings.get(renamed.get(priceId) ?? priceId)
    if (listing !== undefined && mayBuy(listing.listed)) return [{ ...soldFor(listing, selling), at, quantity }]
    // A hint for the first alone: comparing many ids with all prices of a large document would take long.
    const known = problems.length > 0 ? [] : [...listings.values()].filter(({ listed }) => mayBuy(listed))
    problems.push({ ...notFound(priceId, known), at })
    return []
  })
  problems.push(...namedTwice(asked), ...quantitiesOfMetered(asked))
  if (problems.length > 0) return { items: [], problems }
  const items = withAttached(asked, listings, selling)
  return { items, problems: [...otherQuantities(asked, items), ...exclusions(items), ...tooMany(items)] }
}

/** Returns the ids of the prices that are attached to a price. A negotiated price without its own list has the list of its base price. */
export function attachedTo(price: Price, { products }: Pick<BillingConfig, 'products'>): readonly string[] {
  return price.attached_prices ?? basesOf(products).priceOf(price)?.attached_prices ?? []
}

interface Listing {
  readonly listed: Price
  readonly product: Product
}

interface SoldListing extends Listing {
  readonly price: Price
}

interface AskedItem extends SoldListing {
  readonly at: number
  readonly quantity: number | undefined
}

function listingsOf({ products }: BillingConfig): ReadonlyMap<string, Listing> {
  return new Map(
    products.flatMap((product) => (product.prices ?? []).map((listed) => [listed.id, { listed, product }] as const)),
  )
}

function soldFor({ listed, product }: Listing, { config, deal }: Pick<Selling, 'config' | 'deal'>): SoldListing {
  return { listed, product, price: priceForTenant(listed, config, deal) }
}

function withAttached(
  asked: readonly AskedItem[],
  listings: ReadonlyMap<string, Listing>,
  selling: Selling,
): readonly ItemSold[] {
  const { config, defaultQuantity = 1, beside = [] } = selling
  const items = new Map(
    asked.map(({ at, quantity = defaultQuantity, ...sold }) => {
      const item = { ...sold, quantity: isMetered(sold.price) ? null : quantity, attachedTo: [], wantedAt: at }
      return [sold.listed.id, item] as const
    }),
  )
  const kept = beside.flatMap(({ priceId, quantity = 1 }) => {
    const listing = items.has(priceId) ? undefined : listings.get(priceId)
    return listing === undefined ? [] : [{ ...soldFor(listing, selling), quantity }]
  })
  const attached = new Map<string, ItemSold>()
  for (const { price, listed, quantity } of [...items.values(), ...kept])
    for (const id of attachedTo(price, config)) {
      const listing = listings.get(id)
      if (listing === undefined) continue
      const sold = soldFor(listing, selling)
      const before = attached.get(id)
      attached.set(id, {
        ...sold,
        quantity: isMetered(sold.price) ? null : (before?.quantity ?? 0) + (quantity ?? 1),
        attachedTo: [...(before?.attachedTo ?? []), listed.id],
        wantedAt: items.get(id)?.wantedAt ?? null,
      })
    }
  return inOrder(items, attached)
}

/**
 * Sorts items in the order of the request. Attached prices that the request does not name follow the first item that they are attached to.
 */
function inOrder(items: ReadonlyMap<string, ItemSold>, attached: ReadonlyMap<string, ItemSold>): readonly ItemSold[] {
  const unasked = [...attached.values()].filter(({ listed }) => !items.has(listed.id))
  return [
    ...[...items].flatMap(([id, item]) => [
      attached.get(id) ?? item,
      ...unasked.filter(({ attachedTo: [first] }) => first === id),
    ]),
    ...unasked.filter(({ attachedTo: [first = ''] }) => !items.has(first)),
  ]
}

/** `known` are the prices that the caller may buy: a hint names no other. */
function notFound(id: string, known: readonly Listing[]): Omit<ItemProblem, 'at'> {
  const ids = known.map(({ listed }) => listed.id)
  const ofProduct = known
    .filter(({ product, listed }) => product.id === id && !isEnterprise(listed))
    .map(({ listed }) => listed.id)
  const hint =
    ofProduct.length > 0 ? `"${id}" is a product; its prices: ${ofProduct.join(', ')}.` : (didYouMean(id, ids) ?? null)
  return { kind: 'not_found', field: 'price_id', detail: `There is no price "${id}".`, hint }
}

function namedTwice(asked: readonly AskedItem[]): readonly ItemProblem[] {
  const ids = asked.map(({ price }) => price.id)
  return asked
    .filter(({ price }, index) => ids.indexOf(price.id) < index)
    .map(({ listed, at }) => ({
      ...({ kind: 'invalid', field: 'price_id', at } as const),
      detail: `The price "${listed.id}" is listed twice.`,
      hint: 'List each price once, with its total quantity.',
    }))
}

function quantitiesOfMetered(asked: readonly AskedItem[]): readonly ItemProblem[] {
  return asked
    .filter(({ price, quantity }) => isMetered(price) && quantity !== undefined)
    .map(({ listed, at }) => ({
      ...({ kind: 'invalid', field: 'quantity', at } as const),
      detail: `The price "${listed.id}" is metered: it is billed by usage and has no quantity.`,
      hint: null,
    }))
}

/** Returns a problem for each attached price that the request names with another quantity than the one in which it is sold. */
function otherQuantities(asked: readonly AskedItem[], items: readonly ItemSold[]): readonly ItemProblem[] {
  return items.flatMap(({ listed, quantity, attachedTo: to, wantedAt: at }) => {
    const given = asked.find((one) => one.at === at)?.quantity
    if (at === null || to.length === 0 || given === undefined || given === quantity) return []
    const detail = `The price "${listed.id}" is sold with ${quotedList(to)} in the quantity ${String(quantity)}, not ${given}.`
    return [{ kind: 'invalid', at, field: 'quantity', detail, hint: 'Leave out its quantity.' } as const]
  })
}

/**
 * Returns a problem for each recurring price that a tenant cannot have beside another one. A price and its attached prices never exclude
 * each other.
 */
function exclusions(items: readonly ItemSold[]): readonly ItemProblem[] {
  const recurring = items.filter(({ price }) => price.interval !== undefined)
  return recurring.flatMap((item, index) => {
    const other = recurring.slice(0, index).find((one) => excludeEachOther(one, item) && !belongTogether(one, item))
    if (other === undefined) return []
    const shared =
      other.product.id === item.product.id
        ? `the product "${item.product.id}"`
        : `the group "${String(item.product.subscription_group)}"`
    return [
      {
        ...({ kind: 'invalid', field: 'price_id', at: item.wantedAt ?? indexOfBase(items, item) } as const),
        detail: `"${other.listed.id}" and "${item.listed.id}" are both of ${shared}: a tenant can have only one of them.`,
        hint: 'Remove one of the two.',
      },
    ]
  })
}

function excludeEachOther(a: ItemSold, b: ItemSold): boolean {
  if (a.product.id === b.product.id) return a.price.meter === b.price.meter
  return a.product.subscription_group !== undefined && a.product.subscription_group === b.product.subscription_group
}

const broughtBy = ({ listed, attachedTo: to }: ItemSold) => [listed.id, ...to]
const belongTogether = (a: ItemSold, b: ItemSold) => broughtBy(a).some((id) => broughtBy(b).includes(id))

const indexOfBase = (items: readonly ItemSold[], { attachedTo: [first] }: ItemSold) =>
  items.find(({ listed }) => listed.id === first)?.wantedAt ?? 0

function tooMany(items: readonly ItemSold[]): readonly ItemProblem[] {
  const recurring = items.filter(({ price }) => price.interval !== undefined).length
  if (recurring <= maxItemsTogether && items.length - recurring <= maxItemsTogether) return []
  const detail = `These are ${recurring} recurring and ${items.length - recurring} one-time prices, attached ones included; at most ${maxItemsTogether} of each are sold together.`
  return [{ kind: 'invalid', field: 'price_id', at: 0, detail, hint: 'Sell them in several checkouts.' }]
}

const quotedList = (ids: readonly string[]) => ids.map((id) => `"${id}"`).join(' and ')

function isMetered(price: Price): boolean {
  return price.usage_type === 'metered'
}
