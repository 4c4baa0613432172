import { isEnterprise } from '../../document/schema/ids.ts'
import { membersOfBase } from '../../document/schema/prices/percent-off.ts'
import { isPublic } from '../../document/schema/public-view.ts'
import type { CurrencyOption, Price, Product } from '../../document/schema/schema.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import { configId } from '../kinds.ts'
import type { CanonicalCurrencyOption, CanonicalTier, CurrencyOptions, ProcessorId, TaxBehavior } from '../kinds.ts'
import { canonicalTier, documentAmount, documentTier, supportedCurrency } from './amounts.ts'
import { rowsFor, Unrepresentable, type WriteContext } from './field.ts'

const { field, orNull, text, metadata, table } = rowsFor<Price, Product>('prices')

export const price = table()(
  {
    // The document nests prices in products, so no member of a price contains the product.
    product: field({
      name: 'product',
      members: [],
      mutability: 'fixed',
      parameter: 'product',
      reference: 'product',
      absent: configId(''),
      canonical: (_price, product) => configId(product.id),
      document: () => ({}),
    }),
    currency: field({
      name: 'currency',
      members: ['currency'],
      mutability: 'fixed',
      parameter: 'currency',
      absent: '',
      canonical: (price): string => price.currency,
      document: (currency) => ({ currency: supportedCurrency(currency) }),
    }),
    interval: orNull('interval', 'fixed', { parameter: 'recurring-interval' }),
    intervalCount: field({
      name: 'interval_count',
      members: ['interval_count'],
      mutability: 'fixed',
      parameter: 'recurring-interval_count',
      absent: 1,
      canonical: (price): number => (price.interval === undefined ? 1 : (price.interval_count ?? 1)),
      document: (count) => (count === 1 ? {} : { interval_count: count }),
    }),
    usageType: field({
      name: 'usage_type',
      members: ['usage_type'],
      mutability: 'fixed',
      parameter: 'recurring-usage_type',
      absent: 'licensed',
      canonical: (price) => price.usage_type ?? 'licensed',
      document: (type) => (type === 'metered' ? { usage_type: type } : {}),
    }),
    meter: field({
      name: 'meter',
      members: ['meter'],
      mutability: 'fixed',
      parameter: 'recurring-meter',
      reference: 'meter',
      absent: null,
      canonical: (price) => (price.meter === undefined ? null : configId(price.meter)),
      document: documentMeter,
    }),
    billingScheme: field({
      name: 'billing_scheme',
      members: ['billing_scheme'],
      mutability: 'fixed',
      parameter: 'billing_scheme',
      absent: 'per_unit',
      canonical: (price) => (price.tiers === undefined ? 'per_unit' : 'tiered'),
      document: (scheme) => (scheme === 'tiered' ? { billing_scheme: scheme } : {}),
    }),
    tiersMode: field({
      name: 'tiers_mode',
      members: ['tiers_mode'],
      mutability: 'fixed',
      parameter: 'tiers_mode',
      absent: null,
      canonical: (price) => (price.tiers === undefined ? null : (price.tiers_mode ?? 'graduated')),
      document: (mode) => (mode === null ? {} : { tiers_mode: mode }),
    }),
    // In the document, an amount with a fraction of a minor unit (e.g. 0.5 cents) is in a separate member, `unit_amount_decimal`.
    unitAmount: field({
      name: (values) =>
        values.some((value) => typeof value === 'string' && value.includes('.')) ? 'unit_amount_decimal' : 'amount',
      members: ['amount', 'unit_amount_decimal'],
      mutability: 'fixed',
      parameter: 'unit_amount',
      absent: null,
      canonical: canonicalAmount,
      document: (canonical) => {
        if (canonical === null) return {}
        const amount = documentAmount(canonical)
        return typeof amount === 'number' ? { amount } : { unit_amount_decimal: amount }
      },
      show: (canonical) => (canonical === null ? undefined : documentAmount(canonical)),
    }),
    tiers: field({
      name: 'tiers',
      members: ['tiers'],
      mutability: 'fixed',
      parameter: 'tiers',
      absent: null,
      canonical: (price): readonly CanonicalTier[] | null =>
        price.tiers === undefined ? null : price.tiers.map(canonicalTier),
      document: (tiers) => (tiers === null ? {} : { tiers: tiers.map(documentTier) }),
      show: (tiers) => tiers?.map(documentTier),
    }),
    currencyOptions: field({
      name: 'currency_options',
      members: ['currency_options'],
      mutability: 'in_place',
      parameter: 'currency_options',
      absent: {},
      leftOut: 'unmanaged',
      whole: true,
      canonical: canonicalOptions,
      fits: optionsFit,
      document: documentOptions,
      show: (options) => (Object.keys(options).length === 0 ? undefined : showOptions(options)),
      needsNewObject: (want, live) => !optionsCanBecome(want, live),
    }),
    transformQuantity: field({
      name: 'transform_quantity',
      members: ['transform_quantity'],
      mutability: 'fixed',
      parameter: 'transform_quantity',
      absent: null,
      canonical: ({ transform_quantity: packages }): PackagedQuantity | null =>
        packages === undefined ? null : { divideBy: packages.divide_by, round: packages.round },
      document: (packages) =>
        packages === null ? {} : { transform_quantity: { divide_by: packages.divideBy, round: packages.round } },
      show: (packages) => packages && { divide_by: packages.divideBy, round: packages.round },
    }),
    customUnitAmount: field({
      name: 'custom_unit_amount',
      members: ['custom_unit_amount'],
      mutability: 'fixed',
      parameter: 'custom_unit_amount',
      absent: null,
      canonical: ({ custom_unit_amount: chosen }): ChosenAmount | null =>
        chosen === undefined
          ? null
          : { minimum: chosen.minimum ?? null, maximum: chosen.maximum ?? null, preset: chosen.preset ?? null },
      document: (chosen) => (chosen === null ? {} : { custom_unit_amount: documentChosen(chosen) }),
      show: (chosen) => chosen && documentChosen(chosen),
    }),
    // `kept`: the value '' stands for an adopted price without a lookup key in the document. The price then keeps its live lookup key; if
    // it has none, its id becomes the key.
    lookupKey: field({
      name: 'lookup_key',
      members: ['lookup_key'],
      mutability: 'in_place',
      parameter: 'lookup_key',
      absent: '',
      leftOut: 'kept',
      canonical: (price): string => price.lookup_key ?? (price.processor_id === undefined ? price.id : ''),
      document: (key, { id }) => (key === '' || key === id ? {} : { lookup_key: key }),
    }),
    nickname: text('nickname', 'in_place'),
    taxBehavior: field({
      name: 'tax_included_in_price',
      members: ['tax_included_in_price'],
      mutability: 'once',
      needsNewObject: (_want, live) => live !== 'unspecified',
      parameter: 'tax_behavior',
      absent: 'unspecified',
      canonical: canonicalTax,
      document: (behavior) => (behavior === 'unspecified' ? {} : { tax_included_in_price: behavior === 'inclusive' }),
      show: (behavior) => (behavior === 'unspecified' ? undefined : behavior === 'inclusive'),
    }),
    metadata: metadata('metadata'),
  },
  {
    trial_period_days: { value: (price) => price.trial_period_days, pulled: 'kept' },
    // An empty list means the same as none.
    attached_prices: {
      value: ({ attached_prices: ids = [] }) => (ids.length === 0 ? undefined : ids),
      pulled: 'kept',
    },
    // Default values are omitted. So a document that begins to contain a default value explicitly has no change.
    grants_credit: { value: creditOf, pulled: 'kept' },
    ui: { value: (price) => price.ui, pulled: 'kept' },
    public: { value: (price) => isPublic(price), pulled: 'kept' },
    // A pull writes `default: true` for the product's default price at the processor.
    default: { value: (price) => price.default === true, pulled: 'live' },
    enterprise_template: { value: (price) => price.enterprise_template, pulled: 'kept' },
    enterprise_id: { value: (price) => price.enterprise_id, pulled: 'kept' },
    // If the document omits `base_price`, `desiredCatalog` derives it. So writing the derived id explicitly is no change.
    base_price: { value: (price) => (isEnterprise(price) ? price.base_price : undefined), pulled: 'kept' },
    // If the live amounts no longer match the percentage of the base price, a pull writes the amounts instead of the percentage.
    percent_off_base: {
      value: ({ percent_off_base: percent }) => (percent === undefined ? undefined : canonicalDecimal(percent)),
      pulled: 'live',
      members: ['percent_off_base', ...membersOfBase],
    },
  },
)

