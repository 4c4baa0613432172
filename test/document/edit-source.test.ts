import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editSource, editsBetween } from '../../packages/ratecard/src/document/edit/apply-edits.ts'
import { NotEditable } from '../../packages/ratecard/src/document/edit/edit.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'

const yaml = (text: string) => ({ path: 'a.yaml', text })
const jsonc = (text: string) => ({ path: 'a.jsonc', text })

const shop = `# Our shop: ask Ada before you change a price
version: 1.0.0   # raised by hand

products:
- id: pro        # not indented, on purpose
  name: 'Pro'
  prices:
      -   id: pro_monthly
          amount: 1200     # euro cents
          currency: eur
          # the interval comes last
          interval: month

      - { id: pro_yearly, amount: 12000, currency: eur, interval: year } # flow
  description: |
      Many lines
      of text

# the end
webhooks:
  - url: "https://example.com/hook"
    events: [invoice.paid,   'invoice.created']
`

describe('an edit of a YAML file', () => {
  test.each([
    ['a number', ['products', 0, 'prices', 0, 'amount'], 1400, 'amount: 1200 ', 'amount: 1400 '],
    ['a number in flow style', ['products', 0, 'prices', 1, 'amount'], 9, 'amount: 12000,', 'amount: 9,'],
    ['text in single quotes', ['products', 0, 'name'], 'Pro max', "'Pro'", "'Pro max'"],
    [
      'text in double quotes',
      ['webhooks', 0, 'url'],
      'https://x.test/',
      '"https://example.com/hook"',
      '"https://x.test/"',
    ],
    [
      'text that would be read as something else',
      ['products', 0, 'prices', 0, 'interval'],
      'true',
      'interval: month',
      'interval: "true"',
    ],
    [
      'a new member',
      ['products', 0, 'prices', 0, 'interval_count'],
      3,
      'interval: month\n',
      'interval: month\n          interval_count: 3\n',
    ],
    [
      'a new member in flow style',
      ['products', 0, 'prices', 1, 'tax'],
      'a, b',
      'interval: year }',
      'interval: year, tax: "a, b" }',
    ],
    [
      'a member removed',
      ['products', 0, 'prices', 0, 'amount'],
      undefined,
      '          amount: 1200     # euro cents\n',
      '',
    ],
    [
      'the first member removed',
      ['webhooks', 0, 'url'],
      undefined,
      '- url: "https://example.com/hook"\n    events',
      '- events',
    ],
    [
      'an item removed',
      ['webhooks', 0, 'events', 0],
      undefined,
      "[invoice.paid,   'invoice.created']",
      "['invoice.created']",
    ],
    [
      'the last item removed',
      ['webhooks', 0, 'events', 1],
      undefined,
      "[invoice.paid,   'invoice.created']",
      '[invoice.paid]',
    ],
    ['an item added', ['webhooks', 0, 'events', 2], 'x.y', "'invoice.created']", "'invoice.created', x.y]"],
    ['a block of text', ['products', 0, 'description'], 'Short', '|\n      Many lines\n      of text\n', 'Short\n'],
  ] as const)('changes no byte outside of the edited value: %s', (_what, path, value, from, to) => {
    expect(shop.split(from)).toHaveLength(2)
    expect(editSource(yaml(shop), [{ path, value }])).toBe(shop.replace(from, to))
  })

  test('keeps the comments of list items when other items are added or removed', () => {
    const text = 'events:\n  - a # first\n  # about b\n  - b\n  - c # third\n'
    const edits = editsBetween(['a', 'b', 'c'], ['c', 'a', 'd'], ['events'])
    expect(editSource(yaml(text), edits)).toBe('events:\n  - a # first\n  # about b\n  - c # third\n  - d\n')
  })

  test('keeps Windows line endings', () => {
    const text = 'a:\r\n  b: 1 # one\r\n  c: 2\r\nd: 3\r\n'
    expect(
      editSource(yaml(text), [
        { path: ['a', 'e'], value: 5 },
        { path: ['a', 'b'], value: undefined },
      ]),
    ).toBe('a:\r\n  c: 2\r\n  e: 5\r\nd: 3\r\n')
  })

  test.each([
    ['an alias', 'a: &x\n  n: 1\nb: *x\n', ['b', 'n']],
    ['what an alias repeats', 'a: &x\n  n: 1\nb: *x\n', ['a', 'n']],
  ])('is refused if it would also change another place of the file: %s', (_what, text, path) => {
    expect(() => editSource(yaml(text), [{ path, value: 2 }])).toThrow(NotEditable)
  })
})

describe('an edit of a JSON file', () => {
  const text = `{
\t// prices in cents
\t"products": [
\t\t{ "id": "pro", "prices": [ { "id": "a",   "amount": 1200 /* net */, "tiers": [1, 2] }, ] }, // trailing
\t],
}
`
  test('keeps comments, tabs and trailing commas', () => {
    const edits = [
      { path: ['products', 0, 'prices', 0, 'amount'], value: 1400 },
      { path: ['products', 0, 'prices', 0, 'tiers', 2], value: 3 },
    ]
    expect(editSource(jsonc(text), edits)).toBe(text.replace('1200', '1400').replace('[1, 2]', '[1, 2, 3]'))
  })

  test('succeeds in lists and objects over several lines, with and without a trailing comma', () => {
    const lines = '{\n  "a": 1, // one\n  // about b\n  "b": 2 // two\n}\n'
    const edit = (path: string[], value: unknown) => editSource(jsonc(lines), [{ path, value }])
    expect(edit(['c'], { d: 3 })).toBe(lines.replace('2 // two', '2, // two\n  "c": {\n    "d": 3\n  }'))
    expect(edit(['a'], undefined)).toBe(lines.replace('  "a": 1, // one\n', ''))
    expect(edit(['b'], undefined)).toBe('{\n  "a": 1 // one\n  // about b\n}\n')
    const trailing = lines.replace('2 //', '2, //')
    expect(editSource(jsonc(trailing), [{ path: ['c'], value: 3 }])).toBe(
      trailing.replace('// two', '// two\n  "c": 3,'),
    )
    expect(editSource(jsonc(trailing), [{ path: ['b'], value: undefined }])).toBe(
      '{\n  "a": 1, // one\n  // about b\n}\n',
    )
  })

  test('succeeds in a file with a byte order mark', () => {
    expect(editSource(jsonc('\uFEFF{"a": 1}'), [{ path: ['a'], value: 2 }])).toBe('\uFEFF{"a": 2}')
  })
})

describe('the edits that lead from one value to another', () => {
  const leaf = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('a', 'b c', '# no', 'x: y', '', 'true', '12', "it's", 'é\n'),
  )
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('k', 'l', 'm', 'n'), tie('node')),
    ),
  })).node
  const document = fc.dictionary(fc.constantFrom('p', 'q', 'r', 's'), value, { minKeys: 1 })
  test.each(['json', 'yaml'])(
    'turn the text of the first value into the text of the second value in %s',
    async (kind) => {
      const { stringify } = await import('yaml')
      fc.assert(
        fc.property(document, document, fc.constantFrom(2, 4), (before, after, indent) => {
          const text =
            kind === 'json'
              ? JSON.stringify(before, null, indent === 4 ? undefined : indent)
              : stringify(before, { indent })
          const path = kind === 'json' ? 'a.json' : 'a.yaml'
          const edits = editsBetween(before, after, [])
          const changed = editSource({ path, text }, edits)
          expect(parseSource({ path, text: changed }).document).toEqual(after)
        }),
        { numRuns: 150 },
      )
    },
  )
})
