// Calculates the cost of a quantity of a price. The result equals the amount on the processor's invoice: computed exactly, and rounded half
// up once at the end. Discounts and taxes are not included.
import type { CurrencyOption, Price, Tier } from '../schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import {
  addDecimals,
  decimalFromInteger,
  decimalText,
  divideByInteger,
  multiplyByInteger,
  parseDecimal,
  roundHalfUp,
  zero,
  type Decimal,
} from '../../base/money/decimal.ts'
import { isCurrency } from '../../base/money/currencies.ts'
import { formatMinor } from '../../base/money/format.ts'

export interface CostLine {
  /** Upper bound of the tier, inclusive. null means infinity. */
  readonly upTo: number | null
  readonly quantity: number
  /** `unitAmount`, `flatAmount` and `amount` are canonical decimals in minor units. */
  readonly unitAmount: string
  readonly flatAmount: string
  readonly amount: string
}

export interface PriceCalculation {
  readonly priceId: string
  readonly quantity: number
  readonly currency: string
  readonly billingScheme: 'per_unit' | 'tiered'
  readonly tiersMode: 'graduated' | 'volume' | null
  /** Amount in minor units. It is rounded half up once, at the end. */
  readonly amount: number
  /** The amount before rounding, as canonical decimal in minor units. */
  readonly amountDecimal: string
  /** The exact amount divided by the quantity, rounded to 12 decimals; null for quantity 0. */
  readonly effectiveUnitAmount: string | null
  readonly formatted: string
  readonly breakdown: readonly CostLine[]
}

interface Line {
  readonly upTo: number | null
  readonly quantity: number
  readonly unit: Decimal
  readonly flat: Decimal
}

/**
 * Calculates the cost of a quantity. Throws `quantity_invalid` if the quantity is no whole number ≥ 0, or if the amount would be too large
 * for an exact number.
 */
