// Totals of an invoice, computed from its lines.
import type { InvoiceBody, InvoiceLineBody } from '../../objects/customer-bodies.ts'
import { netAmount, summedByDiscount } from '../pricing/discounts.ts'
import { totalTaxes } from './taxes.ts'

export type Sums = Pick<
  InvoiceBody,
  | 'subtotal'
  | 'subtotal_excluding_tax'
  | 'total'
  | 'total_discount_amounts'
  | 'total_excluding_tax'
  | 'total_pretax_credit_amounts'
  | 'total_taxes'
>

/**
 * Computes the totals. `isOfItem` is true for the discounts of single items; `subtotal` is the amount after these discounts. Source: the
 * SDK's documentation of `subtotal`.
 */
export function totals(lines: readonly InvoiceLineBody[], isOfItem: (discount: string) => boolean): Sums {
  // A proration with `proration_discounts: included` lists its discounts with the amount 0. They are not part of the totals.
  const taken = lines.flatMap((line) => line.discount_amounts.filter(({ amount }) => amount !== 0))
  const totalDiscounts = summedByDiscount(taken)
  const whole = lines.reduce((sum, line) => sum + line.amount, 0)
  const credits = lines.flatMap((line) => line.pretax_credit_amounts.filter(({ type }) => type !== 'discount'))
  const net = lines.reduce((sum, line) => sum + netAmount(line), 0)
  const offItems = totalDiscounts.reduce((sum, { amount, discount }) => sum + (isOfItem(discount) ? amount : 0), 0)
  const subtotal = whole - offItems
  const taxes = totalTaxes(lines)
  const sumOf = (behavior: string): number =>
    taxes.filter((tax) => tax.tax_behavior === behavior).reduce((sum, tax) => sum + tax.amount, 0)
  return {
    subtotal,
    subtotal_excluding_tax: subtotal - sumOf('inclusive'),
    total: net + sumOf('exclusive'),
    total_discount_amounts: totalDiscounts,
    total_excluding_tax: net - sumOf('inclusive'),
    total_pretax_credit_amounts: [...totalDiscounts.map((one) => ({ ...one, type: 'discount' as const })), ...credits],
    total_taxes: taxes,
  }
}
