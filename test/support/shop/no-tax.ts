import type { SaleTax } from '../../../packages/ratecard/src/processor/customer-half.ts'

/** Terms of a sale without tax. */
export const noTax: SaleTax = { automatic: false, collectTaxIds: false, rates: [] }