function creditOf({ grants_credit: credit, currency }: Price): Price['grants_credit'] {
  if (credit === undefined) return undefined
  const { currency: own, ...rest } = credit
  return own === undefined || own === currency ? rest : credit
}

function canonicalAmount(price: Pick<Price, 'amount' | 'unit_amount_decimal' | 'tiers'>): string | null {
  const amount = price.unit_amount_decimal ?? price.amount
  return price.tiers !== undefined || amount === undefined ? null : canonicalDecimal(amount)
}

export interface PackagedQuantity {
  readonly divideBy: number
  readonly round: 'up' | 'down'
}
export interface ChosenAmount {
  readonly minimum: number | null
  readonly maximum: number | null
  readonly preset: number | null
}

function documentChosen({ minimum, maximum, preset }: ChosenAmount): NonNullable<Price['custom_unit_amount']> {
  return {
    ...(minimum === null ? {} : { minimum }),
    ...(maximum === null ? {} : { maximum }),
    ...(preset === null ? {} : { preset }),
  }
}

const noOptions: CurrencyOptions = {}

function canonicalOptions(price: Price): CurrencyOptions {
  if (price.currency_options === undefined) return noOptions
  return Object.fromEntries(
    Object.entries(price.currency_options).map(([currency, option]) => [
      currency,
      {
        unitAmount: canonicalAmount(option),
        tiers: option.tiers === undefined ? null : option.tiers.map(canonicalTier),
        // An option without a tax setting inherits the setting of the price.
        taxBehavior: option.tax_included_in_price === undefined ? canonicalTax(price) : canonicalTax(option),
      },
    ]),
  )
}

