import { describe, expect, test } from 'vitest'
import { handOver, renameCatalog, renamesBack, renamesOf } from '../../packages/ratecard/src/catalog/renames.ts'
import { desiredCatalog } from '../../packages/ratecard/src/catalog/desired.ts'
import { configId, processorId } from '../../packages/ratecard/src/catalog/kinds.ts'
import type { Rename } from '../../packages/ratecard/src/catalog/renames.ts'
import type { MappingEntry } from '../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig, Price } from '../../packages/ratecard/src/document/schema/schema.ts'

const price = (id: string, rest: Partial<Price> = {}): Price => ({
  id,
  amount: 100,
  currency: 'usd',
  interval: 'month',
  ...rest,
})
const config = (...prices: Price[]): BillingConfig => ({ version: '1.0.0', products: [{ id: 'p', name: 'P', prices }] })
const entry = (id: string, object: string, sequence: number, revision = sequence): MappingEntry => ({
  kind: 'price',
  configId: configId(id),
  processorId: processorId(object),
  sequence,
  revision,
})
const rename = (from: string, to: string, object: string, rows: readonly number[] = [1], continues = true) =>
  ({ kind: 'price', from, to, rows, continues, object }) as Rename
const ids = (mappings: readonly MappingEntry[]) =>
  mappings.map((one) => `${one.configId}=${one.processorId}@${String(one.sequence)}`)

describe('renames in a new document:', () => {
  test('an id in previous_ids transfers its object to the new id if it has an object and is no longer in the document', () => {
    const { renames, refused } = renamesOf(config(price('b', { previous_ids: ['a'] })), config(price('a')), [
      entry('a', 'o1', 1),
    ])
    expect(renames).toEqual([rename('a', 'b', 'o1')])
    expect(refused).toEqual([])
  })

  test('an id in previous_ids causes no rename if it has no object or was renamed before', () => {
    const next = config(price('b', { previous_ids: ['a', 'never'] }))
    expect(renamesOf(next, config(price('b')), [entry('b', 'o1', 1)]).renames).toEqual([])
  })

  test('a rename that merges two items of the current document is refused, and allowed if one of the items was removed before', () => {
    const mappings = [entry('a', 'o1', 1), entry('b', 'o2', 2)]
    const next = config(price('b', { previous_ids: ['a'] }))
    expect(renamesOf(next, config(price('a'), price('b')), mappings)).toEqual({
      renames: [],
      refused: [{ kind: 'price', to: 'b', from: ['a'] }],
    })
    expect(renamesOf(next, config(price('b')), mappings).renames).toEqual([rename('a', 'b', 'o2', [1], false)])
    expect(renamesOf(next, config(price('a')), mappings).renames).toEqual([rename('a', 'b', 'o1')])
  })

  test('the adoption of the current object of an id that is no longer in the document is a rename too', () => {
    const next = config(price('b', { processor_id: 'o1' }))
    expect(renamesOf(next, config(price('a')), [entry('a', 'o1', 1)]).renames).toEqual([rename('a', 'b', 'o1')])
    // The id stays in the document, so it is no rename, and the plan refuses it.
    const both = config(price('a'), price('b', { processor_id: 'o1' }))
    expect(renamesOf(both, config(price('a')), [entry('a', 'o1', 1)]).renames).toEqual([])
  })

  test('two items that adopt each other’s objects exchange their ids in one step', () => {
    const mappings = [entry('a', 'o1', 1), entry('b', 'o2', 2)]
    const next = config(price('a', { processor_id: 'o2' }), price('b', { processor_id: 'o1' }))
    const { renames, refused } = renamesOf(next, config(price('a'), price('b')), mappings)
    expect(refused).toEqual([])
    expect(renames).toEqual([rename('b', 'a', 'o2', [2]), rename('a', 'b', 'o1')])
    expect(ids(handOver(mappings, renames))).toEqual(['b=o1@1', 'a=o2@2'])
  })
})

describe('the transfer of a renamed item’s processor objects to its new id', () => {
  test('includes all objects that the id has had, and the most recently sold object stays current', () => {
    const mappings = [entry('a', 'o1', 1), entry('b', 'o9', 2), entry('a', 'o2', 3)]
    expect(ids(handOver(mappings, [rename('a', 'b', 'o9', [1, 3])]))).toEqual(['b=o1@1', 'b=o9@2', 'b=o2@3', 'b=o9@4'])
    expect(ids(handOver(mappings, [rename('a', 'c', 'o2', [1, 3])]))).toEqual(['c=o1@1', 'b=o9@2', 'c=o2@3'])
  })
})

