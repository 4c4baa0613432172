import { expect, test } from 'vitest'
import { withEndedCurrencies } from '../../../../packages/ratecard/src/customers/mirror/sums/account.ts'
import { emptyCurrency } from '../../../../packages/ratecard/src/customers/mirror/sums/money.ts'
import { noMovements } from '../../../../packages/ratecard/src/customers/mirror/sums/movements.ts'

test('a currency whose last subscription ended is still listed with zero, so that the lost revenue is visible', () => {
  const movements = new Map([
    ['usd', noMovements],
    ['eur', noMovements],
  ])
  const listed = withEndedCurrencies([emptyCurrency('usd')], movements)
  expect(listed.map(({ currency }) => currency)).toEqual(['eur', 'usd'])
})
