import type { Price, Tier } from '../schema/schema.ts'
import { compareDecimals, decimalText, zero } from '../../base/money/decimal.ts'
import { formatMinor } from '../../base/money/format.ts'
import { currenciesOf, flatAmountOf, inCurrency, unitAmountOf } from './calculate.ts'

/**
 * Describes a price in one readable line with all its amounts, e.g. `€12.00 / month (also $13.00)`, `¥500 once`,
 * `graduated: up to 10 $5.00, then $4.00 / month`.
 */
export function describePrice(price: Price): string {
  const { attached_prices: attached = [], grants_credit: credit } = price
  const notes = [
    ...(price.percent_off_base === undefined ? [] : [`${price.percent_off_base}% off its base price`]),
    ...(price.usage_type === 'metered' ? [`metered: ${price.meter ?? 'no meter'}`] : []),
    ...otherCurrencies(price),
    ...(attached.length === 0 ? [] : [`sold with ${attached.join(', ')}`]),
    ...(credit === undefined
      ? []
      : [`grants ${formatMinor(String(credit.amount), credit.currency ?? price.currency)} of credit`]),
    ...(price.tax_included_in_price === undefined
      ? []
      : [price.tax_included_in_price ? 'tax included' : 'tax excluded']),
  ]
  return `${amountOf(price)}${periodOf(price)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

function amountOf(price: Price): string {
  if (price.tiers !== undefined) return `${price.tiers_mode ?? 'graduated'}: ${tiersOf(price.tiers, price.currency)}`
  if (price.custom_unit_amount !== undefined) return `an amount of the customer’s choice, ${price.currency}`
  if (isFree(price)) return 'free'
  return `${formatMinor(decimalText(unitAmountOf(price)), price.currency)}${packagesOf(price)}`
}

/** Most tiers that a line shows: 12. */
const shownTiers = 12

/** Returns e.g. `up to 10 $5.00, up to 100 $4.00 + $10.00 flat, then $3.00`. */
function tiersOf(tiers: readonly Tier[], currency: string): string {
  const shown = tiers.slice(0, shownTiers).map((tier) => {
    const bound = tier.up_to === 'inf' ? (tiers.length === 1 ? '' : 'then ') : `up to ${String(tier.up_to)} `
    return `${bound}${tierAmount(tier, currency)}`
  })
  return [...shown, ...(tiers.length > shownTiers ? [`and ${String(tiers.length - shownTiers)} more`] : [])].join(', ')
}

function tierAmount(tier: Tier, currency: string): string {
  const [unit, flat] = [unitAmountOf(tier), flatAmountOf(tier)]
  const text = (amount: typeof unit) => formatMinor(decimalText(amount), currency)
  if (compareDecimals(flat, zero) === 0) return text(unit)
  return compareDecimals(unit, zero) === 0 ? `${text(flat)} flat` : `${text(unit)} + ${text(flat)} flat`
}

/**
 * Returns the amounts in additional currencies, e.g. `also $13.00, £11.00`, or for a price with tiers `also up to 10 $5.00, then $4.00`.
 */
function otherCurrencies(price: Price): readonly string[] {
  const others = currenciesOf(price).slice(1)
  if (others.length === 0) return []
  const amounts = others.map((currency) => {
    const own = inCurrency(price, currency)
    return own.tiers === undefined
      ? formatMinor(decimalText(unitAmountOf(own)), currency)
      : tiersOf(own.tiers, currency)
  })
  return [`also ${amounts.join(price.tiers === undefined ? ', ' : '; ')}`]
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
