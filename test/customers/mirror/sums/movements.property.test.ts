import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fraction, subtractFractions, sumFractions } from '../../../../packages/ratecard/src/base/money/fraction.ts'
import {
  addMovements,
  movementsOf,
  netOf,
  noMovements,
} from '../../../../packages/ratecard/src/customers/mirror/sums/movements.ts'
import type { Movements, RevenueChange } from '../../../../packages/ratecard/src/customers/mirror/sums/movements.ts'

const amounts = fc
  .tuple(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 })), fc.constantFrom(1, 3, 12, 84))
  .map(([above, below]) => fraction(above, below))
const changes = fc.array(
  fc.record<RevenueChange>({
    currency: fc.constantFrom('usd', 'eur', 'jpy'),
    before: amounts,
    after: amounts,
    paidBefore: fc.boolean(),
  }),
)

const one = (before: number, after: number, paidBefore: boolean) =>
  movementsOf([{ currency: 'usd', before: fraction(before), after: fraction(after), paidBefore }]).get('usd')
const kindOf = (found: Movements | undefined) =>
  Object.entries(found ?? {}).flatMap(([kind, { numerator }]) => (numerator === 0n ? [] : [`${kind} ${numerator}`]))

describe('the movements of the monthly recurring revenue (MRR)', () => {
  test.each([
    [0, 5, false, ['new 5']],
    [0, 5, true, ['reactivation 5']],
    [2, 5, true, ['expansion 3']],
    [5, 2, true, ['contraction 3']],
    [5, 0, true, ['churn 5']],
    [5, 5, true, []],
  ] as const)(
    'of a customer whose MRR changes from %i to %i (paid before: %s) are %j',
    (before, after, paidBefore, expected) => {
      expect(kindOf(one(before, after, paidBefore))).toEqual(expected)
    },
  )

  test('add up to the difference of the MRR in each currency, and no movement is negative', () => {
    fc.assert(
      fc.property(changes, (given) => {
        const found = movementsOf(given)
        for (const currency of ['usd', 'eur', 'jpy']) {
          const own = given.filter((change) => change.currency === currency)
          const difference = subtractFractions(
            sumFractions(own.map(({ after }) => after)),
            sumFractions(own.map(({ before }) => before)),
          )
          const movements = found.get(currency) ?? noMovements
          expect(netOf(movements)).toEqual(difference)
          expect(Object.values(movements).every(({ numerator }) => numerator >= 0n)).toBe(true)
        }
      }),
    )
  })

  test('add up, over consecutive days, to the difference of the MRR between the first and the last day', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 2 }), (states) => {
        const sum = states.slice(1).reduce<Movements>((movements, after, index) => {
          const before = states[index] ?? fraction(0)
          return addMovements(
            movements,
            movementsOf([{ currency: 'usd', before, after, paidBefore: true }]).get('usd') ?? noMovements,
          )
        }, noMovements)
        expect(netOf(sum)).toEqual(subtractFractions(states.at(-1) ?? fraction(0), states[0] ?? fraction(0)))
      }),
    )
  })
})
