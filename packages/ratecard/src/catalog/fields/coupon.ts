import { toUnixSeconds } from '../../document/schema/moment.ts'
import type { Coupon } from '../../document/schema/schema.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import { configId, type ConfigId, type ProcessorId } from '../kinds.ts'
import { canonicalAmounts, documentAmounts, documentMoment, losesCurrency, supportedCurrency } from './amounts.ts'
import type { AmountsByCurrency } from './amounts.ts'
import { rowsFor, Unrepresentable, type WriteContext } from './field.ts'

const { field, required, text, orNull, metadata, table } = rowsFor<Coupon>('coupons')

export const coupon = table()(
  {
    // Stripe allows changing a coupon's name but not removing it. So removing the name replaces the coupon.
    name: { ...text('name', 'in_place'), needsNewObject: (want: string) => want === '' },
    percentOff: field({
      name: 'percent_off',
      members: ['percent_off'],
      mutability: 'fixed',
      parameter: 'percent_off',
      absent: null,
      canonical: (coupon): string | null =>
        coupon.percent_off === undefined ? null : canonicalDecimal(coupon.percent_off),
      document: (percent) => (percent === null ? {} : { percent_off: Number(percent) }),
      show: (percent) => (percent === null ? undefined : Number(percent)),
    }),
    amountOff: orNull('amount_off', 'fixed'),
    currency: field({
      name: 'currency',
      members: ['currency'],
      mutability: 'fixed',
      parameter: 'currency',
      absent: null,
      canonical: (coupon): string | null => (coupon.amount_off === undefined ? null : (coupon.currency ?? null)),
      document: (currency) => (currency === null ? {} : { currency: supportedCurrency(currency) }),
    }),
    currencyOptions: field({
      name: 'currency_options',
      members: ['currency_options'],
      mutability: 'in_place',
      needsNewObject: losesCurrency,
      parameter: 'currency_options',
      absent: {},
      leftOut: 'unmanaged',
      whole: true,
      fits: (amounts: AmountsByCurrency, coupon) =>
        coupon['amountOff'] !== null && amounts[String(coupon['currency'])] === undefined,
      canonical: (coupon) => canonicalAmounts(coupon.currency_options, 'amount_off'),
      document: (amounts) => {
        const options = documentAmounts(amounts, 'amount_off')
        return options === undefined ? {} : { currency_options: options }
      },
      show: (amounts) => documentAmounts(amounts, 'amount_off'),
    }),
    duration: required('duration', 'fixed'),
    durationInMonths: orNull('duration_in_months', 'fixed'),
    /** The document's limit counts all redemptions: those of this coupon and those of the coupons that it replaced. */
    maxRedemptions: orNull('max_redemptions', 'fixed'),
    /** Last time of redemption in Unix seconds. */
    redeemBy: field({
      name: 'redeem_by',
      members: ['redeem_by'],
      mutability: 'fixed',
      parameter: 'redeem_by',
      absent: null,
      canonical: (coupon): number | null => (coupon.redeem_by === undefined ? null : toUnixSeconds(coupon.redeem_by)),
      document: (seconds) => (seconds === null ? {} : { redeem_by: documentMoment(seconds) }),
      show: (seconds) => (seconds === null ? undefined : documentMoment(seconds)),
    }),
    /** Sorted product ids. null means that the coupon applies to every product. */
    appliesTo: field({
      name: 'applies_to',
      members: ['applies_to'],
      mutability: 'fixed',
      parameter: 'applies_to',
      reference: 'product',
      absent: null,
      canonical: (coupon): readonly ConfigId[] | null =>
        coupon.applies_to === undefined ? null : [...new Set(coupon.applies_to)].sort().map(configId),
      document: documentProducts,
    }),
    metadata: metadata('metadata'),
  },
  {},
)

function documentProducts(ids: readonly ProcessorId[] | null, { names }: WriteContext): Pick<Coupon, 'applies_to'> {
  if (ids === null) return {}
  const products = ids.map((id) => names('product', id))
  if (products.some((product) => product === undefined)) throw new Unrepresentable('it applies to an archived product')
  return { applies_to: products.filter((product) => product !== undefined) }
}
