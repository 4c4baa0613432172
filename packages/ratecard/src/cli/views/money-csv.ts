import type { MoneyDay, MoneyDays } from '@ratecard/client'
import { majorUnits } from '../../base/money/format.ts'
import { escapeBreaks } from '../terminal/terminal-text.ts'

const amounts = [
  'mrr',
  'usageLastPeriod',
  'new',
  'expansion',
  'contraction',
  'churn',
  'reactivation',
  'pastDue',
] as const satisfies readonly (keyof MoneyDay)[]

/** Formats days as CSV. Amounts are in major units of the currency, e.g. `2026-01-31,usd,1200.00,…`. */
export function moneyCsv({ days }: MoneyDays): string {
  const names = ['day', 'currency', 'mrr', 'usage_last_period', 'new', 'expansion', 'contraction', 'churn']
  const head = [...names, 'reactivation', 'past_due'].join(',')
  const lines = days.map((day) =>
    escapeBreaks([day.day, day.currency, ...amounts.map((name) => majorUnits(day[name], day.currency))].join(',')),
  )
  return `${[head, ...lines].join('\n')}\n`
}
