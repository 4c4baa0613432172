import { presentId } from '../document/rules/previous-ids.ts'
import type { BillingConfig, Tax } from '../document/schema/schema.ts'

/** Returns the tax settings with the present ids of renamed rates, because a rename alone is no change of taxes. */
export function withPresentRates(tax: Tax, config: BillingConfig | null): Tax {
  if (tax.rates === undefined || config === null) return tax
  return { ...tax, rates: tax.rates.map((id) => presentId(config, 'tax_rate', id)) }
}

/** Returns the tax settings as text, e.g. `rates vat_de, city; tax ids collected`. */
export function taxText({ automatic, collect_tax_ids: collects, rates = [] }: Tax): string {
  const parts = [
    ...(automatic === true ? ['automatic'] : []),
    ...(rates.length === 0 ? [] : [`rates ${rates.join(', ')}`]),
    ...(collects === true ? ['tax ids collected'] : []),
  ]
  return parts.length === 0 ? 'none' : parts.join('; ')
}
