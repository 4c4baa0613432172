import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { decimalFromInteger } from '../../../../packages/ratecard/src/base/money/decimal.ts'
import {
  allowanceOf,
  checkAllowance,
  type FeatureGrant,
  type FeatureSource,
} from '../../../../packages/ratecard/src/customers/subscriptions/features/allowances.ts'
import type { ProductFeature } from '../../../../packages/ratecard/src/document/schema/feature-schema.ts'

const now = Date.UTC(2026, 10, 15)
const projects = { id: 'projects', name: 'Projects', type: 'limit' } as const
const calls = { id: 'calls', name: 'Calls', type: 'metered', meter: 'api_calls' } as const
const sso = { id: 'sso', name: 'SSO' }
const period = { start: Date.UTC(2026, 10, 10), end: Date.UTC(2026, 11, 10) }
const source = (feature: ProductFeature, quantity = 1, own: FeatureSource['period'] = period): FeatureSource => ({
  features: [feature],
  group: null,
  quantity,
  period: own,
})
const grant = (change: Partial<FeatureGrant>): FeatureGrant => ({
  ...{ feature: 'projects', limit: null, enabled: null, endsAt: null, replace: false },
  ...change,
})

describe('the allowance of a tenant for a feature', () => {
  test('is the sum of the limits of all items, each times its quantity if the limit counts per unit', () => {
    const sources = [
      source({ id: 'projects', limit: 10 }),
      source({ id: 'projects', limit: 3, per_quantity: true }, 7),
      source('sso'),
    ]
    expect(allowanceOf(projects, sources, undefined, now)).toMatchObject({ included: true, limit: 31, beyond: 'deny' })
  })

  test('is unlimited if one of the items is unlimited', () => {
    const sources = [source({ id: 'projects', limit: 10 }), source({ id: 'projects', limit: 'unlimited' })]
    expect(allowanceOf(projects, sources, undefined, now).limit).toBe('unlimited')
  })

  test('is unlimited if an item was sold with a document in which the feature was a switch, not a limit', () => {
    expect(allowanceOf(projects, [source('projects')], undefined, now)).toMatchObject({
      ...{ included: true, limit: 'unlimited' },
    })
    expect(allowanceOf(calls, [source('calls')], grant({ feature: 'calls', limit: 5, replace: true }), now).limit).toBe(
      5,
    )
  })

  test('is 0, and the feature is not included, if no item has the feature', () => {
    expect(allowanceOf(projects, [source('sso')], undefined, now)).toMatchObject({ included: false, limit: 0 })
    expect(allowanceOf(sso, [], undefined, now)).toMatchObject({ included: false, limit: null })
  })

  test('counts usage within the billing period, the calendar month, or forever, as the product defines', () => {
    const counted = (entry: ProductFeature, own: FeatureSource['period'] = period) =>
      allowanceOf(calls, [source(entry, 1, own)], undefined, now).counted
    const month = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) }
    expect(counted({ id: 'calls', limit: 5 })).toEqual({ from: period.start, to: period.end })
    expect(counted({ id: 'calls', limit: 5, resets: 'month' })).toEqual(month)
    expect(counted({ id: 'calls', limit: 5, resets: 'never' })).toEqual({ from: 0, to: null })
    expect(counted({ id: 'calls', limit: 5 }, null)).toEqual(month)
    expect(allowanceOf(projects, [source({ id: 'projects', limit: 5 })], undefined, now).counted).toBeNull()
  })

  test('grows by an extra grant until the grant ends, or equals the grant if the grant replaces the purchased limit', () => {
    const bought = [source({ id: 'projects', limit: 10 })]
    const limitWith = (change: Partial<FeatureGrant>) => allowanceOf(projects, bought, grant(change), now).limit
    expect(limitWith({ limit: 50 })).toBe(60)
    expect(limitWith({ limit: 50, endsAt: now + 1 })).toBe(60)
    expect(limitWith({ limit: 50, endsAt: now })).toBe(10)
    expect(limitWith({ limit: 5, replace: true })).toBe(5)
    expect(limitWith({ limit: 'unlimited' })).toBe('unlimited')
  })

  test('includes a feature that is a switch if a grant switches the feature on, and excludes it if a grant switches it off', () => {
    const on = grant({ feature: 'sso', enabled: true })
    expect(allowanceOf(sso, [], on, now).included).toBe(true)
    expect(allowanceOf(sso, [source('sso')], { ...on, enabled: false }, now).included).toBe(false)
    expect(allowanceOf(sso, [source('sso')], { ...on, enabled: false, endsAt: now }, now).included).toBe(true)
  })
})

test('a check of a feature allows exactly the remaining limit, and more only if the product allows overage', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(100),
      fc.nat(100),
      fc.constantFrom('deny', 'allow'),
      (limit, used, requested, beyond) => {
        const allowance = allowanceOf(projects, [source({ id: 'projects', limit, beyond })], undefined, now)
        const check = checkAllowance(allowance, decimalFromInteger(used), requested)
        const fits = used + requested <= limit
        expect(check).toEqual({
          allowed: fits || beyond === 'allow',
          reason: fits || beyond === 'allow' ? null : 'limit_reached',
          used: decimalFromInteger(used),
          remaining: decimalFromInteger(Math.max(0, limit - used)),
        })
      },
    ),
  )
})
