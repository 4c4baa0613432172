import type { Price } from '../config/schema/schema.ts'
import { addDecimals, compareDecimals, decimalText, zero } from '../money/decimal.ts'
import { formatMinor } from '../money/format.ts'
import { flatAmountOf, unitAmountOf } from './calculate.ts'

/** Describes a price in one readable line, e.g. `€12.00 / month`, `¥500 once`, `graduated tiers from $0.00, usd / month`. */
export function describePrice(price: Price): string {
  const notes = [
    ...(price.percent_off_base === undefined ? [] : [`${price.percent_off_base}% off its base price`]),
    ...(price.usage_type === 'metered' ? [`metered: ${price.meter ?? 'no meter'}`] : []),
    ...(price.currency_options === undefined ? [] : [`also in ${Object.keys(price.currency_options).join(', ')}`]),
    ...(price.tax_included_in_price === undefined
      ? []
      : [price.tax_included_in_price ? 'tax included' : 'tax excluded']),
  ]
  return `${amountOf(price)}${periodOf(price)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

function amountOf(price: Price): string {
  const first = price.tiers?.[0]
  if (first !== undefined) {
    const firstUnit = addDecimals(unitAmountOf(first), flatAmountOf(first))
    const mode = price.tiers_mode ?? 'graduated'
    return `${mode} tiers from ${formatMinor(decimalText(firstUnit), price.currency)}, ${price.currency}`
  }
  if (price.custom_unit_amount !== undefined) return `an amount of the customer’s choice, ${price.currency}`
  if (isFree(price)) return 'free'
  return `${formatMinor(decimalText(unitAmountOf(price)), price.currency)}${packagesOf(price)}`
}

function packagesOf(price: Price): string {
  if (price.transform_quantity !== undefined) return ` per ${String(price.transform_quantity.divide_by)}`
  return price.usage_type === 'metered' ? ' per unit' : ''
}

function periodOf(price: Price): string {
  if (price.interval === undefined) return isFree(price) ? '' : ' once'
  const count = price.interval_count ?? 1
  return count === 1 ? ` / ${price.interval}` : ` / ${count} ${price.interval}s`
}

function isFree(price: Price): boolean {
  return (
    price.tiers === undefined &&
    price.custom_unit_amount === undefined &&
    compareDecimals(unitAmountOf(price), zero) === 0
  )
}
