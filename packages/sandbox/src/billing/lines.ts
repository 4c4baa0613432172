// Lines of invoices: what a period, its usage, a trial or a change in its middle costs.
import { formatMinor } from '../money/format.ts'
import type { PriceBody } from '../objects/bodies.ts'
import type { Call } from '../protocol/call.ts'
import type { InvoiceLineBody, SubscriptionBody, SubscriptionItemBody } from '../objects/customer-bodies.ts'
import { newId } from '../protocol/ids.ts'
import { amountFor, pricingIn, share } from './charges.ts'
import type { Period } from './calendar.ts'
import { customerOf, priceOf } from './records.ts'
import { usageIn } from './usage.ts'

interface LineParts {
  readonly subscription: { readonly id: string; readonly currency: string }
  /** null for something bought once. */
  readonly item: SubscriptionItemBody | null
  readonly price: PriceBody
  readonly amount: number
  readonly quantity: string
  readonly period: Period
  readonly description: string
  readonly proration?: boolean
}

export function newLine(parts: LineParts): InvoiceLineBody {
  const { subscription, item, price, amount } = parts
  const whole = Number(parts.quantity)
  return {
    id: newId('il_1', 23),
    object: 'line_item',
    amount,
    currency: subscription.currency,
    description: parts.description,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: '',
    livemode: false,
    metadata: item?.metadata ?? {},
    parent: {
      invoice_item_details: null,
      subscription_item_details:
        item === null
          ? null
          : {
              invoice_item: null,
              proration: parts.proration ?? false,
              proration_details: { credited_items: null },
              subscription: subscription.id,
              subscription_item: item.id,
            },
      type: 'subscription_item_details',
    },
    period: { end: parts.period.end, start: parts.period.start },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: price.product },
      type: 'price_details',
      unit_amount_decimal: pricingIn(price, subscription.currency)?.unit_amount_decimal ?? null,
    },
    quantity: Number.isSafeInteger(whole) ? whole : null,
    quantity_decimal: parts.quantity,
    subscription: subscription.id,
    subtotal: amount,
    taxes: [],
  }
}

function productName(call: Call, price: PriceBody): string {
  return (call.find('product', price.product) ?? call.findDeleted('product', price.product))?.name ?? price.product
}

function described(call: Call, price: PriceBody, currency: string, quantity: string): string {
  const name = `${quantity} × ${productName(call, price)}`
  const unit = pricingIn(price, currency)?.unit_amount_decimal
  if (unit === undefined || unit === null || price.recurring === null) return name
  const { interval, interval_count: count } = price.recurring
  return `${name} (at ${formatMinor(unit, currency)} / ${count === 1 ? interval : `every ${count} ${interval}s`})`
}

export function quantityOf(item: SubscriptionItemBody): string {
  return String(item.quantity ?? 1)
}

export function itemAmount(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): number {
  return amountFor(priceOf(call, item), subscription.currency, quantityOf(item))
}

/** A licensed item for the period that begins, paid in advance. */
export function advanceLine(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): InvoiceLineBody {
  const price = priceOf(call, item)
  const quantity = quantityOf(item)
  return newLine({
    subscription,
    item,
    price,
    quantity,
    amount: itemAmount(call, subscription, item),
    period: { start: item.current_period_start, end: item.current_period_end },
    description: described(call, price, subscription.currency, quantity),
  })
}

export function trialLine(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): InvoiceLineBody {
  const price = priceOf(call, item)
  return newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: 0,
    period: { start: item.current_period_start, end: item.current_period_end },
    description: `Trial period for ${productName(call, price)}`,
  })
}

/** A metered item for what was used until `end`, paid afterwards. */
export function arrearsLine(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  end: number,
): InvoiceLineBody {
  const price = priceOf(call, item)
  const period = { start: item._usage_from, end }
  const meter = call.find('billing.meter', price.recurring?.meter ?? '')
  const quantity = meter === undefined ? '0' : usageIn(call, meter, customerOf(call, subscription.customer).id, period)
  return newLine({
    subscription,
    item,
    price,
    quantity,
    amount: amountFor(price, subscription.currency, quantity),
    period,
    description: described(call, price, subscription.currency, quantity),
  })
}

/** The part of a licensed item's period that is left: given back for an old item, charged for a new one. */
export function prorationLine(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  sign: 1 | -1,
): InvoiceLineBody {
  const price = priceOf(call, item)
  const { current_period_start: start, current_period_end: end } = item
  const left = share(itemAmount(call, subscription, item), Math.max(0, end - call.now), end - start)
  const what = `${quantityOf(item)} × ${productName(call, price)} after ${dayText(call.now)}`
  return newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: left === 0 ? 0 : sign * left,
    period: { start: call.now, end },
    description: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${what}`,
    proration: true,
  })
}

/** Something bought once together with a subscription. */
export function onceLine(
  call: Call,
  subscription: SubscriptionBody,
  price: PriceBody,
  quantity: number,
): InvoiceLineBody {
  return newLine({
    subscription,
    item: null,
    price,
    quantity: String(quantity),
    amount: amountFor(price, subscription.currency, String(quantity)),
    period: { start: call.now, end: call.now },
    description: `${quantity} × ${productName(call, price)}`,
  })
}

function dayText(seconds: number): string {
  return new Date(seconds * 1000).toUTCString().slice(5, 16)
}
