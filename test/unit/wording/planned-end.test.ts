import { expect, test } from 'vitest'
import { endOf, endWords } from '../../../packages/ratecard/src/wording/planned-end.ts'

const items = [{ currentPeriodEnd: '2026-12-03T00:00:00Z' }, { currentPeriodEnd: '2027-06-03T00:00:00Z' }]

test('a subscription ends on its date, or else with its longest period, if its end is planned', () => {
  expect(endOf({ cancelAt: null, cancelAtPeriodEnd: true, items })).toBe('2027-06-03T00:00:00Z')
  expect(endOf({ cancelAt: '2026-12-24T00:00:00Z', cancelAtPeriodEnd: false, items })).toBe('2026-12-24T00:00:00Z')
  expect(endOf({ cancelAt: null, cancelAtPeriodEnd: false, items })).toBeNull()
})

test('the end of several subscriptions is told as the first of their ends', () => {
  expect([endWords(1, 1), endWords(1, 2), endWords(2, 2)]).toEqual(['ends', '1 of 2 ends', '2 of 2 end, the first'])
})
