// Laws of the rules, for any prices and limits.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { decideViolations } from '../../../packages/ratecard/src/catalog/policies/decide.ts'
import { readPolicies } from '../../../packages/ratecard/src/catalog/policies/read-policies.ts'
import type { Policy } from '../../../packages/ratecard/src/document/schema/policies/policy-rules.ts'
import { compareAmounts } from '../../../packages/ratecard/src/document/pricing/price-change.ts'

const amount = fc.integer({ min: 1, max: 1_000_000 })
const at = { now: 0, environment: 'dev' }
const priced = (cents: number): Price => ({ id: 'p', amount: cents, currency: 'eur', interval: 'month' })
const tiered = fc.tuple(fc.integer({ min: 1, max: 50 }), amount, amount).map(([bound, first, rest]): Price => ({
  id: 'p',
  currency: 'eur',
  interval: 'month',
  billing_scheme: 'tiered',
  tiers: [
    { up_to: bound, unit_amount: first },
    { up_to: 'inf', unit_amount: rest },
  ],
}))
const rule = (name: 'max_increase_percent' | 'max_decrease_percent', value: number): Policy => ({
  id: 'r',
  rule: name,
  severity: 'deny',
  value,
})

function breaks(policy: Policy, before: Price, after: Price): boolean {
  const prices = [{ configId: 'p', currencies: compareAmounts(before, after) }]
  return decideViolations([policy], { items: [], prices, affected: [], tenants: 0, message: null }, at).length > 0
}

describe('policies:', () => {
  test('a price increase violates a limit if and only if it is larger than the limit, however large the amounts are', () => {
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 0, max: 500 }), (before, after, limit) => {
        const exceeds = BigInt(after - before) * 100n > BigInt(limit) * BigInt(before)
        expect(breaks(rule('max_increase_percent', limit), priced(before), priced(after))).toBe(exceeds)
      }),
    )
  })

  test('with both limits at 0, a change in one direction violates exactly one of the two limits', () => {
    fc.assert(
      fc.property(amount, amount, (before, after) => {
        const [up, down] = [rule('max_increase_percent', 0), rule('max_decrease_percent', 0)]
        expect(breaks(up, priced(before), priced(after))).toBe(after > before)
        expect(breaks(down, priced(before), priced(after))).toBe(after < before)
      }),
    )
  })

  test('an unchanged price with tiers violates no rule, and an increase in any tier is detected', () => {
    fc.assert(
      fc.property(tiered, fc.integer({ min: 1, max: 100 }), (price, more) => {
        const up = rule('max_increase_percent', 0)
        expect(breaks(up, price, price)).toBe(false)
        const risen = {
          ...price,
          tiers: (price.tiers ?? []).map((tier) => ({ ...tier, unit_amount: (tier.unit_amount ?? 0) + more })),
        }
        expect(breaks(up, price, risen)).toBe(true)
        expect(breaks(up, risen, price)).toBe(false)
      }),
    )
  })

  test('any JSON value is either refused with issues or accepted as rules', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const { policies, issues } = readPolicies(document)
        expect(policies === null).toBe(issues.length > 0)
      }),
    )
  })
})