test('puts the new id into the earlier document too, in the item and in each reference to the item', () => {
  const before: BillingConfig = {
    version: '1.0.0',
    products: [
      { id: 'p', name: 'P', prices: [price('a'), price('a_gold', { base_price: 'a', enterprise_template: 'gold' })] },
    ],
    coupons: [{ id: 'c', percent_off: 5, duration: 'once', applies_to: ['p'] }],
    promotion_codes: [{ id: 'k', code: 'K', coupon: 'c' }],
  }
  const after = renameCatalog(desiredCatalog(before), [
    rename('a', 'b', 'o'),
    { ...rename('p', 'q', 'o'), kind: 'product' },
    { ...rename('c', 'd', 'o'), kind: 'coupon' },
  ])
  expect(after.product.map(({ configId: id }) => id)).toEqual(['q'])
  expect(after.price.map(({ configId: id, fields, ours }) => [id, fields.product, ours['base_price']])).toEqual([
    ['b', 'q', undefined],
    ['a_gold', 'q', 'b'],
  ])
  expect(after.coupon[0]).toMatchObject({ configId: 'd', fields: { appliesTo: ['q'] } })
  expect(after.promotion_code[0]).toMatchObject({ configId: 'k', fields: { coupon: 'd' } })
})

describe('renames that a rollback undoes:', () => {
  const past = (from: string, to: string, revision: number, rows: readonly number[] = [1], continues = true) => ({
    kind: 'price' as const,
    from: configId(from),
    to: configId(to),
    rows,
    continues,
    revision,
  })

  test('a rollback separates the earlier id’s objects from the id with which they were merged', () => {
    // b was removed, then a was renamed to b. After the rollback, the object of the first b belongs to b again, and that of a to a.
    const mappings = [entry('b', 'o1', 1), entry('b', 'o2', 2, 1), entry('b', 'o3', 3, 4)]
    const { renames, taken } = renamesBack(1, [past('a', 'b', 3, [2])], mappings, config(price('b')))
    expect(renames).toEqual([rename('b', 'a', 'o3', [2, 3])])
    expect(taken).toEqual([])
    expect(ids(handOver(mappings, renames))).toEqual(['b=o1@1', 'a=o2@2', 'a=o3@3'])
  })

  test('a rollback of a rename that was added later returns only the earlier object, not the object of the current item', () => {
    const mappings = [entry('b', 'o1', 1), entry('b', 'o2', 2)]
    const { renames } = renamesBack(2, [past('a', 'b', 3, [1], false)], mappings, config(price('b')))
    expect(renames).toEqual([rename('b', 'a', 'o1', [1], false)])
  })

  test('a chain of renames is followed back to the id of the restored revision', () => {
    const mappings = [entry('c', 'o1', 1)]
    const log = [past('a', 'b', 2), past('b', 'c', 3)]
    expect(renamesBack(1, log, mappings, config(price('c'))).renames).toEqual([rename('c', 'a', 'o1')])
    expect(renamesBack(2, log, mappings, config(price('c'))).renames).toEqual([rename('c', 'b', 'o1')])
    expect(renamesBack(3, log, mappings, config(price('c'))).renames).toEqual([])
  })

  test('an item that was created later under a freed id is not renamed back', () => {
    // a → b at 2, b → c at 3, a new b at 4.
    const mappings = [entry('c', 'o1', 1), entry('b', 'o2', 4)]
    const { renames, taken } = renamesBack(
      1,
      [past('a', 'b', 2), past('b', 'c', 3)],
      mappings,
      config(price('b'), price('c')),
    )
    expect(renames).toEqual([rename('c', 'a', 'o1')])
    expect(taken).toEqual([])
  })

  test('an item gets its own object back although a second item, removed by now, had its id since then', () => {
    // a → b at 2, a second a at 3, which is removed at 4.
    const mappings = [entry('b', 'o1', 1), entry('a', 'o2', 3)]
    const { renames, taken } = renamesBack(1, [past('a', 'b', 2)], mappings, config(price('b')))
    expect(renames).toEqual([rename('b', 'a', 'o1')])
    expect(taken).toEqual([])
    expect(ids(handOver(mappings, renames))).toEqual(['a=o1@1', 'a=o2@3', 'a=o1@4'])
  })

  test('a later item keeps its id if another item had the earlier id of both', () => {
    // b → a at 3, a second b at 4, a → d and b → c at 5.
    const mappings = [entry('d', 'o1', 1), entry('c', 'o2', 2, 4)]
    const log = [past('b', 'a', 3), past('a', 'd', 5), past('b', 'c', 5, [2])]
    const { renames, taken } = renamesBack(2, log, mappings, config(price('c'), price('d')))
    expect(renames).toEqual([rename('d', 'b', 'o1')])
    expect(taken).toEqual([])
  })

  test('a current item that uses an id of the restored revision is reported', () => {
    const mappings = [entry('b', 'o1', 1), entry('a', 'o2', 3)]
    const { taken } = renamesBack(1, [past('a', 'b', 2)], mappings, config(price('a'), price('b')))
    expect(taken).toMatchObject([{ from: 'b', to: 'a' }])
  })
})
