import type { CurrencyOptionBody, CustomAmountBody, TaxBehavior, TierBody } from '../../objects/bodies.ts'
import { missingParam, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { boolean, decimal, integer, list, mapOf, oneOf, required, shape } from '../../protocol/parameters/params.ts'
import type { Param, Read } from '../../protocol/parameters/params.ts'
import { checkCurrencyKey } from './currencies.ts'

export const taxBehavior = oneOf('exclusive', 'inclusive', 'unspecified')

const tierFields = {
  flat_amount: integer({ min: 0 }),
  flat_amount_decimal: decimal(),
  unit_amount: integer({ min: 0 }),
  unit_amount_decimal: decimal(),
  up_to: required(upTo()),
}
export const tiers = list(shape(tierFields))
type Tiers = readonly Read<typeof tierFields>[]

export const customAmountFields = {
  enabled: required(boolean()),
  maximum: integer({ min: 0 }),
  minimum: integer({ min: 0 }),
  preset: integer({ min: 0 }),
}
export const customAmount = shape(customAmountFields)

const optionFields = {
  custom_unit_amount: customAmount,
  tax_behavior: taxBehavior,
  tiers,
  unit_amount: integer({ min: 0 }),
  unit_amount_decimal: decimal(),
}
export const currencyOptions = mapOf(shape(optionFields), checkCurrencyKey)
type Options = ReadonlyMap<string, Read<typeof optionFields>>

function upTo(): Param<number | null, false> {
  const whole = integer({ min: 1 })
  return { required: false, read: (value, name) => (value === 'inf' ? null : whole.read(value, name)) }
}

/** An amount as a whole number of minor units and as a decimal. A fraction (e.g. 0.5 cents) has the decimal only. */
export interface Amount {
  readonly unit_amount: number | null
  readonly unit_amount_decimal: string | null
}

export function toAmount(whole: number | undefined, fraction: string | undefined): Amount {
  if (whole !== undefined) return { unit_amount: whole, unit_amount_decimal: String(whole) }
  if (fraction === undefined) return { unit_amount: null, unit_amount_decimal: null }
  return { unit_amount: fraction.includes('.') ? null : Number(fraction), unit_amount_decimal: fraction }
}

/** Checks the bounds and the order of the tiers. The last tier must be open-ended (`up_to: inf`), and no other tier may be. */
export function toTiers(given: Tiers, name: string): TierBody[] {
  if (given.length === 0) throw missingParam(name)
  let last = 0
  return given.map((tier, index) => {
    const here = `${name}[${index}]`
    for (const name of ['unit_amount', 'flat_amount'] as const) {
      if (tier[name] !== undefined && tier[`${name}_decimal`] !== undefined)
        throw onlyOneOf(`${here}[${name}]`, `${here}[${name}_decimal]`)
    }
    const unit = toAmount(tier.unit_amount, tier.unit_amount_decimal)
    const flat = toAmount(tier.flat_amount, tier.flat_amount_decimal)
    if (unit.unit_amount_decimal === null && flat.unit_amount_decimal === null) {
      throw badRequest('Each tier must have at least one of `unit_amount` and `flat_amount`.', here)
    }
    if ((tier.up_to === null) !== (index === given.length - 1)) {
      throw badRequest('The last tier, and only the last tier, must have `up_to` set to `inf`.', `${here}[up_to]`)
    }
    if (tier.up_to !== null && tier.up_to <= last) {
      throw badRequest('Tiers must be in ascending order of `up_to`.', `${here}[up_to]`)
    }
    last = tier.up_to ?? last
    return {
      flat_amount: flat.unit_amount,
      flat_amount_decimal: flat.unit_amount_decimal,
      unit_amount: unit.unit_amount,
      unit_amount_decimal: unit.unit_amount_decimal,
      up_to: tier.up_to,
    }
  })
}

export function toCustomAmount(
  given: Read<typeof customAmountFields> | undefined,
  name: string,
): CustomAmountBody | null {
  if (given === undefined) return null
  if (!given.enabled) throw badRequest('`enabled` must be true.', `${name}[enabled]`)
  const { maximum = null, minimum = null, preset = null } = given
  if (maximum !== null && minimum !== null && maximum < minimum)
    throw badRequest('`maximum` must be at least `minimum`.', `${name}[maximum]`)
  if (preset !== null && preset < (minimum ?? 0))
    throw badRequest('`preset` must be at least `minimum`.', `${name}[preset]`)
  if (preset !== null && maximum !== null && preset > maximum)
    throw badRequest('`preset` must be at most `maximum`.', `${name}[preset]`)
  return { maximum, minimum, preset }
}

/** How a price states its amount. All currencies of a price state it in the same way. */
export type Scheme = 'tiers' | 'unit_amount' | 'custom_unit_amount'

function checkScheme(option: Read<typeof optionFields>, scheme: Scheme, name: string): void {
  const given = (['unit_amount', 'unit_amount_decimal', 'custom_unit_amount', 'tiers'] as const).filter(
    (field) => option[field] !== undefined,
  )
  if (given.length > 1) throw onlyOneOf(...given.map((field) => `${name}[${field}]`))
  const [only] = given
  if (only === undefined || (only === 'unit_amount_decimal' ? 'unit_amount' : only) !== scheme)
    throw missingParam(`${name}[${scheme}]`)
}

/** Returns the currency options of the price `own`, i.e. its amounts in further currencies. Each has the same scheme as the price. */
export function toCurrencyOptions(
  given: Options,
  own: { readonly currency: string; readonly scheme: Scheme; readonly taxBehavior: TaxBehavior },
): Record<string, CurrencyOptionBody> {
  const options: Record<string, CurrencyOptionBody> = {}
  for (const [currency, option] of given) {
    const name = `currency_options[${currency}]`
    if (currency === own.currency) {
      throw badRequest(`The currency_options hash cannot contain the price's own currency: ${currency}.`, name)
    }
    checkScheme(option, own.scheme, name)
    options[currency] = {
      custom_unit_amount: toCustomAmount(option.custom_unit_amount, `${name}[custom_unit_amount]`),
      tax_behavior: option.tax_behavior ?? own.taxBehavior,
      ...(option.tiers === undefined ? {} : { tiers: toTiers(option.tiers, `${name}[tiers]`) }),
      ...toAmount(option.unit_amount, option.unit_amount_decimal),
    }
  }
  return options
}
