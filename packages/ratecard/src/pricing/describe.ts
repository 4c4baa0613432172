import type { Price } from '../config/schema.ts'
import { addDecimals, decimalFromInteger, decimalText } from '../money/decimal.ts'
import { formatMinor } from '../money/format.ts'
import { unitAmountOf } from './calculate.ts'

/** The price on one line, as people read it: `€12.00 / month`, `¥500 once`, `graduated tiers from $0.00, usd / month`. */
export function describePrice(price: Price): string {
  const notes = [
    ...(price.usage_type === 'metered' ? [`metered: ${price.meter ?? 'no meter'}`] : []),
    ...(price.tax_included_in_price === undefined
      ? []
      : [price.tax_included_in_price ? 'tax included' : 'tax excluded']),
  ]
  return `${amountOf(price)}${periodOf(price)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

function amountOf(price: Price): string {
  const first = price.tiers?.[0]
  if (first !== undefined) {
    const firstUnit = addDecimals(unitAmountOf(first), decimalFromInteger(first.flat_amount ?? 0))
    const mode = price.tiers_mode ?? 'graduated'
    return `${mode} tiers from ${formatMinor(decimalText(firstUnit), price.currency)}, ${price.currency}`
  }
  const unit = decimalText(unitAmountOf(price))
  if (unit === '0') return 'free'
  return `${formatMinor(unit, price.currency)}${price.usage_type === 'metered' ? ' per unit' : ''}`
}

function periodOf(price: Price): string {
  if (price.interval === undefined) return ' once'
  const count = price.interval_count ?? 1
  return count === 1 ? ` / ${price.interval}` : ` / ${count} ${price.interval}s`
}
