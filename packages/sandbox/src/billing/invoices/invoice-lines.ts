// Lines of invoices: what a period, its usage, a trial or a change in its middle costs.
import { formatMinor } from '../../money/format.ts'
import type { PriceBody } from '../../objects/bodies.ts'
import type { Call } from '../../protocol/operation-context.ts'
import type {
  CreditedItems,
  DebitBody,
  InvoiceLineBody,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { newId } from '../../protocol/ids.ts'
import { dividedDown } from '../../money/decimal.ts'
import { amountFor, partsOf, pricingIn } from '../pricing/price-amounts.ts'
import type { TierPart } from '../pricing/price-amounts.ts'
import { periodAt } from '../pricing/billing-intervals.ts'
import type { Period } from '../pricing/billing-intervals.ts'
import { discountsFor, reduced, reductionsOf, remaining } from '../pricing/discounts.ts'
import { customerOf, priceOf, stepOf } from '../subscriptions/subscription-records.ts'
import { usageIn } from '../pricing/usage.ts'

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
  /** Of a proration that gives back. */
  readonly credited?: CreditedItems | null
  /** Of a tier; else that of the price. */
  readonly unitAmount?: string | null
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
    discountable: parts.proration !== true,
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
              proration_details: { credited_items: parts.credited ?? null },
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
      // The amount of a part of a period is no multiple of a unit's, and none is shown (recorded at 2026-08-26.dahlia).
      unit_amount_decimal:
        parts.proration === true
          ? null
          : (parts.unitAmount ?? pricingIn(price, subscription.currency)?.unit_amount_decimal ?? null),
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
export function advanceLines(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
): InvoiceLineBody[] {
  const period = { start: item.current_period_start, end: item.current_period_end }
  return quantityLines(call, subscription, item, quantityOf(item), period)
}

/** A quantity of an item's price: one line, or one for each tier that it reaches (docs.stripe.com/billing, tiered pricing). */
function quantityLines(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  quantity: string,
  period: Period,
): InvoiceLineBody[] {
  const price = priceOf(call, item)
  const common = { subscription, item, price, period }
  const parts = partsOf(price, subscription.currency, quantity)
  if (parts === undefined) {
    const amount = amountFor(price, subscription.currency, quantity)
    return [
      newLine({ ...common, quantity, amount, description: described(call, price, subscription.currency, quantity) }),
    ]
  }
  return parts.map((part) =>
    newLine({
      ...common,
      quantity: part.quantity,
      amount: part.amount,
      unitAmount: part.unitAmount,
      description: tierText(call, price, subscription.currency, part),
    }),
  )
}

function tierText(
  call: Call,
  price: PriceBody,
  currency: string,
  { tier, flat, quantity, unitAmount }: TierPart,
): string {
  const { interval, interval_count: count } = stepOf(price)
  const each = count === 1 ? interval : `every ${count} ${interval}s`
  const what = flat ? `Tier ${tier} flat fee` : `Tier ${tier}`
  const at = unitAmount === null ? '' : ` at ${formatMinor(unitAmount, currency)} / ${each}`
  return `${flat ? '1' : quantity} × ${productName(call, price)} (${what}${at})`
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
    // Recorded at 2026-08-26.dahlia for flexible billing; classic billing says it in the older words.
    description:
      subscription.billing_mode.type === 'flexible'
        ? `Free trial for ${quantityOf(item)} × ${productName(call, price)}`
        : `Trial period for ${productName(call, price)}`,
  })
}

/** A metered item for what was used until `end`, paid afterwards. */
export function arrearsLines(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  end: number,
): InvoiceLineBody[] {
  return meteredLines(call, subscription, item, { start: item._usage_from, end })
}

/** What was used of a metered item in a period, as far as is known. */
export function meteredLines(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  period: Period,
): InvoiceLineBody[] {
  const meter = call.find('billing.meter', priceOf(call, item).recurring?.meter ?? '')
  const quantity = meter === undefined ? '0' : usageIn(call, meter, customerOf(call, subscription.customer).id, period)
  return quantityLines(call, subscription, item, quantity, period)
}

/**
 * The part of a licensed item's period that is left: given back for an old item, charged for a new one. In flexible billing what
 * is given back is part of what was charged; in classic billing of what the item costs now (docs.stripe.com/billing/subscriptions/
 * billing-mode/compare, credit prorations). Both are rounded down, a credit away from zero (recorded at 2026-08-26.dahlia: a third of 10.00 and of 20.00 is −334 and 666). Discounts that run are
 * in the amount already (`proration_discounts: included`), so none applies to the line. One for a single invoice that is still
 * there has taken nothing yet: it waits for a line that it can be taken off.
 */
export function prorationLine(
  call: Call,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  sign: 1 | -1,
): InvoiceLineBody {
  const price = priceOf(call, item)
  const charged = sign < 0 && subscription.billing_mode.type === 'flexible' ? item._debited : undefined
  const { amount: whole, start, end } = charged ?? costOfPeriod(call, subscription, item)
  const seconds = BigInt(Math.max(0, end - Math.max(start, call.now)))
  const left = Number(dividedDown(BigInt(sign * whole) * seconds, BigInt(Math.max(1, end - start))))
  const counted = quantityOf(item) === '1' ? '' : `${quantityOf(item)} × `
  const what = `${counted}${productName(call, price)} after ${dayText(call.now)}`
  return newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: left === 0 ? 0 : left,
    period: { start: call.now, end },
    description: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${what}`,
    proration: true,
    credited: sign < 0 ? creditedBy(call, subscription, item) : null,
  })
}

/** What charged last for the period of an item that runs; null while that waits for an invoice, or was never billed. */
function creditedBy(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): CreditedItems | null {
  const charges = ({ amount, parent, period }: InvoiceLineBody): boolean =>
    amount > 0 &&
    parent.subscription_item_details?.subscription_item === item.id &&
    period.end === item.current_period_end
  if (subscription._pending.some(charges)) return null
  const conditions = [{ field: 'parent.subscription_details.subscription', is: subscription.id }]
  for (const { id, lines, status } of call.select('invoice', conditions)) {
    const charging = status === 'void' ? [] : lines.data.filter(charges)
    if (charging.length > 0) return { invoice: id, invoice_line_items: charging.map((line) => line.id) }
  }
  return null
}

/** A licensed item that ends in the middle of its first period: that part of its price, rounded down. */
export function partLine(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): InvoiceLineBody {
  const price = priceOf(call, item)
  const { current_period_start: start, current_period_end: end } = item
  const whole = periodAt(item._anchor, stepOf(price), start)
  const full = BigInt(amountFor(price, subscription.currency, quantityOf(item)))
  const counted = quantityOf(item) === '1' ? '' : `${quantityOf(item)} × `
  return newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: Number(dividedDown(full * BigInt(end - start), BigInt(whole.end - whole.start))),
    period: { start, end },
    description: `Remaining time on ${counted}${productName(call, price)} after ${dayText(start)}`,
    proration: true,
  })
}

/** What an item costs for its period as things are. */
function costOfPeriod(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): DebitBody {
  // An item that was added in the middle of a period has paid for the rest of it only; the whole is that of its price.
  const start = Math.min(item.current_period_start, periodAt(item._anchor, stepOf(priceOf(call, item)), call.now).start)
  const paid = reduced(
    advanceLines(call, subscription, item),
    [...reductionsOf(call, item.discounts), ...reductionsOf(call, discountsFor(call, subscription))].filter(
      ({ coupon }) => coupon.duration !== 'once',
    ),
  )
  return { amount: paid.reduce((sum, line) => sum + remaining(line), 0), start, end: item.current_period_end }
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
