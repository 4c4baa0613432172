import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../packages/ratecard/src/customers/tenants/planned-free.ts'

const hour = 60 * 60_000
const end = Date.UTC(2031, 4, 1)
const running = { endedAt: null, cancelAt: end, cancelAtPeriodEnd: true, testClock: null }

describe('the planned free subscription that follows a paid subscription', () => {
  test.each([
    [
      'is carried out at the time at which the paid subscription ended',
      { ...running, endedAt: end + hour },
      end + 2 * hour,
      { at: end + hour },
    ],
    ['waits while the paid subscription runs', running, end - hour, 'wait'],
    ['waits if the processor ends the paid subscription late', running, end + hour, 'wait'],
    [
      'is dropped if the paid subscription continues',
      { ...running, cancelAt: null, cancelAtPeriodEnd: false },
      end + 1,
      'forget',
    ],
    [
      'waits for the end of the period even if the cancellation of the paid subscription was revoked',
      { ...running, cancelAt: null, cancelAtPeriodEnd: false },
      end - hour,
      'wait',
    ],
    [
      'is dropped if the paid subscription ends much later',
      { ...running, cancelAt: end + 240 * hour },
      end + 25 * hour,
      'forget',
    ],
    ['is dropped if the paid subscription ended much earlier', { ...running, endedAt: end - 25 * hour }, end, 'forget'],
    [
      'waits for a paid subscription on a test clock, whose time is not that of the service',
      { ...running, testClock: 'clock_1' },
      end + 48 * hour,
      'wait',
    ],
    ['is dropped if the paid subscription does not exist', null, end, 'forget'],
  ] as const)('%s', (_title, found, now, outcome) => {
    expect(outcomeOf(found, end, now)).toEqual(outcome)
  })
})
