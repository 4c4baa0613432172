// Amounts of an invoice line: discounts and taxes.
import type { Stripe } from 'stripe'
import { requireInteger, listOf, type Untrusted } from '../connection/reading.ts'

export interface TaxReply {
  readonly amount?: number | null | undefined
  readonly tax_behavior?: unknown
  readonly inclusive?: unknown
}

interface LineAmounts {
  /** Amount before discounts. It contains the inclusive taxes. */
  readonly amount: number
  readonly discount: number
  readonly inclusiveTax: number
  /** Taxes that are added to the amount. */
  readonly addedTax: number
}

export function lineAmounts(line: Untrusted<Stripe.InvoiceLineItem>): LineAmounts {
  const taxes = taxesOf(line)
  const inclusiveTax = sum(taxes.filter(isInclusive), 'tax of a line')
  return {
    amount: requireInteger(line.amount, 'amount of a line'),
    discount: sum(listOf(line.discount_amounts), 'discount of a line'),
    inclusiveTax,
    addedTax: sum(taxes, 'tax of a line') - inclusiveTax,
  }
}

/** Returns the sum of the amounts of discounts or taxes. */
export function sum(parts: readonly { readonly amount?: number | null | undefined }[], member: string): number {
  return parts.reduce((total, part) => total + requireInteger(part.amount, `amount of a ${member}`), 0)
}

/** API versions before 2025 have `tax_amounts` in place of `taxes`, with a boolean `inclusive` in each. */
function taxesOf(line: Untrusted<Stripe.InvoiceLineItem>): readonly TaxReply[] {
  return listOf((line.taxes ?? formerList(line, 'tax_amounts')) as readonly TaxReply[] | null)
}

export function isInclusive(tax: TaxReply): boolean {
  return tax.tax_behavior === 'inclusive' || tax.inclusive === true
}

/** Returns a member of a former API version. */
export function formerList(said: object, member: string): unknown {
  return (said as Readonly<Record<string, unknown>>)[member] ?? null
}
