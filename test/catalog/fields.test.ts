// The field tables, compared with the document's schema and with the processor's contract.
import { describe, expect, it } from 'vitest'
import { addMembers } from '../../packages/ratecard/src/catalog/fields/field.ts'
import { fieldRows, ownMembers } from '../../packages/ratecard/src/catalog/fields/tables.ts'
import { itemsOf, resourceKinds, type ResourceKind } from '../../packages/ratecard/src/catalog/kinds.ts'
import {
  Coupon,
  Feature,
  Meter,
  Portal,
  Price,
  Product,
  PromotionCode,
  TaxRate,
  Webhook,
} from '../../packages/ratecard/src/document/schema/schema.ts'
import { fieldSamples, sampleDocument, sampleIds, type Sample } from '../support/generated/field-samples.ts'
import { operations } from '../support/stripe-contract.ts'
import { featureLimits } from '../../packages/ratecard/src/catalog/fields/feature.ts'

const schemas: Readonly<Record<ResourceKind, { readonly properties: object }>> = {
  meter: Meter,
  feature: Feature,
  product: Product,
  price: Price,
  coupon: Coupon,
  promotion_code: PromotionCode,
  tax_rate: TaxRate,
  portal: Portal,
  webhook: Webhook,
}

/** Paths that have another name in the processor's documentation. */
const paths: Readonly<Record<string, string>> = {
  'billing/meter': 'billing/meters',
  'entitlements/feature': 'entitlements/features',
  'customer_portal/configurations': 'billing_portal/configurations',
}

/** Members that are no fields of the item itself: its identity, and the items within it. */
const structure = ['id', 'processor_id', 'prices']

describe.each(resourceKinds)('the table of fields of a %s', (kind) => {
  const rows = fieldRows[kind]
  const members = Object.keys(schemas[kind].properties)

  it('has a row for each member of the schema, and no further rows', () => {
    const said = [...rows.flatMap(([, row]) => row.members), ...Object.keys(ownMembers[kind])]
    const missing = members.filter((member) => !structure.includes(member) && !said.includes(member))
    expect(missing).toEqual([])
    // The limits of features stand in `features`, whose ids alone the processor stores.
    expect(said.filter((member) => !members.includes(member) && member !== featureLimits)).toEqual([])
  })

  it('maps a missing member to its absent value, and writes no member for that value', () => {
    const item = itemsOf(sampleDocument(kind, {}), kind).find((one) => one.item.id === sampleIds[kind])
    for (const [field, row] of rows) {
      if (row.members.length === 0 || row.members.some((member) => Object.hasOwn(item?.item ?? {}, member))) continue
      // The lookup key of a price is its id, unless the document names another one.
      const absent = kind === 'price' && field === 'lookupKey' ? sampleIds[kind] : row.absent
      expect([field, row.canonical(item?.item as never, item?.product as never)]).toEqual([field, absent])
      if (row.leftOut !== 'default')
        expect(row.document(absent as never, { id: sampleIds[kind], fields: {}, names: () => undefined })).toEqual({})
    }
  })

  it('converts fields to members that are read back as the same fields', () => {
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
      const writing = { id: item.id ?? '', fields, names: (_: ResourceKind, id: string) => id }
      const written = { id: item.id }
      for (const [field, row] of rows) addMembers(written, row.document(fields[field] as never, writing))
      for (const [field, row] of rows)
        if (row.members.length > 0)
          expect([field, row.canonical(written as never, product as never)]).toEqual([field, fields[field]])
    }
  })

  it('marks a field as changeable if and only if the processor accepts the field in an update, with a link to its documentation', () => {
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
