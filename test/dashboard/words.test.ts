import { describe, expect, it } from 'vitest'
import {
  amount,
  auditWords,
  count,
  limitWords,
  pluralize,
  tierRange,
} from '../../packages/dashboard/src/words/words.ts'

describe('numbers and their units', () => {
  it('are grouped by thousands, also as decimal text', () => {
    expect([count(1_234_567), amount(12_000), amount('1234567.25'), amount('unlimited')]).toEqual([
      '1,234,567',
      '12,000',
      '1,234,567.25',
      'unlimited',
    ])
    expect([
      pluralize(1, 'tenant'),
      pluralize(10_000, 'tenant'),
      pluralize(2000, 'key to check', 'keys to check'),
    ]).toEqual(['1 tenant', '10,000 tenants', '2,000 keys to check'])
    expect([tierRange(1001, 10_000), tierRange(10_001, null)]).toEqual(['1,001 – 10,000', '10,001 and more'])
  })

  it('of a limit have the plural form of the unit, and its reset', () => {
    const calls = {
      id: 'calls',
      name: 'Calls',
      type: 'metered' as const,
      unit: { one: 'call', other: 'calls' },
      meter: 'm',
    }
    const boards = { id: 'boards', name: 'Boards', type: 'limit' as const, unit: { one: 'board', other: 'boards' } }
    expect(limitWords({ id: 'calls', limit: 5000 }, calls)).toBe('5,000 calls a billing period')
    expect(limitWords({ id: 'calls', limit: 1, resets: 'month' }, calls)).toBe('1 call a month')
    expect(limitWords({ id: 'boards', limit: 1200, per_quantity: true }, boards, 'seat')).toBe('1,200 boards per seat')
    expect(limitWords({ id: 'boards', limit: 'unlimited' }, { id: 'boards', name: 'Boards', type: 'limit' })).toBe(
      'Boards: unlimited',
    )
  })
})

it('an action of the audit log is told in words, those of deals by what they do', () => {
  expect(['apply_template', 'apply_custom', 'remove', 'subscription_ended', 'tenant_created'].map(auditWords)).toEqual([
    'deal applied',
    'deal applied',
    'deal removed',
    'subscription ended',
    'tenant created',
  ])
})
