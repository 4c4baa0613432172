// Compares the amounts of a price before and after a change. The costs are compared per month, exactly, for each currency and for several
// quantities.
import type { Price } from '../schema/schema.ts'
import { compareFractions, fractionOfDecimal, multiplyFractions, type Fraction } from '../../base/money/fraction.ts'
import { currenciesOf, exactAmount, inCurrency } from './calculate.ts'
import { monthFactor } from './month.ts'

/** Cost of one quantity before and after the change, in minor units per month. For a one-time price it is the total cost. */
export interface AmountChange {
  readonly currency: string
  readonly quantity: number
  readonly before: Fraction
  readonly after: Fraction
}

/**
 * The largest rise and the largest fall of a price in one currency, relative to the cost before. A member is null if there is no rise (or
 * no fall).
 */
export interface CurrencyChange {
  readonly rise: AmountChange | null
  readonly fall: AmountChange | null
}

/**
 * Returns one entry for each currency that the price has both before and after. Empty if the costs cannot be compared: one price is
 * one-time and the other recurring, or the customer chooses the amount.
 */
export function compareAmounts(before: Price, after: Price): readonly CurrencyChange[] {
  if ((before.interval === undefined) !== (after.interval === undefined)) return []
  if (before.custom_unit_amount !== undefined || after.custom_unit_amount !== undefined) return []
  const kept = currenciesOf(after).filter((currency) => currenciesOf(before).includes(currency))
  return kept.map((currency) => {
    const [was, is] = [inCurrency(before, currency), inCurrency(after, currency)]
    const changes = quantitiesOf(was, is).map((quantity) => ({
      currency,
      quantity,
      before: monthlyCost(was, quantity),
      after: monthlyCost(is, quantity),
    }))
    return largestChanges(changes)
  })
}

/** Returns the largest rise and the largest fall of several changes in one currency. */
export function largestChanges(changes: readonly AmountChange[]): CurrencyChange {
  return {
    rise: largestChange(changes.filter((change) => compareFractions(change.after, change.before) > 0)),
    fall: largestChange(changes.filter((change) => compareFractions(change.after, change.before) < 0)),
  }
}

function monthlyCost(price: Price, quantity: number): Fraction {
  const exact = fractionOfDecimal(exactAmount(price, quantity))
  return price.interval === undefined
    ? exact
    : multiplyFractions(exact, monthFactor(price.interval, price.interval_count ?? 1))
}

/**
 * Returns the quantities at which the costs of two prices can differ most. They are the first and the last unit of each tier or package,
 * and a quantity far into the last tier.
 */
function quantitiesOf(before: Price, after: Price): readonly number[] {
  const bounds = [before, after].flatMap(({ tiers = [], transform_quantity: packages }) => [
    ...tiers.flatMap(({ up_to: last }) => (last === 'inf' ? [] : [last, last + 1])),
    ...(packages === undefined ? [] : [packages.divide_by, packages.divide_by + 1]),
  ])
  const tiered = before.tiers !== undefined || after.tiers !== undefined
  const far = Math.max(1, ...bounds) * 100
  return [...new Set([1, ...bounds, ...(tiered || bounds.length > 0 ? [far] : [])])].sort((a, b) => a - b)
}

/** Returns the change with the largest factor between the two costs. A rise from zero counts as larger than any other rise. */
function largestChange(changes: readonly AmountChange[]): AmountChange | null {
  let found: AmountChange | null = null
  for (const change of changes) if (found === null || isLarger(change, found)) found = change
  return found
}

function isLarger(one: AmountChange, other: AmountChange): boolean {
  const product = (a: Fraction, b: Fraction) => multiplyFractions(a, b)
  const order = compareFractions(product(one.after, other.before), product(other.after, one.before))
  return compareFractions(one.after, one.before) > 0 ? order > 0 : order < 0
}
