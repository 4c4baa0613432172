// What console methods of a worker show. The functions run in the author's isolate; here they are imported as the module that they become.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { consoleText } from '../../../packages/ratecard/src/workers/runtime/workerd/process/console-text.ts'

interface ConsoleText {
  readonly textOf: (value: unknown) => string
  readonly formatLine: (parts: readonly unknown[]) => string
}

const source = `${consoleText}\nexport { textOf, formatLine }`
const { textOf, formatLine } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as ConsoleText

class Order {
  readonly id = 7
  get total() {
    return 1
  }
}

const circle: Record<string, unknown> = { a: 1 }
circle['self'] = circle

test.each([
  ['text', 'text'],
  [
    { to: "it's", of: ['a', 1n, -0, undefined, null, true] },
    `{ to: 'it\\'s', of: [ 'a', 1n, -0, undefined, null, true ] }`,
  ],
  [new Map([['a', { b: 1n }]]), "Map(1) { 'a' => { b: 1n } }"],
  [new Set([1, 'x']), "Set(2) { 1, 'x' }"],
  [new Headers({ 'x-b': '2', a: '1' }), "Headers { a: '1', 'x-b': '2' }"],
  [new Map(new Headers({ a: '1' })), "Map(1) { 'a' => '1' }"],
  [new URLSearchParams('a=1&a=2'), "URLSearchParams { a: '1', a: '2' }"],
  [new URL('https://a.example/b'), 'URL https://a.example/b'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [new Date(NaN), 'Invalid Date'],
  [/a\/b/gi, '/a\\/b/gi'],
  [new Uint8Array([1, 2]), 'Uint8Array(2) [ 1, 2 ]'],
  [new Order(), 'Order { id: 7 }'],
  [circle, '{ a: 1, self: [Circular] }'],
  [Object.assign(Object.create(null) as object, { id: 10n }), '[Object: null prototype] { id: 10n }'],
  [Object.assign(Array(3), { 0: NaN, 2: Infinity }), '[ NaN, <empty>, Infinity ]'],
  [{ [Symbol('s')]: 1, 'a-b': 2 }, "{ 'a-b': 2, [Symbol(s)]: 1 }"],
  [
    {
      get later() {
        return 1
      },
    },
    '{ later: [Getter] }',
  ],
  [[], '[]'],
  [{}, '{}'],
  [() => 1, '[Function]'],
  [Order, '[Function: Order]'],
  [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, '{\n  a: { b: { c: { d: { e: [Object] } } } }\n}'],
] as readonly (readonly [unknown, string])[])('value %# is shown as a person expects', (value, shown) => {
  expect(textOf(value).replaceAll(/\s+/g, ' ')).toBe(shown.replaceAll(/\s+/g, ' '))
})

test('an object that is wider than a line has a line for each member', () => {
  expect(textOf({ first: 'a'.repeat(40), second: 'b'.repeat(40) })).toBe(
    `{\n  first: '${'a'.repeat(40)}',\n  second: '${'b'.repeat(40)}'\n}`,
  )
})

test.each([
  [['%s bought %d of %s', 'Ann', 3, { id: 1 }], 'Ann bought 3 of { id: 1 }'],
  [['%s', 'a', 'b', { c: 1 }], 'a b { c: 1 }'],
  [['%i %f %d %d', '12.9', '1.5x', 10n, {}], '12 1.5 10n NaN'],
  [['100 %', 1], '100 % 1'],
  [['%d%% %s', 5], '5% %s'],
  [['%%'], '%%'],
  [['%cred%c', 'color: red', ''], 'red'],
  [['%o', 'x'], "'x'"],
  [[], ''],
  [[Symbol('a'), null], 'Symbol(a) null'],
] as readonly (readonly [unknown[], string])[])('format %# is filled in', (parts, printed) => {
  expect(formatLine(parts)).toBe(printed)
})

test('an error shows its stack, its own members, its cause and the errors that it stands for', () => {
  const cause = new TypeError('no route')
  const error = Object.assign(new Error('could not charge', { cause }), { code: 'E_CHARGE' })
  const shown = textOf(error)
  expect(shown).toContain('Error: could not charge\n    at ')
  expect(shown).toContain("\n  code: 'E_CHARGE'\n  [cause]: TypeError: no route\n      at ")
  expect(textOf(new AggregateError([new Error('first'), 'second'], 'both'))).toMatch(
    /AggregateError: both\n[^]*\[errors\]: \[\n[^]*Error: first[^]*'second'/,
  )
})

const hostile = (trap: keyof ProxyHandler<object>) =>
  new Proxy(
    {},
    {
      [trap]: () => {
        throw new Error('a trap')
      },
    },
  )
const throwing = {
  get() {
    throw new Error('a getter')
  },
}

test.each([
  ...(['getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor', 'get', 'has'] as const).map(hostile),
  Object.defineProperty(new Error('a'), 'stack', throwing),
  Object.defineProperty(new Error('a'), 'message', throwing),
  { [Symbol.toPrimitive]: throwing.get },
  { toString: throwing.get, toJSON: throwing.get },
  Object.defineProperty({}, Symbol.toStringTag, throwing),
  Object.create(Map.prototype),
  Object.create(Headers.prototype),
  Object.create(Date.prototype),
  Object.create(RegExp.prototype),
  Object.create(Uint8Array.prototype),
  'a b'.match(/(?<first>a)/)?.groups,
  Promise.reject(new Error('unseen')).catch(() => undefined),
  new WeakMap(),
])('a value that resists being read is shown without an exception (%#)', (value) => {
  expect(() => formatLine(['%s %d %o', value, value, value, value])).not.toThrow()
  expect(typeof textOf([value])).toBe('string')
})

test('whatever is printed, printing never throws', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.anything({
          withBigInt: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
          withDate: true,
        }),
      ),
      (parts) => {
        expect(typeof formatLine(parts)).toBe('string')
      },
    ),
  )
})

test('a huge value costs little and shows little', () => {
  const many = Array.from({ length: 1_000_000 }, (_, index) => ({ index, list: [1, 2, 3] }))
  const shown = textOf({ many, text: 'x'.repeat(1_000_000) })
  expect(shown).toContain('… 999900 more')
  expect(shown.length).toBeLessThan(60_000)
})
