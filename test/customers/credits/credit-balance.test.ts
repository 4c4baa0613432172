import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { StoredCreditGrant } from '../../../packages/ratecard/src/store/credit-store.ts'
import { creditBalance, creditState } from '../../../packages/ratecard/src/customers/subscriptions/credit-balance.ts'

const now = Date.UTC(2026, 10, 15)
const day = 86_400_000
const grant = (more: Partial<StoredCreditGrant> = {}): StoredCreditGrant => ({
  ...{ id: 'credgr_1', customer: processorId('cus_1'), currency: 'usd', amount: 1000, remaining: 400 },
  ...{ category: 'paid', name: null, prices: null, source: null },
  ...{ createdAt: now - day, effectiveAt: now - day, expiresAt: null, voidedAt: null },
  ...more,
})

describe('the state of a billing credit', () => {
  test.each([
    ['active', {}],
    ['active', { expiresAt: now + 1 }],
    ['expired', { expiresAt: now }],
    ['used', { remaining: 0 }],
    ['voided', { voidedAt: now - 1, remaining: 0 }],
    ['pending', { effectiveAt: now + day }],
    ['active', { createdAt: now + day, effectiveAt: now + day }],
  ] as const)('is "%s" for the members %j', (state, more) => {
    expect(creditState(grant(more), now)).toBe(state)
  })
})

test('the credit balance is the sum of the remaining amounts of all active credits, by currency', () => {
  const grants = [
    grant(),
    grant({ remaining: 100 }),
    grant({ currency: 'eur', remaining: 5 }),
    grant({ expiresAt: now - 1 }),
    grant({ effectiveAt: now + day }),
    grant({ voidedAt: now }),
  ]
  expect(creditBalance(grants, now)).toEqual([
    { currency: 'eur', amount: 5, formatted: '€0.05' },
    { currency: 'usd', amount: 500, formatted: '$5.00' },
  ])
})
