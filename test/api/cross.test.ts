import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { clientToWire, fromWire, toWire, wireJson } from '../../packages/ratecard/src/api/notation/case-conversion.ts'
import { camel, snake } from '../../packages/ratecard/src/api/notation/names.ts'
import {
  omittedIf,
  AnyObject,
  AnyValue,
  document,
  nullable,
  shape,
  sharedSchema,
  Time,
} from '../../packages/ratecard/src/api/notation/schema.ts'
import type { Inside } from '../../packages/ratecard/src/api/notation/schema.ts'

const Part = shape('Part', {
  config_id: Type.String(),
  ends_at: nullable(Time('When it ends.')),
  error_text: omittedIf(Type.String(), null),
  dry_run: omittedIf(Type.Literal(true), false),
})
const Whole = shape('Whole', {
  created_at: Time('Time of creation.'),
  owner_name: Type.Optional(Type.String()),
  first_part: sharedSchema(Part),
  all_parts: Type.Array(Part),
  extra_data: nullable(AnyObject),
  any_value: AnyValue('Whatever.'),
  the_document: document<{ metadata: Record<string, string> }>('BillingConfig'),
})

const noon = Date.parse('2026-11-22T12:00:00.000Z')
const authors = { ownerTeam: 'a', owner_team: 'b', nested: [{ someKey: 1, some_key: 2 }] }
const inside: Inside<typeof Whole> = {
  createdAt: noon,
  ownerName: 'Zoë',
  firstPart: { configId: 'one', endsAt: noon, errorText: 'bad', dryRun: true },
  allParts: [{ configId: 'two', endsAt: null, errorText: null, dryRun: false }],
  extraData: authors,
  anyValue: authors,
  theDocument: { metadata: { ownerTeam: 'x', owner_team: 'y' } },
}
const wire = {
  created_at: '2026-11-22T12:00:00.000Z',
  owner_name: 'Zoë',
  first_part: { config_id: 'one', ends_at: '2026-11-22T12:00:00.000Z', error_text: 'bad', dry_run: true },
  all_parts: [{ config_id: 'two', ends_at: null }],
  extra_data: authors,
  any_value: authors,
  the_document: { metadata: { ownerTeam: 'x', owner_team: 'y' } },
}

describe('the case conversion between snake_case in the API and camelCase in the product', () => {
  it('converts member names and times, and leaves content whose names authors chose unchanged', () => {
    expect(toWire(Whole, inside)).toEqual(wire)
    expect(fromWire(Whole, wire)).toEqual(inside)
  })

  it('keeps the member order of the API description, so that equal responses have equal bytes', () => {
    const turned = Object.fromEntries(Object.entries(inside).reverse()) as typeof inside
    expect(JSON.stringify(toWire(Whole, turned))).toBe(JSON.stringify(wire))
  })

  it('drops members that the API description does not contain, at any depth', () => {
    const leaking = { ...inside, secret: 's', firstPart: { ...inside.firstPart, secretKey: 's' } }
    expect(toWire(Whole, leaking)).toEqual(wire)
    expect(fromWire(Whole, { ...wire, secret: 's' })).toEqual(inside)
  })

  it('omits absent optional members, and writes null for members that are always present', () => {
    const { ownerName: _name, anyValue: _value, ...rest } = inside
    const { owner_name: _named, ...expected } = wire
    expect(toWire(Whole, { ...rest, anyValue: undefined })).toEqual({ ...expected, any_value: null })
    expect(fromWire(Part, { config_id: 'x', ends_at: null })).toEqual({
      configId: 'x',
      endsAt: null,
      errorText: null,
      dryRun: false,
    })
  })

  it('accepts objects from the client library, whose times are strings', () => {
    const read: Inside<typeof Part, string> = { configId: 'one', endsAt: '2026-11-22T12:00:00.000Z' }
    expect(clientToWire(Part, read)).toEqual({ config_id: 'one', ends_at: '2026-11-22T12:00:00.000Z' })
  })

  it('selects the variant of a union by its required members', () => {
    const State = shape('State', { push_id: Type.String(), new_state: Type.String() })
    const Step = shape('Step', { push_id: Type.String(), the_step: Part })
    const Event = Type.Union([State, Step, Type.Null(), Type.Array(Type.String())])
    const step = { pushId: 'p', theStep: inside.firstPart }
    expect(toWire(Event, step)).toEqual({ push_id: 'p', the_step: wire.first_part })
    expect(fromWire(Event, { push_id: 'p', new_state: 'running' })).toEqual({ pushId: 'p', newState: 'running' })
    expect(toWire(Event, null)).toBeNull()
    expect(toWire(Event, ['a_b'])).toEqual(['a_b'])
  })

  it('selects the schema of an API object rather than a billing document if a value fits both', () => {
    const Either = Type.Union([document<{ readonly version: string }>('BillingConfig'), Part])
    expect(toWire(Either, inside.firstPart)).toEqual(wire.first_part)
    expect(toWire(Either, { version: '1', configMap: 1 } as { version: string })).toEqual({
      version: '1',
      configMap: 1,
    })
  })

  it('produces the same JSON if a list is converted item by item', () => {
    const List = shape('List', {
      item_list: Type.Array(Part),
      more: Type.Optional(sharedSchema(Whole)),
      last: nullable(Part),
    })
    const items = fc.array(
      fc.record({
        configId: fc.string(),
        endsAt: fc.option(fc.constant(noon)),
        errorText: fc.option(fc.string()),
        dryRun: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(items, fc.boolean(), (itemList, withMore) => {
        const value = { itemList, last: null, ...(withMore ? { more: inside } : {}) }
        const parts = [...wireJson(List, value)]
        expect(parts.join('')).toBe(JSON.stringify(toWire(List, value)))
        for (const item of itemList)
          expect(parts.some((part) => part.slice(1) === JSON.stringify(toWire(Part, item)))).toBe(true)
      }),
    )
    for (const value of [[], {}, null]) {
      const schema = Type.Union([Type.Array(Type.String()), Type.Object({}), Type.Null()])
      expect([...wireJson(schema, value)].join('')).toBe(JSON.stringify(value))
    }
  })

  it('has one type for each of the three forms: product, client and JSON of the API', () => {
    expectTypeOf<Inside<typeof Part>['endsAt']>().toEqualTypeOf<number | null>()
    expectTypeOf<Inside<typeof Part>['errorText']>().toEqualTypeOf<string | null>()
    expectTypeOf<Inside<typeof Part>['dryRun']>().toEqualTypeOf<boolean>()
    expectTypeOf<Inside<typeof Part, string>['dryRun']>().toEqualTypeOf<true | undefined>()
    expectTypeOf<Inside<typeof Whole>['ownerName']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Inside<typeof Whole, string>['createdAt']>().toEqualTypeOf<string>()
  })
})

describe('member names of the API', () => {
  const word = fc.stringMatching(/^[a-z]{1,7}$/)
  /** A number is a word between two others: `last_30_days`. */
  const numbered = fc.tuple(fc.nat(999), word).map((words) => words.join('_'))
  const name = fc
    .tuple(word, fc.array(fc.oneof(word, numbered), { maxLength: 4 }))
    .map(([head, tail]) => [head, ...tail].join('_'))

  it('are converted between snake_case and camelCase in both directions without a loss', () => {
    fc.assert(fc.property(name, (snaked) => snake(camel(snaked)) === snaked))
    expect([camel('processor_customer_id'), snake('processorCustomerId')]).toEqual([
      'processorCustomerId',
      'processor_customer_id',
    ])
  })
})
