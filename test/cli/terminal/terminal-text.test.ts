import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createPaint,
  sanitize,
  escapeBreaks,
  markSequence,
  visibleText,
  terminalIo,
} from '../../../packages/ratecard/src/cli/terminal/terminal-text.ts'
import type { CliIo } from '../../../packages/ratecard/src/cli/terminal/io.ts'

const drives = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u
const withoutLines = (text: string) => text.replaceAll(/[\n\t]/g, '')

describe('text on a terminal', () => {
  it('contains no control sequence after sanitize(), whatever the input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(withoutLines(sanitize(text))).not.toMatch(drives)
      }),
    )
  })

  it.each([
    ['\u001b[2J\u001b]0;title\u0007', '\\u001b[2J\\u001b]0;title\\u0007'],
    ['a\rb\u0085\u009b31m', 'a\\u000db\\u0085\\u009b31m'],
    ['\u202eevil\u2066', '\\u202eevil\\u2066'],
    ['half \ud83d', 'half \\ud83d'],
    ['tag \u{e0041}', 'tag \\udb40\\udc41'],
    ['line\nline\tcolumn', 'line\nline\tcolumn'],
    ['שלום 漢字 👩‍💻 naïve', 'שלום 漢字 👩‍💻 naïve'],
  ])('has control characters replaced as in this example: %j becomes %j', (text, shown) => {
    expect(sanitize(text)).toBe(shown)
  })

  it('keeps the colours that Ratecard sets, even nested colours, and no control sequence of untrusted text', () => {
    const paint = createPaint(true)
    expect(sanitize(paint.red(`a${paint.bold('b')}\u001b[8mhidden`))).toBe(
      '\u001b[31ma\u001b[1mb\u001b[22m\\u001b[8mhidden\u001b[39m',
    )
    expect(sanitize(paint.red(`a${paint.green('b')}c`))).toBe('\u001b[31ma\u001b[32mb\u001b[39m\u001b[31mc\u001b[39m')
    expect(sanitize(markSequence('\r') + markSequence('\u001b[2K'))).toBe('\r\u001b[2K')
    expect(visibleText(paint.red('abc'))).toBe('abc')
    expect(createPaint(false).red('abc')).toBe('abc')
  })

  it('is still the same JSON document if it is JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(sanitize(JSON.stringify({ text })))).toEqual({ text })
      }),
    )
  })

  it('contains no line break if it is printed on one line', () => {
    expect(escapeBreaks('a\nb\r\nc\td')).toBe('a\\nb\\nc d')
  })
})

describe('a secret in the output of a command', () => {
  const written: string[] = []
  const io = terminalIo({
    stdout: { write: (text: string) => written.push(text), isTTY: false, columns: 80 },
    stderr: { write: (text: string) => written.push(text), isTTY: false, columns: 80 },
    confirm: (question: string) => Promise.resolve(written.push(question) > 0),
  } as unknown as CliIo)

  it('is replaced by its name in results, questions and JSON, even if it is truncated', async () => {
    io.redact?.('HOOK_TOKEN', 's3cret"/value')
    io.redact?.('EMPTY_KEY', '')
    io.stdout.write('https://a.test/?token=s3cret"/value end')
    io.stderr.write(JSON.stringify({ url: 's3cret"/value' }))
    io.stderr.write(encodeURIComponent('s3cret"/value'))
    io.stdout.write('"https://a.test/?token=s3cret…')
    await io.confirm('s3cret"/value?')
    expect(written).toEqual([
      'https://a.test/?token=${HOOK_TOKEN} end',
      '{"url":"${HOOK_TOKEN}"}',
      '${HOOK_TOKEN}',
      '"https://a.test/?token=${HOOK_TOKEN}…',
      '${HOOK_TOKEN}?',
    ])
  })
})
