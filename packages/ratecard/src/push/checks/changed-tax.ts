import { same } from '../../catalog/fields/differences.ts'
import { taxText, withPresentRates } from '../../catalog/tax-settings.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'

/** Returns a warning if new sales will be taxed differently than with the applied document. */
export function changedTax(config: BillingConfig, previous: BillingConfig | null): Issue[] {
  if (previous === null) return []
  const [before, after] = [withPresentRates(previous.tax ?? {}, config), config.tax ?? {}]
  if (same(before, after)) return []
  return [
    {
      code: 'tax_of_sales_changed',
      pointer: '#/tax',
      severity: 'warning',
      detail: `New checkouts have other taxes: ${taxText(before)} → ${taxText(after)}. Running subscriptions keep theirs.`,
    },
  ]
}
