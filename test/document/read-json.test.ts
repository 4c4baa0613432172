import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../packages/ratecard/src/document/files/read-json.ts'

const issueOf = (text: string) => {
  const { issue } = readJson(text)
  return issue === null ? null : { code: issue.code, pointer: issue.pointer, detail: issue.detail }
}
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the JSON text of a request body', () => {
  it('has the same value as with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const text = ` ${JSON.stringify(value, null, indent)}\r\n`
        if (issueOf(text) !== null) expect(issueOf(text)?.detail).toContain('__proto__')
        else expect(readJson(text).value).toStrictEqual(value)
      }),
    )
  })

  it('is accepted if and only if JSON.parse accepts it', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"\\u12"',
      '"\n"',
      '1',
      '-',
      '01',
      '1.',
      '.5',
      '1e',
      '1e5',
      '-0',
      'true',
      'nul',
      'null',
      ' ',
      '\u00a0',
      '\ufeff',
      "'a'",
      '//',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 9 }), (chosen) => {
        const text = chosen.join('')
        const issue = issueOf(text)
        if (issue?.detail.includes('comes twice') === true) return
        expect([text, issue === null]).toEqual([text, isJson(text)])
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['{"a":{"b":[1,{"c":1,"c":2}]}}', '#/a/b/1/c', 'The member "c" occurs twice in one object.'],
    ['[{"__proto__":{}}]', '#/0/__proto__', 'A member must not be called "__proto__".'],
    ['{"a":\n  [1, 2 3]}', '#', 'The body is not JSON: the error is at line 2, column 9 on.'],
    ['{"a":[1', '#', 'The body is not JSON: it ends too early.'],
    ['{"a":"b', '#', 'The body is not JSON: it ends too early.'],
    ['{"a":1} 2', '#', 'The body is not JSON: the error is at line 1, column 9 on.'],
    [
      `{"a":{${Array.from({ length: 10_001 }, (_, index) => `"k${String(index)}":1`).join(',')}}}`,
      '#/a',
      'An object has more than 10000 members.',
    ],
  ])('is refused with the place of the error: %.40s', (text, pointer, detail) => {
    expect(issueOf(text)).toEqual({ code: 'syntax', pointer, detail })
  })

  it('may have up to 64 levels of nesting', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(issueOf(nested(64))).toBeNull()
    expect(issueOf(nested(65))?.detail).toBe('The body is nested more than 64 levels deep.')
    expect(issueOf('['.repeat(100_000))?.detail).toBe('The body is nested more than 64 levels deep.')
  })
})
