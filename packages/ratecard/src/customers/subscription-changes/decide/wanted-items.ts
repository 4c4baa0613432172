// Converts the items of a request to prices and quantities at the processor. Replaces listed prices by negotiated ones, adds attached
// prices, and checks the rules that concern a single item. Pure.
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import { isLocalPrice } from '../../../document/schema/ids.ts'
import { isPublic } from '../../../document/schema/public-view.ts'
import type { BillingConfig, Price } from '../../../document/schema/schema.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { inCurrency } from '../../../document/pricing/calculate.ts'
import { refuseItems } from '../../../document/pricing/refuse-items.ts'
import { itemsSold, type ItemSold, type ItemsSold, type Selling } from '../../../document/pricing/sold-together.ts'
import type { Deal } from '../../../document/pricing/tenant-price.ts'
import type { NewChange } from '../../../api/service/tenants.ts'
import { invalid } from './invalid.ts'
import type { ReplacedItems } from './replaced-items.ts'

export interface WantedItem {
  /** The price with its amounts in the subscription's currency. */
  readonly price: Price
  /** Configuration id of the listed price for which `price` is sold. */
  readonly listed: string
  readonly processorId: ProcessorId
  /** null for a metered price. */
  readonly quantity: number | null
  /** True if the price is sold with another one of the subscription. */
  readonly attached: boolean
}

export interface Offer {
  readonly config: BillingConfig
  readonly tenant: Deal
  /** True if the caller may name hidden prices. */
  readonly hidden: boolean
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

/**
 * Returns the items that the tenant will have in place of the `replaced` ones. They include all prices that are attached to them or to
 * items that stay. Throws `price_not_found`, `price_not_sellable`, `currency_not_offered` or `change_invalid`.
 */
export function wantedItems(
  offer: Offer,
  items: NewChange['items'],
  { currency, replaced }: { readonly currency: string; readonly replaced: ReplacedItems },
): readonly WantedItem[] {
  const { quantity: defaultQuantity, staying: beside, prices } = replaced
  const sold = itemsSold({ ...sellingTo(offer), defaultQuantity, beside }, items)
  refuse(sold)
  const named = new Set(sold.items.flatMap(({ listed, wantedAt }) => (wantedAt === null ? [] : [listed.id])))
  return sold.items
    .filter(
      ({ listed, attachedTo }) =>
        named.has(listed.id) || prices.has(listed.id) || attachedTo.some((id) => named.has(id)),
    )
    .map((item, _at, { length }) => wantedItem(item, { currency, only: length === 1 }))
}

function sellingTo({ config, tenant, hidden }: Offer): Selling {
  return { config, deal: tenant, mayBuy: (price) => hidden || isPublic(price) }
}

const refuse = ({ problems }: ItemsSold) => {
  refuseItems(problems, 'change_invalid', (at) => ['items', at])
}

function wantedItem(
  { price, listed, quantity, attachedTo }: ItemSold,
  { currency, only }: { readonly currency: string; readonly only: boolean },
): WantedItem {
  // A free price is not at the processor, and has no quantity there.
  if (only && price.interval !== undefined && isLocalPrice(price))
    return { price, listed: listed.id, processorId: processorId(price.id), quantity: 1, attached: false }
  refuseOnce(price)
  refuseLocal(price)
  if (price.processor_id === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" does not exist at the processor.`)
  return {
    price: inCurrency(price, currency),
    listed: listed.id,
    processorId: processorId(price.processor_id),
    quantity,
    attached: attachedTo.length > 0,
  }
}

function refuseOnce(price: Price): void {
  if (price.interval !== undefined) return
  throw invalid(
    'items',
    `The price "${price.id}" is paid once: a subscription cannot change to it.`,
    'Sell it in a checkout.',
  )
}

function refuseLocal(price: Price): void {
  if (isLocalPrice(price))
    throw invalid(
      'items',
      `The price "${price.id}" is free and not at the processor: a subscription cannot have it beside other prices.`,
      'Change to the free price alone.',
    )
}
