import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, decodeForm, fromJson, toPlain } from '../../../packages/sandbox/src/protocol/parameters/form.ts'

const decoded = (text: string): unknown => toPlain(decodeForm(text))

/** The encoding the official clients use: brackets, lists by index. */
function encode(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]
  return Object.entries(value).flatMap(([key, inner]) => encode(inner, name === '' ? key : `${name}[${key}]`))
}

describe('the decoding of form-encoded bodies', () => {
  test.each([
    ['', {}],
    ['a=1&b=', { a: '1', b: '' }],
    ['a', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a[0]=x&a[1]=y', { a: ['x', 'y'] }],
    ['a[1]=y&a[0]=x', { a: ['x', 'y'] }],
    ['a[]=x&a[]=y', { a: ['x', 'y'] }],
    ['t[][a]=1&t[][b]=2&t[][a]=3', { t: [{ a: '1', b: '2' }, { a: '3' }] }],
    ['t[][r][i]=1&t[][r][c]=2&t[][r][i]=3', { t: [{ r: { i: '1', c: '2' } }, { r: { i: '3' } }] }],
    ['a=one+two%20three&b=%E2%82%AC', { a: 'one two three', b: '€' }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['a=%zz', { a: '%zz' }],
    ['[a]=1', { '[a]': '1' }],
    ['a=1&a=2', { a: '2' }],
  ])('decodes %s', (text, value) => {
    expect(decoded(text)).toEqual(value)
  })

  test('treats names of the object prototype as ordinary names', () => {
    const node = decodeForm('__proto__[x]=1&constructor=2&metadata[__proto__]=3')
    expect(Object.keys(node)).toEqual(['__proto__', 'constructor', 'metadata'])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  test('reverses the encoding of any value', () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/)
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.string({ unit: 'grapheme' }), tie('list'), tie('hash')),
      list: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
      hash: fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3 }),
    }))
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }), (given) => {
        expect(decoded(encode(given).join('&'))).toEqual(JSON.parse(JSON.stringify(given)))
      }),
    )
  })

  test('does not depend on the order of names, and keeps the order of a list', () => {
    const text = (form: string): string => canonical(decodeForm(form))
    expect(text('a=1&b[c]=2&b[d]=3')).toBe(text('b[d]=3&b[c]=2&a=1'))
    expect(text('a[]=1&a[]=2')).not.toBe(text('a[]=2&a[]=1'))
    expect(text('a=1')).not.toBe(text('a[b]=1'))
    expect(canonical(fromJson({ a: [1, true, null] }))).toBe(text('a[0]=1&a[1]=true&a[2]='))
  })
})
