import { expect, test } from 'vitest'
import { createIds } from '../../../packages/ratecard/src/server/service/ids.ts'

test('ids that are created in the same millisecond sort in the order of their creation, even after the clock was set back', () => {
  let now = 1_800_000_000_000
  const newId = createIds({ now: () => now })
  const ids = Array.from({ length: 200 }, newId)
  now -= 5000
  ids.push(newId())
  now += 60_000
  ids.push(newId())
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
})

test('ids that two processes create at the same time differ', () => {
  const clock = { now: () => 1_800_000_000_000 }
  const [one, other] = [createIds(clock)(), createIds(clock)()]
  expect(one.slice(0, 10)).toBe(other.slice(0, 10))
  expect(one).not.toBe(other)
})

test('an id consists of ten characters for the time and sixteen random characters, without characters that look alike', () => {
  const asked: number[] = []
  const newId = createIds({ now: () => 1_800_000_000_000 }, (size) => {
    asked.push(size)
    return Uint8Array.from({ length: size }, (_, index) => 255 - index * 17)
  })
  expect(newId()).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
  expect(asked).toEqual([16])
  expect(createIds({ now: Date.now })()).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
})
