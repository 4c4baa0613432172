// Converts the items of a request to prices and quantities at the processor. Replaces listed prices by negotiated ones, adds attached
// prices, and checks the rules that concern a single item. Pure.
import { processorId } from '../../../catalog/resource.ts'
import { isLocalPrice } from '../../../document/schema/ids.ts'
import { isPublic } from '../../../document/schema/public-view.ts'
import type { BillingConfig, Price } from '../../../document/schema/schema.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { inCurrency } from '../../../document/pricing/calculate.ts'
import { refuseItems } from '../../../document/pricing/refuse-items.ts'
import {
  itemsSold,
  type ItemSold,
  type ItemsSold,
  type Selling,
  type RequestedItem,
} from '../../../document/pricing/sold-together.ts'
import type { Deal } from '../../../document/pricing/tenant-price.ts'
import { invalidChange, type WantedItem } from './decision.ts'
import { termsOf } from './monthly.ts'
import type { NewChange } from '../../../api/customers/subscription-changes.ts'

/** Price of an item that the subscription has: an earlier one, that of a deal, or the present one. */
export type KeptPrice = Pick<WantedItem, 'priceId' | 'processorId' | 'terms'> & { readonly isMetered: boolean }

export interface Offer {
  readonly config: BillingConfig
  readonly tenant: Deal
  /** True if the caller may name hidden prices. */
  readonly hidden: boolean
  /** Returns true for a price that the tenant has: it may be named although it is hidden. */
  readonly has: (priceId: string) => boolean
}

/**
 * Returns the prices that the request names. Leaves out a price that is attached to another named price. Throws `price_not_found` or
 * `change_invalid`.
 */
export function namedItems(offer: Offer, items: NewChange['items']): readonly ItemSold[] {
  const sold = itemsSold(sellingTo(offer), items)
  // Problems with quantities of attached prices are not thrown yet, because the quantities also depend on items that are found later.
  if (sold.items.length === 0) refuse(sold)
  for (const { price } of sold.items) refuseOnce(price)
  return sold.items.filter(({ wantedAt, attachedTo }) => wantedAt !== null && attachedTo.length === 0)
}

export interface ReplacedItems {
  /** Ids of the listed prices that are replaced: the prices of the scope (product or group), and all prices attached to them. */
  readonly prices: ReadonlySet<string>
  /**
   * Quantity of the only licensed item of the scope (product or group), otherwise 1. A wanted item keeps this quantity if the request has
   * none.
   */
  readonly quantity: number
  /** Items that stay, by listed price. Prices may be attached to them. */
  readonly staying: readonly RequestedItem[]
}

interface Wanting {
  readonly currency: string
  readonly replaced: ReplacedItems
  /** Returns the price that an item of a listed price has now; null if the subscription has none, or several, or the change leaves it. */
  readonly keptPrice: (listed: string) => KeptPrice | null
}

/**
 * Returns the items that the tenant will have in place of the `replaced` ones. They include all prices that are attached to them or to
 * items that stay. An item of which the subscription gets another quantity keeps its price, and so do the prices attached to it. Throws
 * `price_not_found`, `price_not_sellable`, `currency_not_offered` or `change_invalid`.
 */
export function wantedItems(
  offer: Offer,
  items: NewChange['items'],
  { currency, replaced, keptPrice }: Wanting,
): readonly WantedItem[] {
  const { quantity: defaultQuantity, staying: beside, prices } = replaced
  const sold = itemsSold({ ...sellingTo(offer), defaultQuantity, beside }, items)
  refuse(sold)
  const named = new Set(sold.items.flatMap(({ listed, wantedAt }) => (wantedAt === null ? [] : [listed.id])))
  const isNew = (listed: string) => named.has(listed) && keptPrice(listed) === null
  return sold.items
    .filter(
      ({ listed, attachedTo }) =>
        named.has(listed.id) || prices.has(listed.id) || attachedTo.some((id) => named.has(id)),
    )
    .map((item, _at, { length }) => {
      const kept = item.attachedTo.some(isNew) ? null : keptPrice(item.listed.id)
      return wantedItem(item, { currency, only: length === 1, kept })
    })
}

function sellingTo({ config, tenant, hidden, has }: Offer): Selling {
  return { config, deal: tenant, mayBuy: (price) => hidden || isPublic(price) || has(price.id) }
}

const refuse = ({ problems }: ItemsSold) => {
  refuseItems(problems, 'change_invalid', (at) => ['items', at])
}

function wantedItem(
  { price, listed, quantity, attachedTo }: ItemSold,
  { currency, only, kept }: { readonly currency: string; readonly only: boolean; readonly kept: KeptPrice | null },
): WantedItem {
  const place = { priceId: price.id, listed: listed.id, local: false, quantity, attached: attachedTo.length > 0 }
  // A free price is not at the processor, and has no quantity there.
  if (only && price.interval !== undefined && isLocalPrice(price))
    return { ...place, processorId: processorId(price.id), terms: termsOf(price, price), local: true, quantity: 1 }
  // What is sold no more, or in other currencies only, is kept nevertheless.
  if (kept !== null && kept.isMetered === (quantity === null)) {
    const { priceId, processorId: id, terms } = kept
    return { ...place, priceId, processorId: id, terms }
  }
  refuseOnce(price)
  refuseLocal(price)
  if (price.processor_id === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" does not exist at the processor.`)
  return {
    ...place,
    processorId: processorId(price.processor_id),
    terms: termsOf(price, inCurrency(price, currency)),
  }
}

function refuseOnce(price: Price): void {
  if (price.interval !== undefined) return
  throw invalidChange(
    'items',
    `The price "${price.id}" is paid once: a subscription cannot change to it.`,
    'Sell it in a checkout.',
  )
}

function refuseLocal(price: Price): void {
  if (isLocalPrice(price))
    throw invalidChange(
      'items',
      `The price "${price.id}" is free and not at the processor: a subscription cannot have it beside other prices.`,
      'Change to the free price alone.',
    )
}
