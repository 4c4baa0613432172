import { describe, expect, test } from 'vitest'
import { placesOf } from '../../../packages/ratecard/src/catalog/places.ts'
import { planChanges } from '../../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { pastDates } from '../../../packages/ratecard/src/push/checks/past-dates.ts'
import { emptySnapshot } from '../../support/empty-snapshot.ts'

const now = Date.UTC(2026, 10, 21, 12)
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
const farFuture = 20 * 365 * 86_400

/** Returns the pointers of the errors of a first push at noon. */
function refused(dates: { readonly redeem_by?: string; readonly expires_at?: string }): readonly string[] {
  const { redeem_by, expires_at } = dates
  const config: BillingConfig = {
    version: '1.0.0',
    products: [{ id: 'pro', name: 'Pro' }],
    coupons: [{ id: 'ten', percent_off: 10, duration: 'once', ...(redeem_by === undefined ? {} : { redeem_by }) }],
    promotion_codes: [
      { id: 'hello', code: 'HELLO', coupon: 'ten', ...(expires_at === undefined ? {} : { expires_at }) },
    ],
  }
  const snapshot = emptySnapshot()
  const plan = planChanges({ config, previous: null, snapshot, mappings: [] })
  return pastDates({ plan, place: placesOf(config) }, now).map(({ pointer }) => pointer)
}

describe.each([
  ['a coupon', 'redeem_by', '#/coupons/0/redeem_by'],
  ['a promotion code', 'expires_at', '#/promotion_codes/0/expires_at'],
] as const)('%s that a push would create', (_what, field, pointer) => {
  test.each([
    ['was a second ago', -1],
    ['is now', 0],
  ])('is refused if its end date %s', (_when, seconds) => {
    expect(refused({ [field]: at(seconds) })).toEqual([pointer])
  })

  test.each([
    ['a second is left', 1],
    ['years are left', farFuture],
  ])('is accepted if %s until its end date', (_when, seconds) => {
    expect(refused({ [field]: at(seconds) })).toEqual([])
  })
})

test('an item without an end date is accepted by a push', () => {
  expect(refused({})).toEqual([])
})
