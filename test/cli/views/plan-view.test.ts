// A plan on a terminal of 80 columns: no line wraps between `before` and `after`.
import type { Detail, PriceImpact } from '@ratecard/client'
import { describe, expect, it } from 'vitest'
import { impactSentence } from '../../../packages/ratecard/src/cli/views/plan/impact.ts'
import { showPlan } from '../../../packages/ratecard/src/cli/views/plan/plan.ts'
import { createPaint } from '../../../packages/ratecard/src/cli/terminal/terminal-text.ts'

const detail = (more: Partial<Detail> = {}): Detail => ({
  kind: 'price',
  configId: 'pro_monthly',
  action: 'replace',
  because: [],
  fields: [],
  processorIdBefore: null,
  processorIdAfter: null,
  display: { before: '€12.00 / month', after: '€14.00 / month' },
  ...more,
})
const plain = createPaint(false)
const shown = (details: readonly Detail[], width: number) => showPlan(details, { paint: plain, width })

const wide = detail({
  configId: 'enterprise_with_a_long_name',
  display: {
    before: 'graduated: up to 10 $5.00, up to 100 $4.00, up to 1000 $3.00, then $2.00 / month (also €5.00)',
    after: 'graduated: up to 10 $6.00, up to 100 $5.00, up to 1000 $4.00, then $3.00 / month (also €6.00)',
  },
})

describe('a plan on a terminal', () => {
  it('has each change on one line if the terminal is wide enough', () => {
    expect(shown([detail()], 80)).toBe('-/+  price  pro_monthly  €12.00 / month → €14.00 / month')
  })

  it('has the values before and after on separate lines if one line is too short, and breaks lines only at spaces', () => {
    expect(shown([wide], 80)).toBe(
      [
        '-/+  price  enterprise_with_a_long_name',
        '         graduated: up to 10 $5.00, up to 100 $4.00, up to 1000 $3.00, then',
        '         $2.00 / month (also €5.00)',
        '       → graduated: up to 10 $6.00, up to 100 $5.00, up to 1000 $4.00, then',
        '         $3.00 / month (also €6.00)',
      ].join('\n'),
    )
  })

  it('is never wider than the terminal, and has one line per change without a terminal', () => {
    const field = { field: 'metadata.note', before: 'a '.repeat(60), after: 'b '.repeat(60), origin: 'edit' as const }
    const product = detail({
      kind: 'product',
      action: 'update',
      fields: [field],
      display: { before: 'Pro', after: 'Pro' },
    })
    for (const line of shown([wide, detail(), product], 80).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(shown([wide, detail()], Infinity).split('\n')).toHaveLength(2)
  })

  it('shows two long values only around the characters that differ', () => {
    const field = {
      field: 'metadata.note',
      before: { text: 'x'.repeat(200), end: 'one' },
      after: { text: 'x'.repeat(200), end: 'two' },
      origin: 'edit' as const,
    }
    const product = detail({ kind: 'product', action: 'update', fields: [field], display: { before: 'P', after: 'P' } })
    expect(shown([product], Infinity)).toMatch(/…x+","end":"one"} → …x+","end":"two"}/)
  })
})

describe('whom a price concerns', () => {
  const usd = (amount: number) => [{ currency: 'usd', amount, formatted: `$${(amount / 100).toFixed(2)}` }]
  const generation = (amount: string, subscriptions: number, current: boolean) => ({
    ...{ processorPriceId: `price_${amount}`, currency: 'usd', amount, formatted: `$${amount}`, subscriptions },
    ...{ tenants: subscriptions, monthly: [], current },
  })
  const impact: PriceImpact = {
    ...{ priceId: 'pro', processorPriceId: 'price_1', action: 'replace', usageBased: false, subscribersUrl: '/s' },
    ...{ subscriptions: 5, subscriptionsWithoutTenant: 2, tenants: 3, monthly: usd(9000), monthlyAfter: usd(12_000) },
    generations: [generation('20.00', 4, true), generation('10.00', 1, false), generation('5.00', 0, false)],
  }
  it.each([
    [
      'replaced',
      {},
      '3 subscriptions of 3 tenants and 2 subscriptions of customers that are not tenants pay $90.00 a month, at the new price $120.00; 1 of them on an earlier price of $10.00',
    ],
    [
      'changed in place',
      { action: 'update' as const, subscriptions: 1, subscriptionsWithoutTenant: 0, tenants: 1, monthlyAfter: [] },
      '1 subscription of 1 tenant pays $90.00 a month, keeps its price; 1 of them on an earlier price of $10.00',
    ],
    [
      'archived',
      { action: 'archive' as const, subscriptionsWithoutTenant: 0, monthlyAfter: [], generations: [] },
      '5 subscriptions of 3 tenants pay $90.00 a month, go on paying it',
    ],
    [
      'billed by usage',
      { usageBased: true, monthly: [], monthlyAfter: [], subscriptionsWithoutTenant: 0, generations: [] },
      '5 subscriptions of 3 tenants pay by usage',
    ],
  ])('is said of a price that is %s', (_what, more, sentence) => {
    expect(impactSentence({ ...impact, ...more })).toBe(sentence)
  })
})
