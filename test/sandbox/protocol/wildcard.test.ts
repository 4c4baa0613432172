import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Faults } from '../../../packages/sandbox/src/control/faults.ts'
import { matchesWildcard } from '../../../packages/sandbox/src/protocol/requests/wildcard.ts'

describe('wildcards in paths and event types of the sandbox:', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*c*b', 'a-b-c', false],
    ['/v1/prices*', '/v1/prices/p', true],
    ['/v1/.', '/v1/x', false],
    ['***', 'anything', true],
    ['*ab*ab', 'ab', false],
  ])('the pattern %j matches %j: %j', (pattern, text, expected) =>
    expect(matchesWildcard(pattern, text)).toBe(expected),
  )

  test('a pattern matches the same texts as the equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, text) => {
        expect(matchesWildcard(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text))
      }),
    )
  })

  test('a match of a path against 200 asterisks takes less than 500 ms of CPU time', () => {
    const faults = new Faults()
    faults.add({ kind: 'conflict', path: `${'*a'.repeat(200)}!`, count: null })
    // CPU time of this thread only, so other programs on the machine do not count.
    const before = process.threadCpuUsage()
    expect(faults.inject('GET', 'a'.repeat(5000), 'acct').fault).toBeUndefined()
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(500)
  })
})
