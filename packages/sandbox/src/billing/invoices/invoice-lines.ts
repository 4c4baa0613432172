// Invoice lines: the cost of a period, of usage, of a trial, or of a change in mid-period (proration).
import { formatMinor } from '../../money/format.ts'
import type { PriceBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  CreditedItems,
  DebitBody,
  DiscountAmountBody,
  InvoiceLineBody,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'
import { divideDown } from '../../money/decimal.ts'
import { amountFor, partsOf, pricingIn, type TierPart } from '../pricing/price-amounts.ts'
import { periodAt, type Period } from '../pricing/billing-intervals.ts'
import {
  applyReductions,
  discountedAmount,
  discountsFor,
  isItemDiscount,
  partOfDiscounts,
  reductionsOf,
  summedByDiscount,
} from '../pricing/discounts.ts'
import { customerOf, priceOf, intervalOf } from '../subscriptions/subscription-records.ts'
import { usageIn } from '../pricing/usage.ts'

interface LineParts {
  readonly subscription: { readonly id: string; readonly currency: string; readonly metadata?: Metadata }
  /** The subscription item that the line bills. Null for a one-time purchase. */
  readonly item: SubscriptionItemBody | null
  readonly price: PriceBody
  readonly amount: number
  readonly quantity: string
  readonly period: Period
  readonly description: string
  readonly proration?: boolean
  /** The earlier invoice lines that this line credits. Set only on prorations. */
  readonly credited?: CreditedItems | null
  /** Unit amount of the tier that the line bills. Default: the unit amount of the price. */
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
    metadata: metadataOf(parts),
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
      // `unit_amount_decimal` of a proration is null, because the amount is no multiple of a unit amount. Source: the real API at version
      // 2026-08-26.dahlia.
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

/** Returns the metadata of a line: those of the subscription. Source: the SDK's documentation of `metadata`; a recording shows the same. */
function metadataOf({ item, proration, subscription }: LineParts): Metadata {
  if (item === null) return {}
  return proration === true ? item.metadata : (subscription.metadata ?? {})
}

function productName(call: OperationContext, price: PriceBody): string {
  return (call.find('product', price.product) ?? call.findDeleted('product', price.product))?.name ?? price.product
}

function lineDescription(call: OperationContext, price: PriceBody, currency: string, quantity: string): string {
  const name = `${quantity} × ${productName(call, price)}`
  const unit = pricingIn(price, currency)?.unit_amount_decimal
  if (unit === undefined || unit === null || price.recurring === null) return name
  const { interval, interval_count: count } = price.recurring
  return `${name} (at ${formatMinor(unit, currency)} / ${count === 1 ? interval : `every ${count} ${interval}s`})`
}

export function quantityOf(item: SubscriptionItemBody): string {
  return String(item.quantity ?? 1)
}

export function itemAmount(call: OperationContext, subscription: SubscriptionBody, item: SubscriptionItemBody): number {
  return amountFor(priceOf(call, item), subscription.currency, quantityOf(item))
}

/** Returns the lines that bill a licensed item in advance for its current period. */
export function advanceLines(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
): InvoiceLineBody[] {
  const period = { start: item.current_period_start, end: item.current_period_end }
  return quantityLines(call, subscription, item, quantityOf(item), period)
}

/**
 * Returns the lines that bill a quantity of an item: one line or, for a tiered price, one line per part of a tier (its units or its flat
 * fee). Source: docs.stripe.com/billing, tiered pricing.
 */
function quantityLines(
  call: OperationContext,
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
      newLine({
        ...common,
        quantity,
        amount,
        description: lineDescription(call, price, subscription.currency, quantity),
      }),
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
  call: OperationContext,
  price: PriceBody,
  currency: string,
  { tier, flat, quantity, unitAmount }: TierPart,
): string {
  const { interval, interval_count: count } = intervalOf(price)
  const each = count === 1 ? interval : `every ${count} ${interval}s`
  const what = flat ? `Tier ${tier} flat fee` : `Tier ${tier}`
  const at = unitAmount === null ? '' : ` at ${formatMinor(unitAmount, currency)} / ${each}`
  return `${flat ? '1' : quantity} × ${productName(call, price)} (${what}${at})`
}

export function trialLine(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
): InvoiceLineBody {
  const price = priceOf(call, item)
  return newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: 0,
    period: { start: item.current_period_start, end: item.current_period_end },
    // Flexible billing has the first text, classic billing the second (older) one. Source of the first: the real API at version
    // 2026-08-26.dahlia.
    description:
      subscription.billing_mode.type === 'flexible'
        ? `Free trial for ${quantityOf(item)} × ${productName(call, price)}`
        : `Trial period for ${productName(call, price)}`,
  })
}

/** Returns the lines that bill a metered item's unbilled usage until `end` (seconds), in arrears. */
export function arrearsLines(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  end: number,
): InvoiceLineBody[] {
  return meteredLines(call, subscription, item, { start: item._usage_from, end })
}

