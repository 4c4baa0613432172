// Every pair of what a tenant has and what it asks for, at the first day, the tenth, the middle and the last of a period: the preview, the
// invoice and the arithmetic agree to the cent.
import { describe, expect, it } from 'vitest'
import { admin } from '../../support/app.ts'
import { startChangingShop } from '../../support/shop/changing-shop.ts'
import { startedForAll } from '../../support/started.ts'

const shop = startedForAll(() => startChangingShop())

interface Pair {
  readonly has: string
  readonly asks: string
  readonly when: 'now' | 'period_end'
  /** Days of the period: April 2031, or the year from then on. */
  readonly days: 30 | 366
  /** Total of the invoice of the change, for a quantity and the days that are left; null if there is none. */
  readonly total: ((quantity: number, left: number) => number) | null
  /** Total of the next regular invoice. */
  readonly next: (quantity: number) => number
  readonly more?: number
  readonly deal?: 'gold'
  readonly coupon?: 'third'
}

// A day costs: basic 1.00, pro 3.00, pro_gold 2.00, pro_yearly 2.00, pro_yearly_full 4.00.
const pairs: readonly Pair[] = [
  {
    has: 'basic',
    asks: 'pro',
    when: 'now',
    days: 30,
    total: (q, left) => (300 - 100) * q * left,
    next: (q) => 9000 * q,
  },
  { has: 'pro', asks: 'basic', when: 'period_end', days: 30, total: null, next: (q) => 3000 * q },
  {
    has: 'pro',
    asks: 'pro',
    more: 3,
    when: 'now',
    days: 30,
    total: (_q, left) => 300 * 3 * left,
    next: (q) => 9000 * (q + 3),
  },
  {
    has: 'basic',
    asks: 'pro_yearly',
    when: 'now',
    days: 30,
    total: (q, left) => 73_200 * q - 100 * q * left,
    next: (q) => 73_200 * q,
  },
  { has: 'pro', asks: 'pro_yearly', when: 'period_end', days: 30, total: null, next: (q) => 73_200 * q },
  {
    has: 'pro_yearly',
    asks: 'pro_yearly_full',
    when: 'now',
    days: 366,
    total: (q, left) => (400 - 200) * q * left,
    next: (q) => 146_400 * q,
  },
  { has: 'pro_yearly_full', asks: 'pro_yearly', when: 'period_end', days: 366, total: null, next: (q) => 73_200 * q },
  {
    has: 'basic',
    asks: 'pro',
    deal: 'gold',
    when: 'now',
    days: 30,
    total: (q, left) => (200 - 100) * q * left,
    next: (q) => 6000 * q,
  },
  {
    has: 'basic',
    asks: 'pro',
    coupon: 'third',
    when: 'now',
    days: 30,
    total: (q, left) => (201 - 67) * q * left,
    next: (q) => 6030 * q,
  },
  { has: 'pro', asks: 'basic', coupon: 'third', when: 'period_end', days: 30, total: null, next: (q) => 2010 * q },
]

const rows = pairs.flatMap((pair, index) =>
  [0, 10, pair.days / 2, pair.days - 1].flatMap((day, at) =>
    [1, 7].map((quantity) => {
      // Both billing modes bill these changes alike, so the rows take turns.
      const mode = (index + at + quantity) % 2 === 0 ? ('classic' as const) : ('flexible' as const)
      return { ...pair, day, quantity, mode, id: `t${String(index)}-${String(at)}-${String(quantity)}` }
    }),
  ),
)

describe('a subscription change', () => {
  it.each(rows)(
    'from $has to $asks at day $day with $quantity, $mode, deal $deal, coupon $coupon, costs the independently calculated amount',
    async ({ id, has, asks, when, days, total, next, more = 0, deal, coupon, day, quantity, mode }) => {
      const tenant = await shop.subscriber(
        id,
        { [has]: quantity },
        {
          billing_mode: { type: mode },
          ...(coupon === undefined ? {} : { discounts: [{ coupon }] }),
        },
      )
      if (deal !== undefined) {
        const payload = { tenant_id: id, enterprise_template: deal }
        await shop.asAdmin({ method: 'POST', url: `${admin}/enterprise/apply-template`, payload })
      }
      if (day > 0) await tenant.pass(day)
      const before = await tenant.totals()
      const body = { items: [{ price_id: asks, quantity: quantity + more }] }
      const preview = await tenant.ask('preview', body)
      const due = total === null ? 0 : total(quantity, days - day)
      expect(preview).toMatchObject({ when, due_now: { amount: due }, next_invoice: { amount: next(quantity) } })
      const outcome = await tenant.ask('change', { ...body, preview: preview['preview'] as string })
      expect(outcome).toMatchObject({ status: when === 'now' ? 'changed' : 'scheduled', due_now: { amount: due } })
      expect(await tenant.totals()).toEqual([...before, ...(total === null ? [] : [due])])
      if (days === 30 && !asks.endsWith('yearly')) {
        await tenant.pass(days - day + 0.5)
        expect((await tenant.totals()).at(-1)).toBe(next(quantity))
      }
    },
  )
})
