// Percentage prices: negotiated prices with `percent_off_base` instead of amounts. Their amounts are those of the base price, reduced by
// that percentage.
import {
  decimalFromInteger,
  decimalText,
  parseDecimal,
  roundLessPercent,
  type Decimal,
} from '../../../base/money/decimal.ts'
import { basesOf } from './base-price.ts'
import type { BillingConfig, CurrencyOption, Price, Product, Tier } from '../schema.ts'

/** Members that a percentage price takes from its base price, so that the price itself must not have them. */
export const membersOfBase = [
  'amount',
  'unit_amount_decimal',
  'tiers',
  'custom_unit_amount',
  'billing_scheme',
  'tiers_mode',
  'currency_options',
  'transform_quantity',
] as const satisfies readonly (keyof Price)[]

/**
 * Returns the document with the amounts of all its prices, including prices in per cent. The result is only for reading and must not be
 * pushed; see {@link withAmounts}.
 */
export function configWithAmounts(config: BillingConfig): BillingConfig {
  const products = withAmounts(config.products)
  return products === config.products ? config : { ...config, products }
}

/**
 * Returns the products of a document with the amounts of all their prices. Each percentage price keeps `percent_off_base` and gets the
 * reduced amounts, the tiers, the currencies and the packages of its base price. A percentage price without a usable base price stays
 * without amounts; validation rejects it. Returns the same object if no price is in per cent.
 */
export function withAmounts<Of extends Pick<Product, 'prices'>>(products: Of[]): Of[] {
  if (!products.some(({ prices = [] }) => prices.some(isInPercent))) return products
  const bases = basesOf(products)
  return products.map((product) =>
    product.prices?.some(isInPercent) === true
      ? { ...product, prices: product.prices.map((price) => withReducedAmounts(price, bases.priceOf(price))) }
      : product,
  )
}

export function isInPercent(price: Pick<Price, 'percent_off_base'>): boolean {
  return price.percent_off_base !== undefined
}

function withReducedAmounts(price: Price, base: Price | undefined): Price {
  if (price.percent_off_base === undefined || base === undefined) return price
  const percent = parseDecimal(price.percent_off_base)
  const { billing_scheme, tiers_mode, transform_quantity, currency_options } = base
  return {
    ...price,
    ...reducedAmounts(base, percent),
    ...(billing_scheme && { billing_scheme }),
    ...(tiers_mode && { tiers_mode }),
    ...(transform_quantity && { transform_quantity }),
    ...(currency_options && {
      currency_options: Object.fromEntries(
        Object.entries(currency_options).map(([currency, { tax_included_in_price: tax, ...option }]) => [
          currency,
          { ...reducedAmounts(option, percent), ...(tax === undefined ? {} : { tax_included_in_price: tax }) },
        ]),
      ),
    }),
  }
}

type Amounts = Pick<CurrencyOption, 'amount' | 'unit_amount_decimal' | 'tiers'>

function reducedAmounts({ amount, unit_amount_decimal: decimal, tiers }: Amounts, percent: Decimal): Amounts {
  const unit = reduceAmount(decimal ?? amount, percent)
  return {
    ...(typeof unit === 'number' ? { amount: unit } : {}),
    ...(typeof unit === 'string' ? { unit_amount_decimal: unit } : {}),
    ...(tiers && { tiers: tiers.map((tier) => reducedTier(tier, percent)) }),
  }
}

function reducedTier(tier: Tier, percent: Decimal): Tier {
  const unit = reduceAmount(tier.unit_amount_decimal ?? tier.unit_amount, percent)
  const flat = reduceAmount(tier.flat_amount_decimal ?? tier.flat_amount, percent)
  return {
    up_to: tier.up_to,
    ...(typeof unit === 'number' ? { unit_amount: unit } : {}),
    ...(typeof unit === 'string' ? { unit_amount_decimal: unit } : {}),
    ...(typeof flat === 'number' ? { flat_amount: flat } : {}),
    ...(typeof flat === 'string' ? { flat_amount_decimal: flat } : {}),
  }
}

/** Returns the reduced amount in the form of the document: a number if it is whole, text if it has decimals. */
function reduceAmount(amount: number | string | undefined, percent: Decimal): number | string | undefined {
  if (amount === undefined) return undefined
  const exact = typeof amount === 'string' ? parseDecimal(amount) : decimalFromInteger(amount)
  const text = decimalText(roundLessPercent(exact, percent))
  return text.includes('.') ? text : Number(text)
}