/** Returns the lines that bill the usage of a metered item in a period, as reported until now. */
export function meteredLines(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  period: Period,
): InvoiceLineBody[] {
  const meter = call.find('billing.meter', priceOf(call, item).recurring?.meter ?? '')
  const quantity = meter === undefined ? '0' : usageIn(call, meter, customerOf(call, subscription.customer).id, period)
  return quantityLines(call, subscription, item, quantity, period)
}

/**
 * Returns the proration of a licensed item for the rest of its period: a credit for an old item (`sign` −1) or a charge for a new item. In
 * flexible billing a credit is a share of the amount that was charged. In classic billing it is a share of the item's current cost.
 *
 * The running discounts are already taken off, so the line is not discountable. With `proration_discounts: included` its amount is the one
 * after discounts; with `itemized` it is the one before them, and the line lists what each discount takes off. An unused `once` discount is
 * left out; it stays for a discountable line. Amounts are rounded down, so a credit rounds away from zero: a third of −10.00 is −334 cents,
 * a third of 20.00 is 666.
 *
 * Sources: docs.stripe.com/billing/subscriptions/billing-mode/compare (credit prorations), the changelog of 2025-09-30.clover (itemized
 * discounts), and the real API at version 2026-08-26.dahlia (rounding).
 */
export function prorationLine(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  sign: 1 | -1,
): InvoiceLineBody {
  const price = priceOf(call, item)
  const charged = sign < 0 && subscription.billing_mode.type === 'flexible' ? item._debited : undefined
  const { amount: net, discounts = [], start, end } = charged ?? costOfPeriod(call, subscription, item)
  const until = charged === undefined ? item.current_period_end : end
  const seconds = BigInt(Math.max(0, until - Math.max(start, call.now)))
  const left = (whole: number): number =>
    Number(divideDown(BigInt(sign * whole) * seconds, BigInt(Math.max(1, end - start))))
  const gross = discounts.reduce((sum, { amount }) => sum + amount, net)
  const off = partOfDiscounts(left(gross) - left(net), discounts)
  const counted = quantityOf(item) === '1' ? '' : `${quantityOf(item)} × `
  const what = `${counted}${productName(call, price)} after ${dayText(call.now)}`
  const line = newLine({
    subscription,
    item,
    price,
    quantity: quantityOf(item),
    amount: left(net),
    period: { start: call.now, end: until },
    description: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${what}`,
    proration: true,
    credited: sign < 0 ? creditedBy(call, subscription, item) : null,
  })
  return withProratedDiscounts(call, subscription, line, off)
}

/**
 * Returns the proration with the discounts that its amount is reduced by. With `included` a line lists only those of the whole invoice, with
 * the amount 0. Source: the changelog of 2025-09-30.clover.
 */
function withProratedDiscounts(
  call: OperationContext,
  { billing_mode: { flexible } }: SubscriptionBody,
  line: InvoiceLineBody,
  off: DiscountAmountBody[],
): InvoiceLineBody {
  if (flexible === null || off.length === 0) return line
  const discounted = { ...line, _prorated_discounts: off }
  if (flexible.proration_discounts === 'included') {
    const shared = off.filter(({ discount }) => !isItemDiscount(call, discount))
    return { ...discounted, discount_amounts: shared.map(({ discount }) => ({ amount: 0, discount })) }
  }
  const gross = off.reduce((sum, { amount }) => sum + amount, line.amount)
  return {
    ...discounted,
    amount: gross,
    discount_amounts: off,
    pretax_credit_amounts: off.map((taken) => ({ ...taken, type: 'discount' as const })),
    subtotal: gross,
  }
}

/**
 * Returns the invoice lines that last charged for the item's current period. Null if that charge is not invoiced yet, or if there is none.
 */
function creditedBy(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
): CreditedItems | null {
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

/** Returns the cost of an item for its current period, after discounts. */
function costOfPeriod(call: OperationContext, subscription: SubscriptionBody, item: SubscriptionItemBody): DebitBody {
  // An item that was added in mid-period was charged only for the rest of the period. Its price is for a whole period, so this computes
  // with the start of the whole period.
  const start = Math.min(
    item.current_period_start,
    periodAt(item._anchor, intervalOf(priceOf(call, item)), call.now).start,
  )
  const paid = applyReductions(
    advanceLines(call, subscription, item),
    [...reductionsOf(call, item.discounts), ...reductionsOf(call, discountsFor(call, subscription))].filter(
      ({ coupon }) => coupon.duration !== 'once',
    ),
  )
  const end = item._whole_end ?? item.current_period_end
  const discounts = summedByDiscount(paid.flatMap((line) => line.discount_amounts))
  return { amount: paid.reduce((sum, line) => sum + discountedAmount(line), 0), discounts, start, end }
}

/** Returns the line of a one-time purchase that is billed together with a subscription. */
export function oneTimeLine(
  call: OperationContext,
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
