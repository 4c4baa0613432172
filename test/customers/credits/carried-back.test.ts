import { expect, it } from 'vitest'
import { carriedBack } from '../../../packages/ratecard/src/customers/credits/decide-credits.ts'

it.each([
  ['nothing', [], 0],
  [
    'a first purchase and renewals',
    [
      { asked: 1000, takenBack: 0 },
      { asked: 1000, takenBack: 0 },
    ],
    0,
  ],
  ['an upgrade that costs more than it takes back', [{ asked: 12_000, takenBack: 1000 }], 0],
  ['a turn back that takes more than it asks', [{ asked: 1000, takenBack: 12_000 }], 11_000],
  [
    'months that the balance has paid since',
    [
      { asked: 1000, takenBack: 3500 },
      { asked: 1000, takenBack: 0 },
      { asked: 1000, takenBack: 0 },
    ],
    500,
  ],
  [
    'a balance that is used up',
    [
      { asked: 1000, takenBack: 2500 },
      { asked: 1000, takenBack: 0 },
      { asked: 1000, takenBack: 0 },
    ],
    0,
  ],
  [
    'seats that were added',
    [
      { asked: 1000, takenBack: 3000 },
      { asked: 0, takenBack: -700 },
    ],
    2000,
  ],
])('what is left of %s', (_name, invoices, left) => {
  expect(carriedBack(invoices)).toBe(left)
})
