// Totals of an invoice, computed from its lines.
import type { InvoiceBody, InvoiceLineBody } from '../../objects/customer-bodies.ts'
import { totalTaxes } from './taxes.ts'

export type Sums = Pick<
  InvoiceBody,
  'subtotal' | 'total' | 'total_discount_amounts' | 'total_excluding_tax' | 'subtotal_excluding_tax' | 'total_taxes'
>

/**
 * Computes the totals. `ofItems` contains the discounts of single items; `subtotal` is the amount after these. Source: the SDK's
 * documentation of `subtotal`.
 */
export function totals(lines: readonly InvoiceLineBody[], ofItems: ReadonlySet<string>): Sums {
  const byDiscount = new Map<string, number>()
  for (const { amount, discount } of lines.flatMap((line) => line.discount_amounts)) {
    byDiscount.set(discount, (byDiscount.get(discount) ?? 0) + amount)
  }
  const whole = lines.reduce((sum, line) => sum + line.amount, 0)
  const off = [...byDiscount.values()].reduce((sum, amount) => sum + amount, 0)
  const offItems = [...byDiscount].reduce((sum, [discount, amount]) => sum + (ofItems.has(discount) ? amount : 0), 0)
  const subtotal = whole - offItems
  const taxes = totalTaxes(lines)
  const sumOf = (behavior: string): number =>
    taxes.filter((tax) => tax.tax_behavior === behavior).reduce((sum, tax) => sum + tax.amount, 0)
  return {
    subtotal,
    subtotal_excluding_tax: subtotal - sumOf('inclusive'),
    total: whole - off + sumOf('exclusive'),
    total_discount_amounts: [...byDiscount].map(([discount, amount]) => ({ amount, discount })),
    total_excluding_tax: whole - off - sumOf('inclusive'),
    total_taxes: taxes,
  }
}
