// Each rule at its edge: what just holds, and what just breaks it.
import { describe, expect, it } from 'vitest'
import { decideViolations } from '../../../packages/ratecard/src/catalog/policies/decide.ts'
import type { AffectedPrice, ChangeFacts, ChangedItem } from '../../../packages/ratecard/src/catalog/policies/decide.ts'
import type { Policy } from '../../../packages/ratecard/src/document/schema/policies/policy-rules.ts'
import type { Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { compareAmounts } from '../../../packages/ratecard/src/document/pricing/price-change.ts'

const nothing: ChangeFacts = { items: [], prices: [], affected: [], tenants: 0, message: null }
const now = Date.parse('2026-12-20T12:00:00Z')
type Rule = Partial<Pick<Policy, 'reason' | 'except' | 'environments'>> & {
  readonly rule: Policy['rule']
  readonly value?: unknown
}

function broken(rule: Rule, facts: Partial<ChangeFacts>, at: { environment?: string | null; now?: number } = {}) {
  const policy = { id: 'p', severity: 'deny', ...rule } as Policy
  return decideViolations([policy], { ...nothing, ...facts }, { now, environment: 'dev', ...at })
}
const monthly = (amount: number, more: Partial<Price> = {}): Price => ({
  id: 'pro',
  amount,
  currency: 'eur',
  interval: 'month',
  ...more,
})
const changed = (before: Price, after: Price) => ({
  prices: [{ configId: 'pro', currencies: compareAmounts(before, after) }],
})
const item = (change: Partial<ChangedItem> = {}): ChangedItem => ({
  kind: 'price',
  configId: 'pro',
  action: 'create',
  metadata: [],
  currencies: ['eur'],
  isNew: true,
  ...change,
})
const affected = (change: Partial<AffectedPrice> = {}): AffectedPrice => ({
  configId: 'pro',
  action: 'archive',
  subscriptions: 1,
  tenants: 1,
  monthly: [{ currency: 'eur', amount: 1000 }],
  ...change,
})

describe('the policy rule max_increase_percent', () => {
  const rule = { rule: 'max_increase_percent', value: 10 } as const

  it('allows an increase of exactly the limit, and refuses one cent more', () => {
    expect(broken(rule, changed(monthly(2000), monthly(2200)))).toEqual([])
    expect(broken(rule, changed(monthly(2000), monthly(2201)))).toEqual([
      {
        id: 'p',
        rule: 'max_increase_percent',
        severity: 'deny',
        kind: 'price',
        configId: 'pro',
        detail: 'The price "pro" rises by 10.1% (€20.00 → €22.01), more than 10%.',
        reason: null,
      },
    ])
  })

  it('refuses an increase of a price that was free, and compares different intervals by the month', () => {
    expect(broken(rule, changed(monthly(0), monthly(1)))[0]?.detail).toContain('costs something and was free')
    const yearly = (amount: number) => monthly(amount, { interval: 'year' })
    expect(broken(rule, changed(monthly(1000), yearly(12_000)))).toEqual([])
    expect(broken(rule, changed(monthly(1000), yearly(13_201)))).toHaveLength(1)
  })

  it('detects an increase in a single tier and in another currency', () => {
    const tiers = (last: number): Partial<Price> => ({
      billing_scheme: 'tiered',
      tiers: [
        { up_to: 10, unit_amount: 100 },
        { up_to: 'inf', unit_amount: last },
      ],
    })
    const { amount: _, ...base } = monthly(0)
    expect(broken(rule, changed({ ...base, ...tiers(50) }, { ...base, ...tiers(50) }))).toEqual([])
    expect(broken(rule, changed({ ...base, ...tiers(50) }, { ...base, ...tiers(60) }))[0]?.detail).toContain('units')
    const inUsd = (amount: number) => monthly(1000, { currency_options: { usd: { amount } } })
    expect(broken(rule, changed(inUsd(1000), inUsd(1200)))[0]?.detail).toContain('$10.00 → $12.00')
  })

  it('compares limits with decimals exactly', () => {
    const fine = { rule: 'max_increase_percent', value: 7.5 } as const
    expect(broken(fine, changed(monthly(1000), monthly(1075)))).toEqual([])
    expect(broken(fine, changed(monthly(1000), monthly(1076)))).toHaveLength(1)
  })

  it('ignores a decrease', () => {
    expect(broken(rule, changed(monthly(1000), monthly(1)))).toEqual([])
  })
})

describe('the policy rule max_decrease_percent', () => {
  const rule = { rule: 'max_decrease_percent', value: 50 } as const

  it('allows a decrease of exactly the limit, and refuses one cent more', () => {
    expect(broken(rule, changed(monthly(2000), monthly(1000)))).toEqual([])
    expect(broken(rule, changed(monthly(2000), monthly(999)))[0]?.detail).toBe(
      'The price "pro" falls by 50.1% (€20.00 → €9.99), more than 50%.',
    )
  })
})

describe('the policy rule no_archive_with_subscribers', () => {
  const rule = { rule: 'no_archive_with_subscribers' } as const

  it('refuses to archive a price with one subscription, and allows it without subscriptions or if the price is replaced', () => {
    expect(broken(rule, { affected: [affected()] })[0]).toMatchObject({
      kind: 'price',
      configId: 'pro',
      detail: 'The price "pro" is archived, and 1 subscription is on it.',
    })
    expect(broken(rule, { affected: [affected({ subscriptions: 0 }), affected({ action: 'replace' })] })).toEqual([])
  })
})

describe('the policy rule required_metadata', () => {
  const rule = { rule: 'required_metadata', value: ['owner', 'cost_centre'] } as const

  it('reports the metadata keys that a created or changed item lacks', () => {
    expect(broken(rule, { items: [item({ metadata: ['owner'] })] })[0]?.detail).toBe(
      'The price "pro" has no metadata "cost_centre".',
    )
    expect(broken(rule, { items: [item({ metadata: ['cost_centre', 'owner', 'more'] })] })).toEqual([])
  })

  it('ignores archived items, and kinds of items that the rule does not name', () => {
    const items = [item({ action: 'archive' }), item({ kind: 'webhook', metadata: null })]
    expect(broken(rule, { items })).toEqual([])
  })
})

describe('the policy rule id_pattern', () => {
  const rule = { rule: 'id_pattern', value: '^[a-z_]+$' } as const

  it('refuses a new id that does not match, and ignores existing ids and webhooks', () => {
    expect(broken(rule, { items: [item({ configId: 'Pro-1' })] })[0]?.detail).toBe(
      'The id "Pro-1" of the price does not match ^[a-z_]+$.',
    )
    const items = [item(), item({ configId: 'Pro-1', isNew: false }), item({ kind: 'webhook', configId: 'we-1' })]
    expect(broken(rule, { items })).toEqual([])
  })
})

describe('the policy rule currencies', () => {
  const rule = { rule: 'currencies', value: ['eur', 'usd'] } as const

  it('reports the currencies of a plan that the rule does not allow', () => {
    expect(broken(rule, { items: [item({ currencies: ['eur', 'gbp'] })] })[0]?.detail).toBe(
      'The price "pro" has amounts in gbp; allowed: eur, usd.',
    )
    expect(
      broken(rule, {
        items: [item({ currencies: ['usd'] }), item({ action: 'archive', currencies: ['gbp'] })],
      }),
    ).toEqual([])
  })
})

describe('the policy rule max_tenants_affected', () => {
  const rule = { rule: 'max_tenants_affected', value: 2 } as const

  it('allows exactly as many tenants as the limit, and refuses one more', () => {
    expect(broken(rule, { tenants: 2 })).toEqual([])
    expect(broken(rule, { tenants: 3 })[0]).toMatchObject({
      kind: null,
      configId: null,
      detail: '3 tenants are affected, more than 2.',
    })
  })

  it('does not count tenants of excepted prices', () => {
    const facts = { tenants: 5, affected: [affected({ tenants: 3 }), affected({ configId: 'old', tenants: 2 })] }
    expect(broken({ ...rule, except: ['pro'] }, facts)).toEqual([])
    expect(broken({ ...rule, except: ['old'] }, facts)).toHaveLength(1)
  })
})

describe('the policy rule max_monthly_affected', () => {
  const rule = { rule: 'max_monthly_affected', value: { currency: 'eur', amount: 1500 } } as const

  it('adds up only amounts in the rule’s own currency', () => {
    const usd = affected({ monthly: [{ currency: 'usd', amount: 9_999_999 }] })
    const half = affected({ monthly: [{ currency: 'eur', amount: 500 }] })
    expect(broken(rule, { affected: [affected(), half, usd] })).toEqual([])
    const more = affected({ monthly: [{ currency: 'eur', amount: 501 }] })
    expect(broken(rule, { affected: [affected(), more, usd] })[0]?.detail).toBe(
      '€15.01 a month is affected, more than €15.00.',
    )
  })
})

describe('the policy rule freeze', () => {
  const rule = { rule: 'freeze', value: { from: '2026-12-20', to: '2026-12-31' } } as const
  const at = (text: string) => broken(rule, { items: [item()] }, { now: Date.parse(text) }).length

  it('begins with the first millisecond of its first day and ends after its last day', () => {
    expect(at('2026-12-19T23:59:59.999Z')).toBe(0)
    expect(at('2026-12-20T00:00:00Z')).toBe(1)
    expect(at('2026-12-31T23:59:59.999Z')).toBe(1)
    expect(at('2027-01-01T00:00:00Z')).toBe(0)
  })

  it('refuses a change of which only a part is excepted by the rule', () => {
    const excepted = { ...rule, except: ['pro'] }
    expect(broken(excepted, { items: [item()] })).toEqual([])
    expect(broken(excepted, { items: [item(), item({ configId: 'other' })] })).toHaveLength(1)
  })
})

describe('the policy rule require_message', () => {
  it('refuses a change without a message', () => {
    expect(broken({ rule: 'require_message' }, { items: [item()] })).toHaveLength(1)
    expect(broken({ rule: 'require_message' }, { items: [item()], message: 'spring prices' })).toEqual([])
  })
})

describe('each policy rule', () => {
  const rule = { rule: 'require_message' } as const

  it('applies in the environments that the rule names, and in all environments if the current environment is unknown', () => {
    const named = { ...rule, environments: ['production'] }
    expect(broken(named, {}, { environment: 'production' })).toHaveLength(1)
    expect(broken(named, {}, { environment: 'dev' })).toEqual([])
    expect(broken(named, {}, { environment: null })).toHaveLength(1)
    expect(broken(rule, {}, { environment: 'dev' })).toHaveLength(1)
  })

  it('ignores excepted ids, and reports the reason of the rule', () => {
    const rises = changed(monthly(1000), monthly(2000))
    const limit = { rule: 'max_increase_percent', value: 10, reason: 'We promised.' } as const
    expect(broken({ ...limit, except: ['pro'] }, rises)).toEqual([])
    expect(broken(limit, rises)[0]?.reason).toBe('We promised.')
  })
})
