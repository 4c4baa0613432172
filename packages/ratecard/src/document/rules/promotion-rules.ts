import type { Issue } from '../../base/errors/issue.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { entryName, errorIssue, quoteValue, type Entry, type Rule } from './draft.ts'
import { isMoment, toUnixSeconds } from '../schema/moment.ts'

export const couponHasOneDiscount: Rule = ({ coupons }) =>
  coupons.flatMap((coupon) => {
    if (coupon.has('percent_off') !== coupon.has('amount_off')) return []
    const detail = `${entryName('coupon', coupon)} has ${coupon.has('percent_off') ? 'both `percent_off` and `amount_off`' : 'no discount'}.`
    return [
      errorIssue('coupon_discount', coupon.pointer, detail, 'Give exactly one of `percent_off` and `amount_off`.'),
    ]
  })

export const couponCurrency: Rule = ({ coupons }) =>
  coupons.flatMap((coupon) => {
    if (coupon.has('amount_off') && !coupon.has('currency'))
      return [
        errorIssue(
          'coupon_currency',
          coupon.pointer,
          `${entryName('coupon', coupon)} has \`amount_off\` but no currency.`,
          'Add `currency`.',
        ),
      ]
    if (coupon.has('currency') && coupon.has('percent_off') && !coupon.has('amount_off'))
      return [
        errorIssue(
          'coupon_currency',
          coupon.at('currency'),
          `${entryName('coupon', coupon)} has \`percent_off\`, which needs no currency.`,
          'Remove `currency`.',
        ),
      ]
    return []
  })

/**
 * Checks the additional currencies of a coupon. Only a coupon with a fixed amount can have them, and they must differ from the coupon's
 * main currency.
 */
export const couponCurrencies: Rule = ({ coupons }) =>
  coupons.flatMap((coupon) => otherCurrencies(coupon, 'coupon', 'amount_off', coupon.text('currency')))

export const codeCurrencies: Rule = ({ promotionCodes }) =>
  promotionCodes.flatMap((code) =>
    otherCurrencies(code, 'promotion code', 'minimum_amount', code.text('minimum_amount_currency')),
  )

function otherCurrencies(entry: Entry, kind: string, amount: string, own: string | undefined): Issue[] {
  const options = entry.child('currency_options')
  if (options.keys().length === 0) return []
  if (!entry.has(amount))
    return [
      errorIssue(
        'currency_options_invalid',
        entry.at('currency_options'),
        `${entryName(kind, entry)} has other currencies but no \`${amount}\`.`,
        `Add \`${amount}\` with its currency, or remove \`currency_options\`.`,
      ),
    ]
  return options
    .keys()
    .filter((currency) => currency === own)
    .map((currency) =>
      errorIssue(
        'currency_options_invalid',
        options.at(currency),
        `${entryName(kind, entry)} is in ${quoteValue(currency)} itself.`,
        'Remove its own currency from `currency_options`.',
      ),
    )
}

export const couponDuration: Rule = ({ coupons }) =>
  coupons.flatMap((coupon) => {
    const duration = coupon.text('duration')
    if (duration === 'repeating' && !coupon.has('duration_in_months'))
      return [
        errorIssue(
          'coupon_duration',
          coupon.pointer,
          `${entryName('coupon', coupon)} is repeating but has no number of months.`,
          'Add `duration_in_months`.',
        ),
      ]
    if ((duration === 'once' || duration === 'forever') && coupon.has('duration_in_months'))
      return [
        errorIssue(
          'coupon_duration',
          coupon.at('duration_in_months'),
          `${entryName('coupon', coupon)} has \`duration_in_months\` but its duration is ${quoteValue(duration)}.`,
          'Remove `duration_in_months`, or set `"duration": "repeating"`.',
        ),
      ]
    return []
  })

export const couponProducts: Rule = (draft) => {
  const { coupons, products } = draft
  const ids = idsOf(products.map(({ product }) => product))
  const known = new Set(ids)
  return coupons.flatMap((coupon) => {
    const seen = new Set<string>()
    return coupon.list('applies_to').flatMap((id, index) => {
      const pointer = `${coupon.at('applies_to')}/${index}`
      if (typeof id !== 'string') return []
      if (!known.has(id))
        return [undefinedReference(draft, 'product_undefined', pointer, { kind: 'product', id, known: ids })]
      const repeated = seen.has(id)
      seen.add(id)
      return repeated
        ? [
            errorIssue(
              'value_invalid',
              pointer,
              `The product ${quoteValue(id)} is listed twice.`,
              'Remove one of the two.',
            ),
          ]
        : []
    })
  })
}

export const codeCoupon: Rule = (draft) => {
  const { promotionCodes, coupons } = draft
  const ids = idsOf(coupons)
  const known = new Set(ids)
  return promotionCodes.flatMap((code) => {
    const id = code.text('coupon')
    return id === undefined || known.has(id)
      ? []
      : [undefinedReference(draft, 'coupon_undefined', code.at('coupon'), { kind: 'coupon', id, known: ids })]
  })
}

export const minimumAmountCurrency: Rule = ({ promotionCodes }) =>
  promotionCodes.flatMap((code) => {
    if (code.has('minimum_amount') === code.has('minimum_amount_currency')) return []
    const [given, absent] = code.has('minimum_amount')
      ? ['minimum_amount', 'minimum_amount_currency']
      : ['minimum_amount_currency', 'minimum_amount']
    return [
      errorIssue(
        'minimum_amount_currency',
        code.at(given),
        `${entryName('promotion code', code)} has \`${given}\` but no \`${absent}\`.`,
        'Set both, or remove both.',
      ),
    ]
  })

/**
 * Checks promotion codes against their coupons. The processor refuses a code that expires later than its coupon, or that can be redeemed
 * more often.
 */
export const codeWithinCoupon: Rule = ({ promotionCodes, coupons }) => {
  const byId = new Map(coupons.map((coupon) => [coupon.text('id'), coupon]))
  return promotionCodes.flatMap((code) => {
    const coupon = code.has('coupon') ? byId.get(code.text('coupon')) : undefined
    return coupon === undefined ? [] : [...lastsTooLong(code, coupon), ...usedTooOften(code, coupon)]
  })
}

function lastsTooLong(code: Entry, coupon: Entry): Issue[] {
  const expires = secondsOf(code.value('expires_at'))
  const redeemBy = secondsOf(coupon.value('redeem_by'))
  if (expires === undefined || redeemBy === undefined || expires <= redeemBy) return []
  return [
    errorIssue(
      'code_exceeds_coupon',
      code.at('expires_at'),
      `${entryName('promotion code', code)} expires after its coupon, see ${coupon.at('redeem_by')}.`,
      'Set `expires_at` no later than that of the coupon, or remove it.',
    ),
  ]
}

function usedTooOften(code: Entry, coupon: Entry): Issue[] {
  const most = coupon.number('max_redemptions')
  const own = code.number('max_redemptions')
  if (most === undefined || own === undefined || own <= most) return []
  return [
    errorIssue(
      'code_exceeds_coupon',
      code.at('max_redemptions'),
      `${entryName('promotion code', code)} allows ${own} redemptions, its coupon ${most}.`,
      `At most ${most}, or leave \`max_redemptions\` out.`,
    ),
  ]
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && isMoment(value) ? toUnixSeconds(value) : undefined
}
