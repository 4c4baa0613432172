import { expect, test } from 'vitest'
import { closedPagesText } from '../../../packages/ratecard/src/cli/follow/job-outcome.ts'

test('one page that was closed is not told of as several', () => {
  expect(closedPagesText(1)).toBe('1 open checkout page closed: what it sold is not the tenant’s price any more.')
  expect(closedPagesText(2)).toBe('2 open checkout pages closed: what they sold is not the tenant’s price any more.')
})
