import { describe, expect, it } from 'vitest'
import {
  currencyChanges,
  leafChanges,
  needsTables,
  percentChange,
  pricesById,
  sidesOf,
  tierChanges,
} from '../../packages/dashboard/src/amounts/price-change.ts'

const price = { id: 'solo', amount: 1700, currency: 'eur', currency_options: { usd: { amount: 1900 } } }

describe('a changed price in the dashboard', () => {
  it('has the fields of the newer document in both columns, except for the fields that changed', () => {
    const { before, after } = sidesOf({ fields: [{ field: 'amount', before: 1200, after: 1700 }] }, price)
    expect(before).toMatchObject({ amount: 1200, currency: 'eur', currency_options: { usd: { amount: 1900 } } })
    expect(after).toMatchObject({ amount: 1700 })
  })

  it('has only one column if it was created or removed', () => {
    const fields = [
      { field: 'amount', before: null, after: 500 },
      { field: 'currency', before: null, after: 'eur' },
    ]
    expect(sidesOf({ fields }, undefined)).toEqual({ before: null, after: { amount: 500, currency: 'eur' } })
  })

  it('has a row for each currency of either version', () => {
    const fields = [{ field: 'currency_options', before: { gbp: { amount: 1100 } }, after: price.currency_options }]
    const sides = sidesOf({ fields }, price)
    expect(
      currencyChanges(sides).map(({ currency, before, after }) => [currency, before?.amount, after?.amount]),
    ).toEqual([
      ['eur', '1700', '1700'],
      ['gbp', '1100', undefined],
      ['usd', undefined, '1900'],
    ])
    expect(needsTables(sides)).toBe(true)
    expect(needsTables({ before: { currency: 'eur', amount: 1 }, after: { currency: 'eur', amount: 2 } })).toBe(false)
  })

  it('lists the tier ranges between the bounds of both versions, each with the tier that bills the range', () => {
    const before = [
      { up_to: 1000, unit_amount: 0 },
      { up_to: 'inf' as const, unit_amount: 2 },
    ]
    const after = [
      { up_to: 500, unit_amount: 0 },
      { up_to: 'inf' as const, unit_amount: 3 },
    ]
    expect(
      tierChanges(before, after).map(({ from, to, before: left, after: right }) => [
        from,
        to,
        left?.unit_amount,
        right?.unit_amount,
      ]),
    ).toEqual([
      [1, 500, 0, 0],
      [501, 1000, 0, 3],
      [1001, null, 2, 3],
    ])
  })

  it('shows the change in per cent, unless an amount is missing or the former amount is 0', () => {
    expect([percentChange('1200', '1700'), percentChange('0.05', '0.04'), percentChange('5', '5')]).toEqual([
      41.7, -20, 0,
    ])
    expect([percentChange('0', '5'), percentChange(null, '5'), percentChange('5', null)]).toEqual([null, null, null])
  })
})

describe('the amounts in a document', () => {
  it('include the calculated amounts of prices that are defined by a percentage', () => {
    const prices = [
      { id: 'base', amount: 1000, currency: 'eur', interval: 'month' as const },
      {
        id: 'deal',
        percent_off_base: '20',
        enterprise_template: 'gold',
        base_price: 'base',
        currency: 'eur',
        interval: 'month' as const,
      },
    ]
    const known = pricesById({ products: [{ id: 'p', name: 'P', prices }] })
    expect(known.get('deal')?.amount).toBe(800)
    expect(pricesById(null).size).toBe(0)
  })
})

describe('a nested value that changed, in the dashboard,', () => {
  it('is reduced to the parts that differ', () => {
    expect(leafChanges({ a: 1, list: ['x', 'y'] }, { a: 1, list: ['x', 'z', 'w'] })).toEqual([
      { path: 'list.1', before: 'y', after: 'z' },
      { path: 'list.2', before: undefined, after: 'w' },
    ])
    expect(leafChanges({ a: 1 }, [1])).toEqual([{ path: '', before: { a: 1 }, after: [1] }])
    expect(leafChanges(['x'], ['x'])).toEqual([])
  })
})
