// Converts refunds, credit notes, customers and prices for the mirror.
import { markOf } from '../customers/customers.ts'
import type { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type {
  MirroredAmounts,
  MirroredCreditNote,
  MirroredCustomer,
  MirroredDiscount,
  MirroredPrice,
  MirroredRefund,
} from '../../mirrored.ts'
import {
  formerMember,
  idIn,
  idOf,
  requireInteger,
  requireMilliseconds,
  requiredList,
  text,
  requireWord,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import { observedAmount } from '../kinds/amounts.ts'
import { sum } from '../subscriptions/invoice-lines.ts'
import { inclusiveTaxOf, taxOf } from './mirrored-invoice.ts'

/**
 * Converts a refund. Like all functions of this file, it throws a plain error with the name of the member if a member is missing or
 * malformed.
 */
export function mirroredRefund(said: UntrustedReply<Stripe.Refund>): MirroredRefund {
  return {
    id: said.id,
    payments: [idIn(said.payment_intent), idIn(said.charge)].filter((id) => id !== null),
    customer: idIn(said.customer),
    currency: text(said.currency, 'currency'),
    amount: requireInteger(said.amount, 'amount'),
    status: requireWord(['pending', 'requires_action', 'succeeded', 'failed', 'canceled'], said.status, 'status'),
    createdAt: requireMilliseconds(said.created, 'created'),
  }
}

export function mirroredCreditNote(said: UntrustedReply<Stripe.CreditNote>): MirroredCreditNote {
  return {
    id: said.id,
    number: said.number ?? null,
    invoice: idOf(said.invoice, 'invoice'),
    customer: idIn(said.customer),
    status: requireWord(['issued', 'void'], said.status, 'status'),
    currency: text(said.currency, 'currency'),
    createdAt: requireMilliseconds(said.created, 'created'),
    subtotal: requireInteger(said.subtotal, 'subtotal'),
    discount: said.discount_amount ?? sum((said.discount_amounts ?? []) as { amount?: number }[], 'discount'),
    tax: taxOf(said),
    taxIncluded: inclusiveTaxOf(said),
    total: requireInteger(said.total, 'total'),
  }
}

/** Converts a customer. `discount` is the discount of the customer itself, with the terms of its coupon. */
export function mirroredCustomer(
  said: UntrustedReply<Stripe.Customer | Stripe.DeletedCustomer>,
  discount: MirroredDiscount | null,
): MirroredCustomer {
  const id = processorId(said.id)
  if (said.deleted === true) return { id, balance: {}, deleted: true, tenant: null, testClock: null, discount: null }
  const { balance, currency, test_clock: clock } = said as UntrustedReply<Stripe.Customer>
  const others = formerMember(said, 'invoice_credit_balance')
  return {
    id,
    balance: balanceOf(balance, currency, others),
    deleted: false,
    tenant: markOf(said as UntrustedReply<Stripe.Customer>),
    testClock: idIn(clock),
    discount,
  }
}

/**
 * Returns the customer's balances that are not zero, by currency. `invoice_credit_balance` contains all currencies, `balance` only the
 * default currency.
 */
function balanceOf(
  balance: number | null | undefined,
  currency: string | null | undefined,
  others: unknown,
): Readonly<Record<string, number>> {
  const all: [string, number][] =
    typeof others === 'object' && others !== null ? Object.entries(others as Record<string, number>) : []
  const own: [string, number][] = currency && balance ? [[currency, requireInteger(balance, 'balance')]] : []
  return Object.fromEntries([...own, ...all].filter(([, amount]) => amount !== 0))
}

export const priceExpand = ['tiers', 'currency_options', 'currency_options.tiers'] as const

/** Converts a recurring price; returns null for a one-time price. */
export function mirroredPrice(said: UntrustedReply<Stripe.Price>): MirroredPrice | null {
  const { recurring, transform_quantity: packages } = said
  if (recurring === null || recurring === undefined) return null
  const currency = text(said.currency, 'currency')
  const tiered = requireWord(['per_unit', 'tiered'], said.billing_scheme, 'billing_scheme') === 'tiered'
  const others = Object.entries((said.currency_options ?? {}) as Record<string, AmountsReply>)
  return {
    id: processorId(said.id),
    product: idOf(said.product, 'product'),
    currency,
    interval: requireWord(['day', 'week', 'month', 'year'], recurring.interval, 'interval'),
    intervalCount: requireInteger(recurring.interval_count, 'interval_count'),
    usageType: requireWord(['licensed', 'metered'], recurring.usage_type, 'usage_type'),
    tiersMode: tiered ? requireWord(['graduated', 'volume'], said.tiers_mode, 'tiers_mode') : null,
    transformQuantity: packages
      ? {
          divideBy: requireInteger(packages.divide_by, 'transform_quantity.divide_by'),
          round: requireWord(['up', 'down'], packages.round, 'transform_quantity.round'),
        }
      : null,
    amounts: Object.fromEntries([
      ...others.map(([name, option]) => [name, amountsOf(option, tiered)] as const),
      [currency, amountsOf(said as AmountsReply, tiered)],
    ]),
  }
}

type AmountsReply = Untrusted<Pick<Stripe.Price, 'unit_amount' | 'unit_amount_decimal' | 'tiers'>>

function amountsOf(said: AmountsReply, tiered: boolean): MirroredAmounts {
  const exact = (whole: number | null | undefined, decimal: unknown) =>
    observedAmount(whole ?? null, (decimal as Stripe.Decimal | null | undefined) ?? null)
  if (!tiered) return { unitAmount: exact(said.unit_amount, said.unit_amount_decimal), tiers: null }
  return {
    unitAmount: null,
    tiers: requiredList(said.tiers, 'tiers').map((tier) => ({
      upTo: tier.up_to ?? null,
      unitAmount: exact(tier.unit_amount, tier.unit_amount_decimal),
      flatAmount: exact(tier.flat_amount, tier.flat_amount_decimal),
    })),
  }
}
