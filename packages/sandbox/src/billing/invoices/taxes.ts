// Taxes of invoice lines, computed per line on its amount after discounts and billing credits.
import { divideHalfUp, parseDecimal, scale } from '../../money/decimal.ts'
import type { TaxRateBody } from '../../objects/bodies.ts'
import type { InvoiceLineBody, TaxBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { netAmount } from '../pricing/discounts.ts'

/** Returns the lines with their taxes. `ratesOf` returns the ids of a line's tax rates. */
export function withTaxes(
  call: OperationContext,
  lines: readonly InvoiceLineBody[],
  ratesOf: (line: InvoiceLineBody) => readonly string[],
): InvoiceLineBody[] {
  return lines.map((line) => {
    const rates = ratesOf(line).flatMap((id) => call.find('tax_rate', id) ?? [])
    return rates.length === 0 ? line : { ...line, taxes: taxesOn(netAmount(line), rates) }
  })
}

/**
 * Computes the taxes on an amount. Inclusive taxes are part of the amount. Exclusive taxes are computed on the amount without the inclusive
 * taxes.
 */
function taxesOn(amount: number, rates: readonly TaxRateBody[]): TaxBody[] {
  const whole = 100n * scale
  const percentOf = (rate: TaxRateBody): bigint => parseDecimal(String(rate.percentage))
  const included = rates.filter((rate) => rate.inclusive).reduce((sum, rate) => sum + percentOf(rate), 0n)
  const within = rates
    .filter((rate) => rate.inclusive)
    .map((rate) => ({ rate, tax: Number(divideHalfUp(BigInt(amount) * percentOf(rate), whole + included)) }))
  const net = within.reduce((left, { tax }) => left - tax, amount)
  return rates.map((rate) => {
    const tax =
      within.find((one) => one.rate === rate)?.tax ?? Number(divideHalfUp(BigInt(net) * percentOf(rate), whole))
    return {
      amount: tax,
      tax_behavior: rate.inclusive ? 'inclusive' : 'exclusive',
      tax_rate_details: { tax_rate: rate.id },
      taxability_reason: 'not_available',
      taxable_amount: net,
      type: 'tax_rate_details',
    }
  })
}

/** Returns the sums of the taxes of all lines, one per tax rate. */
export function totalTaxes(lines: readonly InvoiceLineBody[]): TaxBody[] {
  const sums = new Map<string, TaxBody>()
  for (const tax of lines.flatMap((line) => line.taxes)) {
    const { tax_rate: rate } = tax.tax_rate_details
    const before = sums.get(rate)
    sums.set(rate, {
      ...tax,
      amount: tax.amount + (before?.amount ?? 0),
      taxable_amount: tax.taxable_amount + (before?.taxable_amount ?? 0),
    })
  }
  return [...sums.values()]
}
