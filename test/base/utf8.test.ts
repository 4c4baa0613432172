import { describe, expect, test } from 'vitest'
import { decodeText } from '../../packages/ratecard/src/base/utf8.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

describe('decodeText()', () => {
  test.each(['', 'a', '{"name":"Café 🥨"}', '\uFEFF{}', 'binary \0 inside'])('returns UTF-8 unchanged: %j', (text) => {
    expect(decodeText(Buffer.from(text))).toEqual({ text, problem: null })
  })

  test('names the line and the byte of a text with one byte for each character', () => {
    expect(decodeText(latin1('{\n  "name": "Café"\n}'))).toEqual({
      text: null,
      problem: 'is not UTF-8: line 2 has the byte 0xE9, which is perhaps of ISO 8859-1 or Windows-1252.',
    })
  })

  test.each([
    [
      'UTF-16 with a mark, as PowerShell writes it',
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('{}')]),
      'UTF-16 (little endian)',
    ],
    ['UTF-16 without a mark', utf16('{"version":"1.0.0"}'), 'UTF-16 (little endian)'],
    ['UTF-16 in the other order', utf16('{"version":"1.0.0"}').swap16(), 'UTF-16 (big endian)'],
    ['its mark in the other order', Buffer.from([0xfe, 0xff, 0, 0x7b]), 'UTF-16 (big endian)'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), 'UTF-32'],
  ])('names %s', (_name, bytes, encoding) => {
    expect(decodeText(bytes)).toEqual({ text: null, problem: `is not UTF-8 but ${encoding}.` })
  })

  test('finds a character that is cut at the end', () => {
    expect(decodeText(Buffer.from('Café').subarray(0, 4)).problem).toContain('line 1 has the byte 0xC3')
  })
})
