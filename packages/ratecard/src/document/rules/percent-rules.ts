import { parseDecimal, compareDecimals, decimalFromInteger, zero } from '../../base/money/decimal.ts'
import { decimalPattern } from '../schema/fields.ts'
import { membersOfBase } from '../schema/prices/percent-off.ts'
import { draftBases, isEnterpriseDraft } from './enterprise-rules.ts'
import { entryName, errorIssue, quoteValue, type Entry, type Rule } from './draft.ts'

const most = decimalFromInteger(100)
const wellFormed = new RegExp(decimalPattern)

/**
 * Checks percentage prices (prices in per cent below a base price): the percentage is within its limits, the price has no amounts of its
 * own, and its base price has amounts to reduce.
 */
export const percentOffBase: Rule = (draft) => {
  const { ordinary, of } = draftBases(draft)
  return draft.products.flatMap(({ prices }) => {
    const baseOf = of(prices)
    return prices
      .filter((price) => price.has('percent_off_base'))
      .flatMap((price) => [
        ...outOfRange(price),
        ...besideAmounts(price),
        ...(isEnterpriseDraft(price) ? withoutBase(price, ordinary.get(baseOf(price) ?? '')) : ordinaryPrice(price)),
      ])
  })
}

function outOfRange(price: Entry) {
  const text = price.text('percent_off_base')
  // The shape check reports text that is no decimal.
  if (text === undefined || !wellFormed.test(text)) return []
  const percent = parseDecimal(text)
  if (compareDecimals(percent, zero) > 0 && compareDecimals(percent, most) <= 0) return []
  return [
    errorIssue(
      'percent_off_range',
      price.at('percent_off_base'),
      `${entryName('price', price)} takes ${text}% off its base price.`,
      'The value must be more than 0 and at most 100. To charge the base price unchanged, remove this price.',
    ),
  ]
}

function besideAmounts(price: Entry) {
  return membersOfBase
    .filter((member) => price.has(member))
    .map((member) =>
      errorIssue(
        'percent_off_beside',
        price.at(member),
        `${entryName('price', price)} has \`percent_off_base\`, and must not have \`${member}\` too.`,
        `Remove \`${member}\` (the base price has it), or remove \`percent_off_base\`.`,
      ),
    )
}

function ordinaryPrice(price: Entry) {
  return [
    errorIssue(
      'percent_off_without_base',
      price.at('percent_off_base'),
      `${entryName('price', price)} has \`percent_off_base\` but is no enterprise price.`,
      'Add `enterprise_template` or `enterprise_id`, or give the price an amount.',
    ),
  ]
}

function withoutBase(price: Entry, base: Entry | undefined) {
  const at = price.at('percent_off_base')
  // Another rule reports a `base_price` that does not exist.
  if (base === undefined && price.has('base_price')) return []
  if (base === undefined)
    return [
      errorIssue(
        'percent_off_without_base',
        at,
        `${entryName('price', price)} has \`percent_off_base\`, but no price of the document could be its base price.`,
        'Set `base_price`, or let the id of this price begin with the id of a list price, followed by "_", e.g. `pro_monthly_acme`.',
      ),
    ]
  return base.has('custom_unit_amount')
    ? [
        errorIssue(
          'percent_off_without_base',
          at,
          `The base price ${quoteValue(base.text('id'))} of ${entryName('price', price, 'the')} lets the customer choose the amount.`,
          'Choose a base price with an amount or tiers.',
        ),
      ]
    : []
}
