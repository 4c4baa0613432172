import type { TaxRate } from '../../document/schema/schema.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import { rowsFor } from './field.ts'

const { field, required, text, orNull, flag, metadata, table } = rowsFor<TaxRate>('tax_rates')

/** True if a text is removed from a tax rate. The processor can change such a text but not remove it, so the rate is replaced. */
const isRemoved = (want: string): boolean => want === ''

export const taxRate = table()(
  {
    displayName: required('display_name', 'in_place'),
    /** Canonical decimal, e.g. `19` for `19.00`. */
    percentage: field({
      name: 'percentage',
      members: ['percentage'],
      mutability: 'fixed',
      parameter: 'percentage',
      absent: '',
      canonical: (rate): string => canonicalDecimal(rate.percentage),
      document: (percentage) => ({ percentage }),
    }),
    inclusive: field({
      name: 'inclusive',
      members: ['inclusive'],
      mutability: 'fixed',
      parameter: 'inclusive',
      absent: false,
      canonical: (rate): boolean => rate.inclusive,
      document: (inclusive) => ({ inclusive }),
    }),
    country: { ...text('country', 'in_place'), needsNewObject: isRemoved },
    state: { ...text('state', 'in_place'), needsNewObject: isRemoved },
    jurisdiction: { ...text('jurisdiction', 'in_place'), needsNewObject: isRemoved },
    description: { ...text('description', 'in_place'), needsNewObject: isRemoved },
    taxType: {
      ...orNull('tax_type', 'in_place', { leftOut: 'unmanaged' }),
      needsNewObject: (want: TaxRate['tax_type'] | null) => want === null,
    },
    active: flag('active', 'in_place', true),
    metadata: metadata('metadata'),
  },
  {},
)
