// Warns if the base price of a negotiated price in fixed amounts changes. The customer's discount then changes, although the deal was not
// edited. A negotiated price in per cent (`percent_off_base`) follows its base price; the plan lists it as a change.
import type { Issue } from '../../base/errors/issue.ts'
import { decimalFromInteger, decimalText, divideByInteger, parseDecimal } from '../../base/money/decimal.ts'
import {
  compareFractions,
  divideFractions,
  fraction,
  fractionOfDecimal,
  multiplyFractions,
  roundFraction,
  subtractFractions,
} from '../../base/money/fraction.ts'
import type { Fraction } from '../../base/money/fraction.ts'
import { deepEqual } from '../fields/differences.ts'
import { configId } from '../kinds.ts'
import type { DesiredResource } from '../resource.ts'
import { planWarning, type PlanState } from './state.ts'

type PriceFields = DesiredResource<'price'>['fields']

/** Returns one warning for each negotiated price in fixed amounts whose difference from its base price would change. */
export function movedDeals(state: PlanState): Issue[] {
  return state.desired.price.flatMap((deal) => {
    const { base_price: base, percent_off_base: percent } = deal.ours
    if (typeof base !== 'string' || percent !== undefined) return []
    const before = fieldsIn(state.known, deal.configId)
    const baseBefore = fieldsIn(state.known, configId(base))
    const baseNow = fieldsIn(state.wanted, configId(base))
    if (before === null || baseBefore === null || baseNow === null) return []
    const [was, is] = [distanceText(before, baseBefore), distanceText(deal.fields, baseNow)]
    if (deepEqual(amountsOf(baseBefore), amountsOf(baseNow)) || was === is) return []
    const line = state.display('update', 'price', configId(base))
    const detail = `The base price "${base}" of "${deal.configId}" goes from ${line.before ?? 'nothing'} to ${line.after ?? 'nothing'}. "${deal.configId}" was ${was} and is ${is} then.`
    return [
      planWarning(
        state,
        deal,
        'deal_moved',
        detail,
        'Change its amount too, or set `percent_off_base`, so that it follows the base price.',
      ),
    ]
  })
}

function fieldsIn(resources: PlanState['known'], id: DesiredResource['configId']): PriceFields | null {
  return (resources.get('price', id) as DesiredResource<'price'> | undefined)?.fields ?? null
}

/** Returns all amounts of a price in a fixed order: its own amount, the amounts of its tiers, then those in other currencies. */
function amountsOf({ unitAmount, tiers, currencyOptions }: PriceFields): readonly (readonly [string, string])[] {
  const options = Object.entries(currencyOptions).sort(([one], [other]) => (one < other ? -1 : 1))
  return [['', { unitAmount, tiers }] as const, ...options].flatMap(([currency, sold]) => [
    ...(sold.unitAmount === null ? [] : [[currency, sold.unitAmount] as const]),
    ...(sold.tiers ?? []).flatMap((tier) => [
      [`${currency} ${String(tier.upTo)} unit`, tier.unitAmount ?? '0'] as const,
      [`${currency} ${String(tier.upTo)} flat`, tier.flatAmount ?? '0'] as const,
    ]),
  ])
}

const hundred = fraction(100)

/**
 * Returns the difference between a deal and its base price as text, e.g. `20% below it`, or `10% to 20% below it` if the percentage differs
 * between the amounts.
 */
function distanceText(deal: PriceFields, base: PriceFields): string {
  const listed = new Map(amountsOf(base))
  const pairs = amountsOf(deal).map(([at, amount]) => [amount, listed.get(at)] as const)
  const parts = pairs.flatMap(([amount, list]) => {
    if (list === undefined) return [null]
    const [own, whole] = [parseDecimal(amount), parseDecimal(list)].map((value) => fractionOfDecimal(value)) as [
      Fraction,
      Fraction,
    ]
    if (whole.numerator === 0n) return own.numerator === 0n ? [] : [null]
    return [divideFractions(multiplyFractions(subtractFractions(whole, own), hundred), whole)]
  })
  const known = parts.filter((part) => part !== null).sort(compareFractions)
  const [least, most] = [known[0], known.at(-1)]
  if (least === undefined || most === undefined || known.length < parts.length)
    return 'not comparable with the base price'
  const [from, to] = [percentText(least), percentText(most)]
  if (from === to)
    return from === '0' ? 'as high' : from.startsWith('-') ? `${from.slice(1)}% above it` : `${from}% below it`
  return `${from}% to ${to}% below it`
}

/** Returns a percentage with at most one decimal, e.g. `33.3`. */
function percentText(percent: Fraction): string {
  return decimalText(divideByInteger(decimalFromInteger(roundFraction(multiplyFractions(percent, fraction(10)))), 10))
}
