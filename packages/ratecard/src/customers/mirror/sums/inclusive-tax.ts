// Computes which share of an item's amount remains without the inclusive taxes (taxes that the amount already contains).
import { parseDecimal } from '../../../base/money/decimal.ts'
import { addFractions, divideFractions, fraction, fractionOfDecimal } from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import type { MirroredInvoice, MirroredItem, MirroredSubscription } from '../../../processor/mirrored.ts'
import { isBilled } from './usage.ts'

/**
 * Returns the share that remains without inclusive taxes, e.g. 100/119 with an inclusive rate of 19 %. If the processor computes the taxes
 * (automatic tax), uses the share in the item's last billed period, and 1 before the first period.
 */
export function netShare(
  { id, inclusiveTaxPercent }: Pick<MirroredItem, 'id' | 'inclusiveTaxPercent'>,
  { automaticTax }: Pick<MirroredSubscription, 'automaticTax'>,
  invoices: readonly MirroredInvoice[],
): Fraction {
  if (inclusiveTaxPercent !== '0') {
    const percent = fractionOfDecimal(parseDecimal(inclusiveTaxPercent))
    return divideFractions(fraction(100), addFractions(fraction(100), percent))
  }
  return automaticTax ? billedNetShare(id, invoices) : fraction(1)
}

function billedNetShare(item: string, invoices: readonly MirroredInvoice[]): Fraction {
  const lines = invoices
    .filter(isBilled)
    .flatMap((invoice) => invoice.lines)
    .filter((line) => line.subscriptionItem === item && !line.proration)
  const last = Math.max(...lines.map(({ periodEnd }) => periodEnd))
  let gross = 0
  let tax = 0
  for (const { amount, discount, inclusiveTax, periodEnd } of lines) {
    if (periodEnd !== last) continue
    gross += amount - discount
    tax += inclusiveTax
  }
  return gross > 0 ? divideFractions(fraction(gross - tax), fraction(gross)) : fraction(1)
}
