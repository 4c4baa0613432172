// The field tables, compared with the document's schema and with the processor's contract.
import { describe, expect, it } from 'vitest'
import { fieldRows, ownMembers } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { itemsOf, resourceKinds } from '../../../packages/ratecard/src/catalog/kinds.ts'
import type { ResourceKind } from '../../../packages/ratecard/src/catalog/kinds.ts'
import {
  Coupon,
  Feature,
  Meter,
  Price,
  Product,
  PromotionCode,
  Webhook,
} from '../../../packages/ratecard/src/config/schema/schema.ts'
import { fieldSamples, sampleDocument, sampleIds } from '../../support/field-samples.ts'
import type { Sample } from '../../support/field-samples.ts'
import { operations } from '../../support/stripe-contract.ts'

const schemas: Readonly<Record<ResourceKind, { readonly properties: object }>> = {
  meter: Meter,
  feature: Feature,
  product: Product,
  price: Price,
  coupon: Coupon,
  promotion_code: PromotionCode,
  webhook: Webhook,
}

/** Paths that have another name in the processor's documentation. */
const paths: Readonly<Record<string, string>> = {
  'billing/meter': 'billing/meters',
  'entitlements/feature': 'entitlements/features',
}

/** Members that are no fields of the item itself: its identity, and the items within it. */
const structure = ['id', 'processor_id', 'prices']

describe.each(resourceKinds)('the field table of a %s', (kind) => {
  const rows = fieldRows[kind]
  const members = Object.keys(schemas[kind].properties)

  it('has a row for each member of the schema, and for no other member', () => {
    const said = [...rows.flatMap(([, row]) => row.members), ...Object.keys(ownMembers[kind])]
    const missing = members.filter((member) => !structure.includes(member) && !said.includes(member))
    expect(missing).toEqual([])
    expect(said.filter((member) => !members.includes(member))).toEqual([])
  })

  it('maps an omitted member to its absent value, and writes no member for that value', () => {
    const item = itemsOf(sampleDocument(kind, {}), kind).find((one) => one.item.id === sampleIds[kind])
    for (const [field, row] of rows) {
      if (row.members.length === 0 || row.members.some((member) => Object.hasOwn(item?.item ?? {}, member))) continue
      expect([field, row.canonical(item?.item as never, item?.product as never)]).toEqual([field, row.absent])
      if (row.leftOut !== 'default')
        expect(row.document(row.absent as never, { fields: {}, names: () => undefined })).toEqual({})
    }
  })

  it('writes members that are read back as the same fields', () => {
    const samples = Object.values(fieldSamples[kind] as Readonly<Record<string, Sample<ResourceKind> | string>>)
    const items = samples
      .flatMap((sample) =>
        typeof sample === 'string' ? [] : [sample.first, sample.second].map((said) => ({ ...sample.beside, ...said })),
      )
      .flatMap((said) => itemsOf(sampleDocument(kind, said), kind).filter(({ item }) => item.id === sampleIds[kind]))
    expect(items.length).toBeGreaterThan(rows.length)
    for (const { item, product } of items) {
      const fields = Object.fromEntries(
        rows.map(([field, row]) => [field, row.canonical(item as never, product as never)]),
      )
      const writing = { fields, names: (_: ResourceKind, id: string) => id }
      const written = Object.assign(
        { id: item.id },
        ...rows.map(([field, row]) => row.document(fields[field] as never, writing)),
      )
      for (const [field, row] of rows)
        if (row.members.length > 0)
          expect([field, row.canonical(written as never, product as never)]).toEqual([field, fields[field]])
    }
  })

  it('marks a field as changeable exactly if the processor accepts it in an update, and links its documentation', () => {
    for (const [field, row] of rows) {
      const place = /^https:\/\/docs\.stripe\.com\/api\/([a-z_/]+)\/(?:create|update)#[a-z_]+-([a-z_-]+)$/.exec(
        row.source,
      )
      if (row.mutability === 'attached') {
        expect(row.source).toContain('/product-feature/attach#')
        const attach = operations.find(
          ({ path: one, method }) => method === 'POST' && one === '/v1/products/{id}/features',
        )
        expect(takes(attach?.params, [row.source.split('-').at(-1) ?? ''])).toBe(true)
        continue
      }
      const [, objects = '', parameter = ''] = place ?? []
      const path = `/v1/${paths[objects] ?? objects}`
      const params = (name: string) => operations.find((one) => one.method === 'POST' && one.path === name)?.params
      expect([field, takes(params(path), parameter.split('-'))]).toEqual([field, row.mutability !== 'apart'])
      expect([field, takes(params(`${path}/{id}`), parameter.split('-'))]).toEqual([field, row.mutability !== 'fixed'])
    }
  })
})

/** True if a request has the parameter `outer[inner]`, in any of the forms that it may take. */
function takes(schema: unknown, [name, ...inner]: readonly string[]): boolean {
  if (name === undefined) return true
  if (typeof schema !== 'object' || schema === null) return false
  const { properties, anyOf } = schema as { readonly properties?: Record<string, unknown>; readonly anyOf?: unknown[] }
  if (anyOf !== undefined) return anyOf.some((choice) => takes(choice, [name, ...inner]))
  return properties?.[name] !== undefined && takes(properties[name], inner)
}
