import type { Page } from 'playwright-core'

/** Answers the page's question for money by day with 60 days, because the charts need several and the mirror of a test is new. */
export const showDays = (page: Page, currency: 'eur' | 'usd') =>
  page.route('**/billing/admin/money/days', (route) => route.fulfill({ json: daysOf(60, currency) }))

/** Returns a response of `GET money/days` with a push in the middle. */
function daysOf(count: number, currency: string) {
  const dayMs = 24 * 60 * 60 * 1000
  const formatted = currency === 'eur' ? '€1.00' : '$1.00'
  const at = (index: number) => new Date(Date.now() - (count - index) * dayMs).toISOString()
  const zero = (name: string) => ({ [name]: '0', [`${name}_formatted`]: formatted })
  const days = Array.from({ length: count }, (_, index) => ({
    ...{ day: at(index).slice(0, 10), currency, mrr: String(100_000 + index * 1500), formatted },
    ...{ by_product: [], new: String(index % 7 === 0 ? 9000 : 1500), new_formatted: formatted },
    ...{ churn: String(index % 5 === 0 ? 4000 : 0), churn_formatted: formatted },
    ...zero('usage_last_period'),
    ...zero('expansion'),
    ...zero('contraction'),
    ...zero('reactivation'),
    ...zero('past_due'),
  }))
  const pushes = [{ revision: 2, version: '2.0.0', at: at(Math.floor(count / 2)), by: 'Zoë' }]
  return { as_of: new Date().toISOString(), days, pushes }
}
