import { expect, it } from 'vitest'
import { deepEqual } from '../../packages/ratecard/src/catalog/fields/differences.ts'

it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a metadata key that is also a name on the object prototype is compared like any other key: %s',
  (key) => {
    const [without, one] = [{ owner: 'x' }, { owner: 'x', [key]: 'y' }]
    expect(deepEqual(without, one)).toBe(false)
    expect(deepEqual(one, without)).toBe(false)
    expect(deepEqual(one, { ...one })).toBe(true)
  },
)

it('a member whose value is undefined equals an absent member', () => {
  expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true)
})
