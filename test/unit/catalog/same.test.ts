import { expect, it } from 'vitest'
import { same } from '../../../packages/ratecard/src/catalog/fields/differences.ts'

it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a key of metadata that every object answers to counts like any other: %s',
  (key) => {
    const [without, one] = [{ owner: 'x' }, { owner: 'x', [key]: 'y' }]
    expect(same(without, one)).toBe(false)
    expect(same(one, without)).toBe(false)
    expect(same(one, { ...one })).toBe(true)
  },
)

it('a member that is undefined is absent', () => {
  expect(same({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(same({ a: 1 }, { a: 1, b: undefined })).toBe(true)
})
