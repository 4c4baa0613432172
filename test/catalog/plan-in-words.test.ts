import { describe, expect, it } from 'vitest'
import { planInWords, type PlanFigures } from '../../packages/ratecard/src/catalog/plan-in-words.ts'
import { fraction } from '../../packages/ratecard/src/base/money/fraction.ts'

const none = { tenants: 0, withoutTenant: 0 }
const change = (
  action: PlanFigures['changes'][number]['action'],
  kind: PlanFigures['changes'][number]['kind'],
  id = 'x',
) => ({ action, kind, configId: id }) as PlanFigures['changes'][number]
const at = (before: number, after: number) => ({
  currency: 'eur',
  quantity: 1,
  before: fraction(before),
  after: fraction(after),
})
const rises = (configId: string) => ({ configId, currencies: [{ rise: at(1, 2), fall: null }] })
const falls = (configId: string) => ({ configId, currencies: [{ rise: null, fall: at(2, 1) }] })

function said(figures: Partial<PlanFigures> & { readonly kept?: Partial<PlanFigures['impact']['kept']> }): string {
  const { kept, ...rest } = figures
  return planInWords({
    changes: [],
    moves: [],
    negotiated: new Set(),
    lowered: { products: 0, tenants: 0 },
    ...rest,
    impact: {
      ...{ prices: [], lostCurrencies: [], ...rest.impact },
      kept: { replaced: none, archived: none, current: none, same: none, ...kept },
    },
  })
}
const money = (monthly: number, after: number, currency = 'eur') => ({
  action: 'replace',
  monthly: [{ currency, amount: monthly }],
  monthlyAfter: [{ currency, amount: after }],
})
const impactOf = (...prices: PlanFigures['impact']['prices']) => ({
  prices,
  lostCurrencies: [],
  kept: { replaced: none, archived: none, current: none, same: none },
})

