import { toUnixSeconds } from '../../document/schema/moment.ts'
import type { PromotionCode } from '../../document/schema/schema.ts'
import { configId } from '../kinds.ts'
import { canonicalAmounts, documentAmounts, documentMoment, losesCurrency, supportedCurrency } from './amounts.ts'
import type { AmountsByCurrency } from './amounts.ts'
import { rowsFor, Unrepresentable } from './field.ts'

const { field, required, text, flag, orNull, metadata, table } = rowsFor<PromotionCode>('promotion_codes')

export const promotionCode = table()(
  {
    code: required('code', 'fixed'),
    coupon: field({
      name: 'coupon',
      members: ['coupon'],
      mutability: 'fixed',
      parameter: 'promotion-coupon',
      reference: 'coupon',
      absent: configId(''),
      canonical: (code) => configId(code.coupon),
      document: (id, { names }) => {
        const coupon = names('coupon', id)
        if (coupon === undefined) throw new Unrepresentable('its coupon is deleted or cannot be expressed')
        return { coupon }
      },
    }),
    active: flag('active', 'in_place', true),
    /** The document's limit counts all redemptions: those of this code and those of the codes that it replaced. */
    maxRedemptions: orNull('max_redemptions', 'fixed'),
    firstTimeTransaction: flag('first_time_transaction', 'fixed', false, {
      parameter: 'restrictions-first_time_transaction',
    }),
    minimumAmount: orNull('minimum_amount', 'fixed', { parameter: 'restrictions-minimum_amount' }),
    minimumAmountCurrency: field({
      name: 'minimum_amount_currency',
      members: ['minimum_amount_currency'],
      mutability: 'fixed',
      parameter: 'restrictions-minimum_amount_currency',
      absent: null,
      canonical: (code): string | null => code.minimum_amount_currency ?? null,
      document: (currency) => (currency === null ? {} : { minimum_amount_currency: supportedCurrency(currency) }),
    }),
    currencyOptions: field({
      name: 'currency_options',
      members: ['currency_options'],
      mutability: 'in_place',
      needsNewObject: losesCurrency,
      parameter: 'restrictions-currency_options',
      absent: {},
      leftOut: 'unmanaged',
      whole: true,
      fits: (amounts: AmountsByCurrency, code) =>
        code['minimumAmount'] !== null && amounts[String(code['minimumAmountCurrency'])] === undefined,
      canonical: (code) => canonicalAmounts(code.currency_options, 'minimum_amount'),
      document: (amounts) => {
        const options = documentAmounts(amounts, 'minimum_amount')
        return options === undefined ? {} : { currency_options: options }
      },
      show: (amounts) => documentAmounts(amounts, 'minimum_amount'),
    }),
    customer: text('customer', 'fixed'),
    /** Time of expiry in Unix seconds. */
    expiresAt: field({
      name: 'expires_at',
      members: ['expires_at'],
      mutability: 'fixed',
      parameter: 'expires_at',
      absent: null,
      canonical: (code): number | null => (code.expires_at === undefined ? null : toUnixSeconds(code.expires_at)),
      document: (seconds) => (seconds === null ? {} : { expires_at: documentMoment(seconds) }),
      show: (seconds) => (seconds === null ? undefined : documentMoment(seconds)),
    }),
    metadata: metadata('metadata'),
  },
  {},
)
