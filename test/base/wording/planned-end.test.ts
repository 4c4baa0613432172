import { expect, test } from 'vitest'
import { endOf, endWords } from '../../../packages/ratecard/src/base/wording/planned-end.ts'

const items = [{ currentPeriodEnd: '2026-12-03T00:00:00Z' }, { currentPeriodEnd: '2027-06-03T00:00:00Z' }]

test('a subscription with a planned end ends on its cancellation date, or else at the latest period end of its items', () => {
  expect(endOf({ cancelAt: null, cancelAtPeriodEnd: true, items })).toBe('2027-06-03T00:00:00Z')
  expect(endOf({ cancelAt: '2026-12-24T00:00:00Z', cancelAtPeriodEnd: false, items })).toBe('2026-12-24T00:00:00Z')
  expect(endOf({ cancelAt: null, cancelAtPeriodEnd: false, items })).toBeNull()
})

test('the words for planned ends have a form for one subscription, for one of several, and for several with the first date', () => {
  expect([endWords(1, 1), endWords(1, 2), endWords(2, 2)]).toEqual(['ends', '1 of 2 ends', '2 of 2 end, the first'])
})
