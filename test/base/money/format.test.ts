import { expect, test } from 'vitest'
import { currencies } from '../../../packages/ratecard/src/base/money/currencies.ts'
import { formatMinor } from '../../../packages/ratecard/src/base/money/format.ts'

test.each([
  [1200, 'eur', '€12.00'],
  [500, 'jpy', '¥500'],
  [1234567, 'jpy', '¥1,234,567'],
  [4900, 'usd', '$49.00'],
  [123400, 'usd', '$1,234.00'],
  ['6100', 'chf', 'CHF 61.00'],
  [0, 'usd', '$0.00'],
  [5, 'usd', '$0.05'],
  ['0.05', 'usd', '$0.0005'],
  ['100.5', 'gbp', '£1.005'],
  ['0.000000000001', 'usd', '$0.00000000000001'],
  ['0.25', 'jpy', '¥0.25'],
  [-500, 'usd', '-$5.00'],
  [9007199254740993n, 'usd', '$90,071,992,547,409.93'],
  [1234, 'kwd', 'KWD 1.234'],
  ['5120.5', 'bhd', 'BHD 5.1205'],
  [1_250_000, 'krw', '₩1,250,000'],
  [500, 'isk', 'ISK 5.00'],
  [1234, 'xyz', 'XYZ 1,234 minor units'],
  ['1.5', 'xyz', 'XYZ 1.5 minor units'],
])('%s minor units of %s are formatted as %s', (amount, currency, text) => {
  expect(formatMinor(amount, currency)).toBe(text)
})

test('the formatted amounts of any two supported currencies differ', () => {
  expect(new Set(currencies.map((currency) => formatMinor(100, currency))).size).toBe(currencies.length)
})
