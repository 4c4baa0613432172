import { basePriceId } from '../../config/base-price.ts'
import { isEnterprise } from '../../config/ids.ts'
import { isPublic } from '../../config/public-view.ts'
import type { Price, Product } from '../../config/schema.ts'
import { canonicalDecimal } from '../../money/decimal.ts'
import { configId } from '../kinds.ts'
import type { CanonicalTier, ProcessorId, TaxBehavior } from '../kinds.ts'
import { canonicalTier, documentAmount, documentTier, supportedCurrency } from './amounts.ts'
import { rowsFor, Unrepresentable } from './field.ts'
import type { Writing } from './field.ts'

const { field, orNull, metadata, table } = rowsFor<Price, Product>('prices')

export const price = table()(
  {
    // Where it stands says it.
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
    // Sub-minor amounts have a name of their own.
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
    taxBehavior: field({
      name: 'tax_included_in_price',
      members: ['tax_included_in_price'],
      mutability: 'once',
      parameter: 'tax_behavior',
      absent: 'unspecified',
      canonical: canonicalTax,
      document: (behavior) => (behavior === 'unspecified' ? {} : { tax_included_in_price: behavior === 'inclusive' }),
      show: (behavior) => (behavior === 'unspecified' ? undefined : behavior === 'inclusive'),
    }),
    metadata: metadata('metadata'),
  },
  {
    ui: { value: (price) => price.ui, pulled: 'kept' },
    public: { value: (price) => isPublic(price), pulled: 'kept' },
    // The product's default price at the processor says it.
    default: { value: (price) => price.default === true, pulled: 'live' },
    enterprise_template: { value: (price) => price.enterprise_template, pulled: 'kept' },
    enterprise_id: { value: (price) => price.enterprise_id, pulled: 'kept' },
    // The derived base counts, so that giving it explicitly is no difference.
    base_price: {
      value: (price, product) => (isEnterprise(price) ? basePriceId(price, product.prices ?? []) : undefined),
      pulled: 'kept',
    },
  },
)

function canonicalAmount(price: Price): string | null {
  const amount = price.unit_amount_decimal ?? price.amount
  return price.tiers !== undefined || amount === undefined ? null : canonicalDecimal(amount)
}

function canonicalTax(price: Price): TaxBehavior {
  if (price.tax_included_in_price === undefined) return 'unspecified'
  return price.tax_included_in_price ? 'inclusive' : 'exclusive'
}

function documentMeter(id: ProcessorId | null, { fields, names }: Writing): Pick<Price, 'meter'> {
  const meter = id === null ? undefined : names('meter', id)
  if (fields['usageType'] === 'metered' && meter === undefined)
    throw new Unrepresentable('its meter is missing or deactivated')
  return meter === undefined ? {} : { meter }
}