describe('the summary of a plan in words', () => {
  it('contains the prices that increase, the customers who keep the old price, and the amount for new customers', () => {
    const text = said({
      moves: [rises('a'), rises('b'), rises('c')],
      impact: impactOf(money(200_000, 304_000)),
      kept: { replaced: { tenants: 120, withoutTenant: 0 } },
    })
    expect(text).toBe(
      '3 prices rise. 120 tenants keep the old price until you move them; at the new price they would pay €1,040.00 a month more in total.',
    )
  })

  it('uses the singular for one price, one tenant, and one customer without a tenant', () => {
    const text = said({
      moves: [falls('a')],
      impact: impactOf(money(1000, 900)),
      kept: { replaced: { tenants: 1, withoutTenant: 0 } },
    })
    expect(text).toBe(
      '1 price falls. 1 tenant keeps the old price until you move it; at the new price it would pay €1.00 a month less.',
    )
    expect(said({ moves: [rises('a')], kept: { replaced: { tenants: 2, withoutTenant: 1 } } })).toBe(
      '1 price rises. 2 tenants and 1 customer that is not a tenant keep the old price until you move them.',
    )
    expect(said({ moves: [rises('a')], kept: { replaced: { tenants: 0, withoutTenant: 1200 } } })).toContain(
      '1,200 customers that are not tenants keep',
    )
  })

  it('lists increases and decreases separately, and each currency separately', () => {
    const text = said({
      moves: [rises('a'), falls('b')],
      impact: impactOf(money(1000, 1500), money(1000, 1200, 'usd'), money(1000, 400, 'gbp')),
      kept: { replaced: { tenants: 3, withoutTenant: 0 } },
    })
    expect(text).toContain('1 price rises, 1 falls.')
    expect(text).toContain('would pay €5.00 and $2.00 a month more and £6.00 a month less in total.')
  })

  it('contains both groups if a price increases for some customers and decreases for others', () => {
    const both = { configId: 'a', currencies: [{ rise: at(1, 2), fall: at(2, 1) }] }
    expect(said({ moves: [both] })).toBe(
      '1 price rises for some and falls for others. It has no subscribers, so only new customers are affected.',
    )
  })

  it('contains the fact that changed prices have no subscribers, in singular and plural', () => {
    expect(said({ moves: [rises('a')] })).toBe(
      '1 price rises. It has no subscribers, so only new customers are affected.',
    )
    expect(said({ moves: [rises('a'), rises('b')] })).toBe(
      '2 prices rise. They have no subscribers, so only new customers are affected.',
    )
  })

  it('omits unknown amounts', () => {
    const usage = { action: 'replace', monthly: [], monthlyAfter: [] }
    expect(
      said({ moves: [rises('a')], impact: impactOf(usage), kept: { replaced: { tenants: 3, withoutTenant: 0 } } }),
    ).toBe('1 price rises. 3 tenants keep the old price until you move them.')
  })

  it('contains the numbers of new and removed prices, and the customers who continue to pay removed prices', () => {
    const text = said({
      changes: [change('create', 'price', 'n1'), change('create', 'price', 'n2'), change('archive', 'price', 'o')],
      kept: { archived: { tenants: 5, withoutTenant: 0 } },
    })
    expect(text).toBe('2 prices are new, 1 is no longer sold. 5 tenants go on paying a price that is no longer sold.')
  })

  it('counts negotiated prices, coupons and promotion codes separately', () => {
    const text = said({
      moves: [rises('list'), rises('deal')],
      negotiated: new Set(['deal']),
      changes: [change('create', 'coupon'), change('archive', 'promotion_code')],
    })
    expect(text).toContain('1 price rises, 1 negotiated price rises, 1 coupon is new, 1 promotion code ends.')
  })

  it('contains the tenants that get fewer features, or the fact that existing customers keep theirs', () => {
    expect(said({ lowered: { products: 1, tenants: 12 } })).toBe('12 tenants get fewer features or lower limits.')
    expect(said({ lowered: { products: 1, tenants: 0 } })).toBe(
      '1 product gives less to new customers; existing customers keep their features.',
    )
  })

  it('is a sentence about no change if no customer pays more or less', () => {
    expect(said({})).toBe('Nothing changes for any customer.')
    expect(said({ changes: [change('keep', 'price')] })).toBe('Nothing changes for any customer.')
    expect(said({ changes: [change('update', 'product')] })).toBe('No customer pays more or less.')
  })

  it('says of each group only what is true of it: who keeps another amount, who becomes current, who would pay the same', () => {
    const people = (tenants: number) => ({ tenants, withoutTenant: 0 })
    expect(said({ moves: [falls('a')], kept: { current: people(6) } })).toBe(
      '1 price falls. 6 tenants have the price that is sold again, and become current.',
    )
    expect(said({ moves: [rises('a')], kept: { replaced: people(3), current: people(1), same: people(2) } })).toBe(
      '1 price rises. 3 tenants keep the old price until you move them. 1 tenant has the price that is sold again, and becomes current. 2 tenants would pay the same at the new price.',
    )
  })

  it('names a currency in which prices are no longer sold, and counts a tenant with two of them once', () => {
    const lost = (priceId: string, tenants: readonly string[], currency = 'usd', withoutTenant = 0) => ({
      ...{ priceId, currency, tenants },
      subscribers: { tenants: tenants.length, withoutTenant },
    })
    const removed = (...lostCurrencies: PlanFigures['impact']['lostCurrencies']) =>
      said({ changes: [change('replace', 'price')], impact: { ...impactOf(), lostCurrencies } })
    expect(removed(lost('a', ['x', 'y', 'z']))).toBe('1 price is no longer sold in USD; 3 tenants pay in USD.')
    expect(removed(lost('a', ['x']), lost('b', ['x'], 'usd', 1), lost('b', [], 'jpy', 1))).toBe(
      '1 price is no longer sold in JPY; 1 customer that is not a tenant pays in JPY. 2 prices are no longer sold in USD; 1 tenant and 1 customer that is not a tenant pay in USD.',
    )
  })
})
