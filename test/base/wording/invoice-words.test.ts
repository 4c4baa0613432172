import { expect, test } from 'vitest'
import { paidByWords } from '../../../packages/ratecard/src/base/wording/invoice-words.ts'

const invoice = { amount: 0, currency: 'usd', creditApplied: 0, balance: 0, balanceApplied: 0 }

test.each([
  ['nothing beside the customer', { amount: 500 }, []],
  ['credit', { amount: 6093, creditApplied: 6500 }, ['$65.00 of credit pays it in part.']],
  ['a part of the balance', { balance: 29_480, balanceApplied: 3200 }, ['$32.00 of balance pays it.']],
  [
    'a balance that leaves less than the minimum charge',
    { balance: 1000, balanceApplied: 1030 },
    ['$10.00 of balance pays it in part.', '$0.30 is less than the processor charges, so a later invoice asks it.'],
  ],
  ['a refunded change', { balanceApplied: -29_480 }, ['It gives $294.80 of balance, which pays later invoices.']],
  ['an old debt', { amount: 1500, balance: -500, balanceApplied: -500 }, ['It asks $5.00 that was owed before.']],
] as const)('%s is said', (_what, change, sentences) => {
  expect(paidByWords({ ...invoice, ...change })).toEqual(sentences)
})
