import { config, of, taxRate, without, type RuleCase } from './rule-parts.ts'

export const taxes: RuleCase[] = [
  of(
    'a tax rate without a percentage',
    'field_missing',
    '#/tax_rates/0',
    config({ tax_rates: [without(taxRate(), 'percentage')] }),
  ),
  of(
    'two tax rates of one id',
    'id_duplicate',
    '#/tax_rates/1/id',
    config({ tax_rates: [taxRate(), taxRate({ percentage: '7' })] }),
  ),
  of(
    'a percentage with five decimals',
    'value_invalid',
    '#/tax_rates/0/percentage',
    config({ tax_rates: [taxRate({ percentage: 8.87505 })] }),
  ),
  of(
    'a sale with an unknown tax rate',
    'tax_rate_undefined',
    '#/tax/rates/0',
    config({ tax_rates: [taxRate()], tax: { rates: ['vta'] } }),
  ),
  of(
    'a sale with an archived tax rate',
    'tax_rate_inactive',
    '#/tax/rates/0',
    config({ tax_rates: [taxRate({ active: false })], tax: { rates: ['vat'] } }),
  ),
  of(
    'a sale with a tax rate listed twice',
    'value_invalid',
    '#/tax/rates/1',
    config({ tax_rates: [taxRate()], tax: { rates: ['vat', 'vat'] } }),
  ),
  of(
    'a sale with automatic tax and tax rates',
    'tax_conflict',
    '#/tax/rates',
    config({ tax_rates: [taxRate()], tax: { automatic: true, rates: ['vat'] } }),
  ),
]