/**
 * True if the live `currency_options` can be carried over to `price`. The price must have no custom amount, its tiers must have the same
 * bounds, and its currency must not be among the options.
 */
function optionsFit(options: CurrencyOptions, price: Readonly<Record<string, unknown>>): boolean {
  const ends = (tiers: unknown) => JSON.stringify((tiers as readonly CanonicalTier[] | null)?.map(({ upTo }) => upTo))
  return (
    price['customUnitAmount'] === null &&
    Object.entries(options).every(
      ([currency, option]) => currency !== price['currency'] && ends(option.tiers) === ends(price['tiers']),
    )
  )
}

function documentOptions(options: CurrencyOptions, { fields }: WriteContext): Pick<Price, 'currency_options'> {
  const entries = Object.entries(options)
  if (entries.length === 0) return {}
  return {
    currency_options: Object.fromEntries(
      entries.map(([currency, option]) => [
        supportedCurrency(currency),
        documentOption(option, option.taxBehavior !== fields['taxBehavior']),
      ]),
    ),
  }
}

function documentOption({ unitAmount, tiers, taxBehavior }: CanonicalCurrencyOption, ownTax: boolean): CurrencyOption {
  const amount = unitAmount === null ? undefined : documentAmount(unitAmount)
  return {
    ...(typeof amount === 'number' ? { amount } : {}),
    ...(typeof amount === 'string' ? { unit_amount_decimal: amount } : {}),
    ...(tiers === null ? {} : { tiers: tiers.map(documentTier) }),
    ...(ownTax && taxBehavior !== 'unspecified' ? { tax_included_in_price: taxBehavior === 'inclusive' } : {}),
  }
}

function showOptions(options: CurrencyOptions): unknown {
  return Object.fromEntries(
    Object.entries(options).map(([currency, option]) => [currency, documentOption(option, true)]),
  )
}

/**
 * True if the currency options can be changed in place. The processor accepts additional currencies and changed amounts. Currencies can
 * only be removed all at once, and the tax behavior of a currency can be set only once.
 */
function optionsCanBecome(want: CurrencyOptions, live: CurrencyOptions): boolean {
  if (Object.keys(want).length === 0) return true
  return Object.entries(live).every(([currency, option]) => {
    const wanted = want[currency]
    return wanted !== undefined && (option.taxBehavior === 'unspecified' || option.taxBehavior === wanted.taxBehavior)
  })
}

function canonicalTax(price: Pick<Price, 'tax_included_in_price'>): TaxBehavior {
  if (price.tax_included_in_price === undefined) return 'unspecified'
  return price.tax_included_in_price ? 'inclusive' : 'exclusive'
}

function documentMeter(id: ProcessorId | null, { fields, names }: WriteContext): Pick<Price, 'meter'> {
  const meter = id === null ? undefined : names('meter', id)
  if (fields['usageType'] === 'metered' && meter === undefined)
    throw new Unrepresentable('its meter is missing or deactivated')
  return meter === undefined ? {} : { meter }
}
