import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interpolate } from '../../packages/ratecard/src/document/files/interpolate.ts'
import { variableTexts, whereNotExpanded } from '../../packages/ratecard/src/document/files/written-form.ts'

describe('an expanded document and its source document with variables', () => {
  test('match for any values of the variables', () => {
    const piece = fc.oneof(
      fc.constantFrom('${A}', '${B}', '$${', '$', '{', '}', 'a', 'ab', '/'),
      fc.string({ maxLength: 3 }),
    )
    const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''))
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(document, fc.string(), fc.string(), (written, a, b) => {
        const { value, issues } = interpolate(
          written,
          new Map([
            ['A', a],
            ['B', b],
          ]),
        )
        fc.pre(issues.length === 0)
        expect(whereNotExpanded(written, value)).toBeNull()
      }),
    )
  })

  test.each([
    [{ a: 'x' }, { a: 'y' }, '#/a'],
    [{ a: '${H}/hooks' }, { a: 'https://a/hook' }, '#/a'],
    [{ a: 'b${H}b' }, { a: 'b' }, '#/a'],
    [{ a: '${A}x${B}x' }, { a: 'ax' }, '#/a'],
    [{ a: '$${H}' }, { a: '$${H}' }, '#/a'],
    [{ a: '${H}' }, { a: 5 }, '#/a'],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, '#'],
    [{ a: 1 }, { a: 1, b: 2 }, '#'],
    [{ list: ['${A}'] }, { list: ['1', '2'] }, '#/list'],
    [{ list: [] }, { list: {} }, '#/list'],
    [{ 'a/b': { c: 1 } }, { 'a/b': { c: 2 } }, '#/a~1b/c'],
    [{ a: 1 }, null, '#'],
  ])('differ if the source %j was expanded to %j', (written, document, pointer) => {
    expect(whereNotExpanded(written, document)).toBe(pointer)
  })

  test('do not match even if only the last letter of a long text with 5,000 variables is missing', () => {
    const written = { a: `${'${A}a'.repeat(5_000)}b` }
    expect(whereNotExpanded(written, { a: 'a'.repeat(50_000) })).toBe('#/a')
  })

  test('match with any value in the place of a variable, and escaped variables count as plain text', () => {
    expect(variableTexts({ a: '$${A}', b: [{ c: 'x${C}' }], d: '${' })).toEqual([{ pointer: '#/b/0/c', text: 'x${C}' }])
  })
})
