import fc from 'fast-check'
import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import { visibleLength, wrapLines } from '../../../packages/ratecard/src/cli/terminal/terminal-text.ts'
import { formatTable } from '../../../packages/ratecard/src/cli/views/text/table.ts'

const paint = picocolors.createColors(false)
const columns = [{ title: 'id' }, { title: 'what', align: 'right' as const }, { title: 'message' }]

test('a table of the command line never loses or cuts a word, whatever its cells contain and however narrow the terminal is', () => {
  const word = fc.stringMatching(/^[a-z0-9_]{1,30}$/)
  const cell = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 20, max: 200 }),
      (rows, width) => {
        const shown = formatTable(columns, rows, { paint, width })
        const words = shown.split(/\s+/)
        for (const one of rows.flat().flatMap((text) => text.split(' '))) expect(words).toContain(one)
        const isStacked = shown.startsWith('id       ') && !shown.split('\n')[0]?.includes('message')
        if (!isStacked) for (const line of shown.split('\n')) expect(visibleLength(line)).toBeLessThanOrEqual(width)
      },
    ),
  )
})

test('a table that is too wide for the terminal wraps its text column first', () => {
  const rows = [['sub_1', '3', 'raised for everybody who came after the spring']]
  expect(formatTable(columns, rows, { paint, width: 34 })).toBe(
    [
      'id     what  message',
      'sub_1     3  raised for everybody',
      '             who came after the',
      '             spring',
    ].join('\n'),
  )
})

test('a table that does not fit the terminal is printed as one line per field, with unbroken ids', () => {
  const id = 'sub_'.padEnd(40, 'x')
  expect(formatTable(columns, [[id, '1', 'a']], { paint, width: 30 })).toBe(`id       ${id}\nwhat     1\nmessage  a`)
})

test('a table that is not printed to a terminal has no wrapped lines', () => {
  const long = 'word '.repeat(100).trim()
  expect(formatTable(columns, [['a', 'b', long]], { paint, width: Number.POSITIVE_INFINITY }).split('\n')).toHaveLength(
    2,
  )
})

test('the width of a text is its cells in the terminal, so that a column after Japanese names is straight', () => {
  expect(['ab', '株式会社', 'é', 'e\u0301', '👩‍🚀', '⚠️', '✓'].map(visibleLength)).toEqual([2, 8, 1, 1, 2, 2, 1])
  const shown = formatTable(
    ['name', 'state'],
    [
      ['株式会社サンプル', 'ok'],
      ['Acme', 'ok'],
    ],
    { paint, width: 80 },
  )
  expect(shown.split('\n')).toEqual(['name              state', '株式会社サンプル  ok', 'Acme              ok'])
})

test('lines that are longer than the terminal are broken at spaces and indented, and words stay whole', () => {
  const line = '  denied by the policy "gentle": Promised to customers in May'
  expect(wrapLines(`Plan\n${line}`, 34)).toBe(
    ['Plan', '  denied by the policy "gentle":', '    Promised to customers in May'].join('\n'),
  )
  expect(wrapLines('x'.repeat(50), 20)).toBe('x'.repeat(50))
  expect(wrapLines(line, Number.POSITIVE_INFINITY)).toBe(line)
})
