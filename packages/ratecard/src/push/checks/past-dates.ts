// Check for new coupons and codes that have already expired. The processor refuses them, so the push would stop half-way. The plan cannot
// check this, because planning is pure and has no clock.
import type { Issue } from '../../base/errors/issue.ts'
import type { Planned } from './planned.ts'

/** Returns one issue for each new coupon or code whose end date (e.g. `redeem_by`) is before `now` (epoch milliseconds). */
export function pastDates({ plan, place }: Pick<Planned, 'plan' | 'place'>, now: number): Issue[] {
  return plan.steps.flatMap((step): Issue[] => {
    if (step.op !== 'create') return []
    if (step.kind === 'coupon') return past('coupon', step.configId, 'redeem_by', step.fields.redeemBy)
    if (step.kind === 'promotion_code')
      return past('promotion_code', step.configId, 'expires_at', step.fields.expiresAt)
    return []
  })

  function past(kind: 'coupon' | 'promotion_code', id: string, field: string, seconds: number | null): Issue[] {
    if (seconds === null || seconds * 1000 > now) return []
    return [
      {
        code: 'date_past',
        pointer: place(kind, id, field),
        severity: 'error',
        detail: `The ${kind.replace('_', ' ')} "${id}" would be created with "${field}" ${new Date(seconds * 1000).toISOString()}, which is in the past: the processor refuses that.`,
        hint: 'Set a later date, or remove the item.',
      },
    ]
  }
}