export function calculatePrice(listed: Price, quantity: number, currency?: string): PriceCalculation {
  if (!Number.isSafeInteger(quantity) || quantity < 0)
    throw new ServiceError('quantity_invalid', `The quantity ${quantity} is not a whole number, zero or more.`)
  const price = inCurrency(listed, currency)
  if (price.custom_unit_amount !== undefined)
    throw new ServiceError('price_not_calculable', `The customer chooses the amount of the price "${price.id}".`)
  const lines = linesOf(price, quantity)
  const exact = sumOf(lines)
  const rounded = roundHalfUp(exact)
  if (rounded > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ServiceError('quantity_invalid', `The amount for ${quantity} units is too large for an exact number.`, {
      hint: 'Request a smaller quantity.',
    })
  const tiered = price.tiers !== undefined
  return {
    priceId: price.id,
    // Adding 0 turns -0, which passes the check above, into 0.
    quantity: quantity + 0,
    currency: price.currency,
    billingScheme: tiered ? 'tiered' : 'per_unit',
    tiersMode: tiered ? (price.tiers_mode ?? 'graduated') : null,
    amount: Number(rounded),
    amountDecimal: decimalText(exact),
    effectiveUnitAmount: quantity === 0 ? null : decimalText(divideByInteger(exact, quantity)),
    formatted: formatMinor(rounded, price.currency),
    breakdown: lines.map((line) => ({
      upTo: line.upTo,
      quantity: line.quantity,
      unitAmount: decimalText(line.unit),
      flatAmount: decimalText(line.flat),
      amount: decimalText(amountOf(line)),
    })),
  }
}

/** Returns the currencies of a price, its own currency first. */
export function currenciesOf(price: Pick<Price, 'currency' | 'currency_options'>): readonly string[] {
  return [price.currency, ...Object.keys(price.currency_options ?? {})]
}

/** Returns the price with its amounts in the given currency. Throws `currency_not_offered` if the price does not have that currency. */
export function inCurrency(price: Price, currency: string | undefined): Price {
  if (currency === undefined || currency === price.currency) return price
  const options: Readonly<Partial<Record<string, CurrencyOption>>> = price.currency_options ?? {}
  const option = Object.hasOwn(options, currency) ? options[currency] : undefined
  if (option === undefined || !isCurrency(currency))
    throw new ServiceError('currency_not_offered', `The price "${price.id}" is not offered in "${currency}".`, {
      hint: `It is offered in ${currenciesOf(price).join(', ')}.`,
    })
  const { amount: _amount, unit_amount_decimal: _decimal, tiers: _tiers, ...rest } = price
  return { ...rest, ...option, currency }
}

/** Members of a price that determine the cost of a quantity. */
export type Tariff = Pick<Price, 'amount' | 'unit_amount_decimal' | 'tiers' | 'tiers_mode' | 'transform_quantity'>

/** Returns the cost of a whole quantity ≥ 0 in minor units, before rounding. */
export function exactAmount(tariff: Tariff, quantity: number): Decimal {
  return sumOf(linesOf(tariff, quantity))
}

function sumOf(lines: readonly Line[]): Decimal {
  return lines.reduce((sum, line) => addDecimals(sum, amountOf(line)), zero)
}

interface UnitPriced {
  /** Amount of a price in minor units. */
  readonly amount?: number
  /** Amount of a tier in minor units. */
  readonly unit_amount?: number
  readonly unit_amount_decimal?: string
}

/** Returns the unit amount of a price without tiers, or of a tier; zero if there is no unit amount. */
export function unitAmountOf(priced: UnitPriced): Decimal {
  if (priced.unit_amount_decimal !== undefined) return parseDecimal(priced.unit_amount_decimal)
  return decimalFromInteger(priced.amount ?? priced.unit_amount ?? 0)
}

/** Returns the flat amount of a tier; zero if it has none. */
export function flatAmountOf({ flat_amount: whole, flat_amount_decimal: text }: Tier): Decimal {
  return text === undefined ? decimalFromInteger(whole ?? 0) : parseDecimal(text)
}

function amountOf(line: Line): Decimal {
  return addDecimals(multiplyByInteger(line.unit, line.quantity), line.flat)
}

function linesOf(price: Tariff, quantity: number): readonly Line[] {
  if (price.tiers === undefined)
    return [{ upTo: null, quantity: packagesOf(price, quantity), unit: unitAmountOf(price), flat: zero }]
  return price.tiers_mode === 'volume' ? volumeLine(price.tiers, quantity) : graduatedLines(price.tiers, quantity)
}

/**
 * Returns the number of units to bill. With `transform_quantity` it is the number of packages, e.g. 3 for 250 units in packages of 100,
 * rounded up.
 */
function packagesOf({ transform_quantity: packages }: Tariff, quantity: number): number {
  if (packages === undefined) return quantity + 0
  const whole = Math.floor(quantity / packages.divide_by)
  return packages.round === 'up' && quantity % packages.divide_by > 0 ? whole + 1 : whole
}

function volumeLine(tiers: readonly Tier[], quantity: number): readonly Line[] {
  const reached = tiers.find((tier) => tier.up_to === 'inf' || quantity <= tier.up_to)
  return reached === undefined ? [] : [lineOf(reached, quantity)]
}

function graduatedLines(tiers: readonly Tier[], quantity: number): readonly Line[] {
  const lines: Line[] = []
  let below = 0
  for (const tier of tiers) {
    // The first tier also applies to quantity 0, because its flat amount is billed even without usage.
    if (quantity <= below && below > 0) break
    const last = tier.up_to === 'inf' ? quantity : Math.min(tier.up_to, quantity)
    lines.push(lineOf(tier, last - below))
    below = tier.up_to === 'inf' ? Infinity : tier.up_to
  }
  return lines
}

function lineOf(tier: Tier, quantity: number): Line {
  return {
    upTo: tier.up_to === 'inf' ? null : tier.up_to,
    quantity: quantity + 0,
    unit: unitAmountOf(tier),
    flat: flatAmountOf(tier),
  }
}
