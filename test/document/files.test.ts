import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { codeFrame } from '../../packages/ratecard/src/document/files/code-frame.ts'
import { interpolate } from '../../packages/ratecard/src/document/files/interpolate.ts'
import { mergeFiles, placeIssues } from '../../packages/ratecard/src/document/files/merge-files.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'

const source = (path: string, text: string) => parseSource({ path, text })
const fixture = (name: string) => source(name, readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'))
const json = (path: string, value: unknown) => source(path, JSON.stringify(value, null, 2))

describe('reading one file:', () => {
  const jsonText = '{\n  "version": "1.0.0",\n  "products": [\n    { "id": "a", "name": "A" }\n  ]\n}\n'
  const yamlText = 'version: 1.0.0\nproducts:\n  - id: a\n    name: A\n'

  test.each([
    ['a.json', jsonText, 4, 26],
    ['a.jsonc', jsonText.replace('{', '{ // the plans'), 4, 26],
    ['a.json', `\uFEFF${jsonText}`, 4, 26],
    ['a.json', jsonText.replaceAll('\n', '\r\n'), 4, 26],
    ['a.yaml', yamlText, 4, 11],
    ['a.YML', yamlText, 4, 11],
  ])('%s is read, and a pointer leads to its line and column', (path, text, line, column) => {
    const parsed = source(path, text)
    expect(parsed.issues).toEqual([])
    expect(parsed.document).toEqual({ version: '1.0.0', products: [{ id: 'a', name: 'A' }] })
    expect(parsed.locate('#/products/0/name')).toEqual({ line, column })
    expect(parsed.locate('#/products/0/prices/3')).toEqual(parsed.locate('#/products/0'))
    expect(parsed.locate('#/products/')).toEqual(parsed.locate('#/products'))
    expect(parsed.locate('#')).toEqual({ line: 1, column: 1 })
  })

  const priced = (amounts: string) =>
    `{ "version": "1.0.0", "products": [{ "id": "a", "name": "A", "prices": [{ "id": "p", "currency": "eur", "interval": "month", ${amounts} }] }] }`

  test.each([
    [
      '"amount": 199.00',
      ['#/products/0/prices/0/amount: `199.00` is €1.99', 'Write 19900 for €199.00, or 199 for €1.99.'],
    ],
    ['"amount": 12.0', ['#/products/0/prices/0/amount: `12.0` is €0.12', 'Write 1200 for €12.00, or 12 for €0.12.']],
    [
      '"tiers": [{ "up_to": "inf", "unit_amount": 3.00, "flat_amount": 500 }]',
      ['#/products/0/prices/0/tiers/0/unit_amount: `3.00` is €0.03', 'Write 300 for €3.00, or 3 for €0.03.'],
    ],
    [
      '"amount": 500, "currency_options": { "usd": { "amount": 20.00 }, "jpy": { "amount": 700.00 } }',
      [
        '#/products/0/prices/0/currency_options/usd/amount: `20.00` is $0.20',
        'Write 2000 for $20.00, or 20 for $0.20.',
      ],
    ],
    ['"amount": 19900, "trial_period_days": 14.0, "unit_amount_decimal": "1.50"', []],
  ])('an amount of minor units that is written like one of the currency is warned about: %s', (amounts, said) => {
    const text = priced(amounts)
    for (const [path, body] of [
      ['a.json', text],
      ['a.jsonc', text],
      ['a.yaml', text],
    ] as const) {
      const { issues } = source(path, body)
      const [first] = issues
      expect(issues).toHaveLength(said.length === 0 ? 0 : 1)
      if (first === undefined) continue
      expect(first).toMatchObject({ code: 'amount_looks_major', severity: 'warning', path, line: 1 })
      const [reading] = first.detail.split(', because')
      expect([`${first.pointer}: ${reading ?? ''}`, first.hint]).toEqual(said)
    }
  })

  test('an anchored amount in YAML is warned about once, where it is written', () => {
    const { issues } = source(
      'a.yaml',
      'version: 1.0.0\nproducts:\n  - id: a\n    name: A\n    prices:\n      - {id: p, currency: eur, interval: month, amount: &x 9.00}\n      - {id: q, currency: eur, interval: year, amount: *x}\n',
    )
    expect(issues.map(({ code, line, column }) => [code, line, column])).toEqual([['amount_looks_major', 6, 60]])
  })

  test.each([
    ['a.json', '{ "a": 1, }', 1, 11],
    ['a.json', '{\n  // no\n}', 2, 3],
    ['a.json', '{ "a": 01 }', 1, 9],
    ['a.json', "{ 'a': 1 }", 1, 3],
    ['a.json', '{}\n{}', 2, 1],
    ['a.json', '  ', 1, 1],
    ['a.json', '{ "a": "x', 1, 8],
    ['a.yaml', 'a: [1\nb: 2', 2, 1],
    ['a.yaml', 'a: 1\n--- \nb: 2', 2, 1],
    ['a.yaml', 'a: *nowhere', 1, 4],
  ])('%s with %j is refused as a syntax error with its position', (path, text, line, column) => {
    const { document, issues } = source(path, text)
    expect(document).toBeUndefined()
    expect(issues[0]).toMatchObject({ code: 'syntax', severity: 'error', path, line, column })
  })

  test.each([
    ['a.json', '{\n "x": [{ "a": 1,\n  "a": 2 }] }'],
    ['a.yaml', 'x:\n  - a: 1\n    a: 2'],
  ])('a key that occurs twice in %s is refused', (path, text) => {
    const { issues } = source(path, text)
    expect(issues).toMatchObject([{ code: 'syntax', severity: 'error', pointer: '#/x/0/a', line: 3 }])
    expect(issues[0]?.detail).toContain('"a"')
  })

  test('YAML words such as "no", versions and dates are read as strings', () => {
    expect(source('a.yaml', 'a: no\nb: 1.0.0\nc: 2031-02-28T23:59:59Z\nd: inf\ne: 1_000').document).toEqual({
      a: 'no',
      b: '1.0.0',
      c: '2031-02-28T23:59:59Z',
      d: 'inf',
      e: '1_000',
    })
  })

  test('YAML aliases are resolved in values and source positions, and refused if they multiply the content', () => {
    const shared = source('a.yaml', 'x: &x { id: a }\ny: *x')
    expect(shared.document).toEqual({ x: { id: 'a' }, y: { id: 'a' } })
    expect(shared.locate('#/y/id')).toEqual({ line: 1, column: 13 })
    const bomb = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`)
    const { document, issues } = source('bomb.yaml', `a0: &a0 [x]\n${bomb.join('\n')}`)
    expect(document).toBeUndefined()
    expect(issues[0]?.code).toBe('syntax')
  })

  test.each(['deep.json', 'deep.yaml'])(
    '%s with 20,000 levels is refused as a syntax error, without a crash',
    (path) => {
      const { document, issues } = source(path, '['.repeat(20_000) + ']'.repeat(20_000))
      expect(document).toBeUndefined()
      expect(issues[0]?.code).toBe('syntax')
    },
  )

  test.each(['a.json', 'a.yaml'])('a key __proto__ in %s is reported as an ordinary unknown field', (path) => {
    const { document } = source(path, '{ "version": "1.0.0", "__proto__": { "products": [] } }')
    expect(validateConfig(document).errors.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['field_missing', '#'],
      ['field_unknown', '#/__proto__'],
    ])
  })
})

describe('joining several files:', () => {
  test('the example that is split over several files becomes one document, in which the negotiated price finds its base price', () => {
    const names = ['06c-split-enterprise.json', '06a-split-webhooks.json', '06b-split-catalog.json']
    const { document, issues, locate } = mergeFiles(names.map(fixture))
    expect(issues).toEqual([])
    const { value } = interpolate(document, new Map([['HOOK_BASE', 'https://example.test']]))
    expect(validateConfig(value)).toMatchObject({ valid: true, warnings: [] })
    expect(value).toMatchObject({
      version: '3.1.0',
      products: [{ id: 'orchard', prices: [{ id: 'orchard_monthly' }, { id: 'orchard_monthly_partner' }] }],
      webhooks: [{ id: 'invoices', url: 'https://example.test/invoices' }, { id: 'connected_accounts' }],
    })
    expect(locate('#/products/0/prices/1/amount')).toMatchObject({ path: '06c-split-enterprise.json', line: 5 })
    expect(locate('#/products/0/prices/0/amount')).toMatchObject({ path: '06b-split-catalog.json' })
    expect(locate('#/webhooks/1/url')).toMatchObject({ path: '06a-split-webhooks.json', line: 5 })
    expect(locate('#/webhooks')).toMatchObject({ path: '06a-split-webhooks.json' })
  })

  test('a comma before a closing brace is one error, with the way out', () => {
    const { issues, document } = source('a.json', '{ "version": "1.0.0", "products": [{ "id": "a", },] }')
    expect(document).toBeUndefined()
    expect(issues.map(({ code, hint, column }) => [code, hint, column])).toEqual([
      ['syntax', 'Remove the comma before it, or name the file .jsonc.', 49],
      ['syntax', 'Remove the comma before it, or name the file .jsonc.', 51],
    ])
  })

  test('files are joined in the order of their paths, not in the order in which they were read', () => {
    const a = json('a.json', { version: '1.0.0', products: [{ id: 'a', name: 'A' }] })
    const b = json('b.json', { version: '1.0.0', products: [{ id: 'b', name: 'B' }] })
    expect(mergeFiles([b, a]).document).toEqual(mergeFiles([a, b]).document)
    expect(mergeFiles([b, a]).document).toMatchObject({ products: [{ id: 'a' }, { id: 'b' }] })
  })

  test('the highest version is used, compared number by number, so a change raises the version of its own file only', () => {
    const files = ['1.9.0', '1.10.0', '1.2.0'].map((version, i) => json(`${i}.json`, { version, products: [] }))
    const { document, issues, locate } = mergeFiles(files)
    expect(document).toMatchObject({ version: '1.10.0' })
    expect(locate('#/version')).toMatchObject({ path: '1.json' })
    expect(issues).toEqual([])
  })

  test('the fields of one product in two files are joined, and different values for the same field are an error with both places', () => {
    const a = json('a.json', {
      version: '1.0.0',
      products: [{ id: 'a', name: 'A', type: 'good', ui: { badge: 'x', tagline: 'y' } }],
    })
    const b = json('b.json', {
      version: '1.0.0',
      products: [{ ui: { tagline: 'y', badge: 'x' }, id: 'a', name: 'B', description: 'd' }],
    })
    const { document, issues, locate } = mergeFiles([a, b])
    expect(document).toMatchObject({ products: [{ id: 'a', name: 'A', type: 'good', description: 'd' }] })
    expect(issues).toMatchObject([{ code: 'merge_conflict', severity: 'error', path: 'b.json', line: 10 }])
    expect(issues[0]?.detail).toContain('a.json:6:15')
    expect(locate('#/products/0/description')).toMatchObject({ path: 'b.json' })
  })

  test('a member of the whole document that occurs in two files is an error with both places, unless the values are equal', () => {
    const a = json('a.json', { version: '1.0.0', products: [], tax: { rates: ['vat'] } })
    const b = json('b.json', { version: '1.0.0', products: [], tax: { automatic: true } })
    const { document, issues } = mergeFiles([a, b])
    expect(document).toMatchObject({ tax: { rates: ['vat'] } })
    expect(issues).toMatchObject([{ code: 'merge_conflict', severity: 'error', path: 'b.json' }])
    expect(issues[0]?.detail).toContain('a.json:')
    expect(mergeFiles([a, json('c.json', { version: '1.0.0', products: [], tax: { rates: ['vat'] } })]).issues).toEqual(
      [],
    )
  })

  test('the extra currencies of all files are joined, each once and with its own place', () => {
    const file = (name: string, ...extra: unknown[]) =>
      json(name, { version: '1.0.0', products: [], extra_currencies: extra })
    const { document, issues, locate } = mergeFiles([file('a.json', 'krw', 'huf'), file('b.json', 'huf', 'kwd')])
    expect(document).toMatchObject({ extra_currencies: ['krw', 'huf', 'kwd'] })
    expect(issues).toEqual([])
    expect(locate('#/extra_currencies/2')).toMatchObject({ path: 'b.json' })
    const wrong = json('c.json', { version: '1.0.0', products: [], extra_currencies: 'krw' })
    expect(mergeFiles([file('a.json', 'huf'), wrong]).issues).toMatchObject([{ code: 'type_wrong', path: 'c.json' }])
  })

  test('a duplicate id is an error with both places, across files and within one file', () => {
    const meter = { id: 'm', display_name: 'M', event_name: 'm' }
    const a = json('a.json', { version: '1.0.0', products: [{ id: 'a', name: 'A' }], meters: [meter] })
    const b = json('b.json', {
      version: '1.0.0',
      products: [
        { id: 'b', name: 'B' },
        { id: 'b', name: 'B' },
      ],
      meters: [{ ...meter, event_name: 'n' }],
    })
    const { document, issues, locate } = mergeFiles([a, b])
    expect(issues).toEqual([])
    const placed = placeIssues(validateConfig(document).errors, locate)
    expect(placed.map(({ code, path, line }) => [code, path, line])).toEqual([
      ['id_duplicate', 'b.json', 9],
      ['id_duplicate', 'b.json', 15],
    ])
    expect(placed.map(({ detail }) => /first at (\S+)\.$/.exec(detail)?.[1])).toEqual(['b.json:5:13', 'a.json:11:13'])
  })

  test('a file that is not an object, lacks a section, or has a section that is not a list is reported with its file name', () => {
    const { issues, document } = mergeFiles([
      json('a.json', []),
      json('b.json', { version: '1.0.0' }),
      json('c.json', { products: [], meters: {} }),
      source('d.json', '{'),
    ])
    expect(issues.map(({ code, path }) => [path, code])).toEqual([
      ['d.json', 'syntax'],
      ['a.json', 'type_wrong'],
      ['b.json', 'field_missing'],
      ['c.json', 'field_missing'],
      ['c.json', 'type_wrong'],
    ])
    expect(document).toEqual({ version: '1.0.0', products: [] })
  })

  test('unknown fields of each file are kept, so that validation reports the fields with their place', () => {
    const a = json('a.json', { version: '1.0.0', products: [{ id: 'a', name: 'A' }] })
    const b = json('b.json', { version: '1.0.0', products: [], meter: [] })
    const { document, locate } = mergeFiles([a, b])
    expect(placeIssues(validateConfig(document).errors, locate)).toMatchObject([
      { code: 'field_unknown', path: 'b.json', line: 4 },
    ])
  })

  test('a single file is used unchanged', () => {
    const only = json('a.json', { $schema: 'x', version: '1.0.0', products: [], odd: 1 })
    expect(mergeFiles([only])).toMatchObject({ document: only.document, issues: [] })
    expect(mergeFiles([]).document).toEqual({})
  })
})

describe('interpolation of variables:', () => {
  const environment = new Map([
    ['HOST', 'api.example.test'],
    ['EMPTY', ''],
    ['NESTED', '${HOST}'],
  ])

  test.each([
    ['https://${HOST}/x', 'https://api.example.test/x'],
    ['${HOST}${HOST}', 'api.example.testapi.example.test'],
    ['$${HOST}', '${HOST}'],
    ['$$${HOST}', '$${HOST}'],
    ['${EMPTY}', ''],
    ['${NESTED}', '${HOST}'],
    ['$HOST {HOST} $', '$HOST {HOST} $'],
  ])('the text %j becomes %j', (text, expected) => {
    expect(interpolate({ a: [text] }, environment)).toMatchObject({ value: { a: [expected] }, issues: [] })
  })

  test.each([
    ['${HOSTS}', 'variable_unset', 'Did you mean "HOST"?'],
    ['${OTHER_THING}', 'variable_unset', 'Set OTHER_THING in the environment or in the environment file.'],
    ['x ${HOST', 'variable_malformed', undefined],
    ['${}', 'variable_malformed', undefined],
    ['${A B}', 'variable_malformed', undefined],
    ['${__proto__}', 'variable_unset', undefined],
  ])('the text %j is left unchanged and reported with its place', (text, code, hint) => {
    const { value, issues } = interpolate({ webhooks: [{ url: text }] }, environment)
    expect(value).toEqual({ webhooks: [{ url: text }] })
    expect(issues).toMatchObject([
      { code, pointer: '#/webhooks/0/url', severity: 'error', ...(hint === undefined ? {} : { hint }) },
    ])
  })

  test.each([
    ...['RATECARD_SERVICE_KEY', 'RATECARD_ANYTHING', 'STRIPE_SECRET_KEY', 'STRIPE_ACCOUNT', 'DATABASE_URL'],
    ...['AWS_REGION', 'GITHUB_TOKEN', 'GITHUB_SHA', 'NPM_TOKEN', 'npm_config_registry', 'SSH_AUTH_SOCK'],
  ])('the variable %s is never expanded, not even in the URL of a webhook', (name) => {
    const document = { webhooks: [{ url: `https://\${${name}}/` }], products: [{ name: `\${${name}}` }] }
    const { value, issues, used } = interpolate(document, new Map([[name, 'canary']]))
    expect(value).toEqual(document)
    expect(issues).toMatchObject([
      { code: 'variable_forbidden', pointer: '#/webhooks/0/url' },
      { code: 'variable_forbidden', pointer: '#/products/0/name' },
    ])
    expect([JSON.stringify(issues).includes('canary'), used.size]).toEqual([false, 0])
  })

  test.each(['HOOK_TOKEN', 'SHARED_SECRET', 'API_KEY', 'DB_PASSWORD', 'apikey'])(
    'the variable %s is expanded in the URL of a webhook and refused in all other fields',
    (name) => {
      const text = `https://a.test/\${${name}}`
      const places = {
        webhooks: [{ url: text, description: text, events: [text] }],
        products: [{ name: text, metadata: { url: text }, ui: { webhooks: [{ url: text }] } }],
      }
      const { value, issues, used } = interpolate(places, new Map([[name, 'canary']]))
      expect(value).toMatchObject({ webhooks: [{ url: 'https://a.test/canary', description: text }] })
      expect(issues.map(({ code, pointer }) => [code, pointer])).toEqual(
        [
          'webhooks/0/description',
          'webhooks/0/events/0',
          'products/0/name',
          'products/0/metadata/url',
          'products/0/ui/webhooks/0/url',
        ].map((place) => ['variable_forbidden', `#/${place}`]),
      )
      expect(used).toEqual(new Map([[name, 'canary']]))
    },
  )

  test('a forbidden variable is not suggested as the correction of an unset variable', () => {
    const { issues } = interpolate({ a: '${RATECARD_HOSTS}${STRIPE_KE}${HOSTT}' }, new Map([['STRIPE_KEY', 'x']]))
    expect(JSON.stringify(issues)).not.toContain('STRIPE_KEY"')
  })

  test('keys, numbers and the structure of the document are left unchanged', () => {
    const document = JSON.parse('{"${HOST}": 1, "__proto__": {"a": "${HOST}"}, "n": null, "b": true}') as object
    const { value } = interpolate(document, (name) => environment.get(name))
    expect(JSON.stringify(value)).toBe('{"${HOST}":1,"__proto__":{"a":"api.example.test"},"n":null,"b":true}')
  })
})

describe('the source lines shown with an issue', () => {
  test('contain the line, its neighbours and a caret under the position', () => {
    expect(codeFrame('a\nb\n\tcd\ne\nf\ng', 3, 2)).toBe('  1 | a\n  2 | b\n> 3 |  cd\n    |  ^\n  4 | e\n  5 | f')
  })

  test('contain only the part around the position if the file is minified', () => {
    const frame = codeFrame(`${'x'.repeat(50_000)}!${'y'.repeat(50_000)}`, 1, 50_001)
    const [line = '', caret = ''] = frame.split('\n')
    expect(line.length).toBeLessThan(120)
    expect(line.charAt(caret.indexOf('^'))).toBe('!')
  })

  test('contain no control character of the file', () => {
    expect(codeFrame('"\u001b[31mred\u202e"', 1, 1)).toBe('> 1 | "·[31mred·"\n    | ^')
  })
})
