// The tables by kind, and what follows from them: the canonical fields as types, their names, references and absent values.
import type { Product } from '../../config/schema/schema.ts'
import { resourceKinds } from '../kinds.ts'
import type { ConfigId, ResourceKind } from '../kinds.ts'
import { coupon } from './coupon.ts'
import type { AnyField, AnyOwnMember, Mutability, Referring } from './field.ts'
import { feature } from './feature.ts'
import { meter } from './meter.ts'
import { price } from './price.ts'
import { product } from './product.ts'
import { promotionCode } from './promotion-code.ts'
import { webhook } from './webhook.ts'

const tables = { meter, feature, product, price, coupon, promotion_code: promotionCode, webhook }

type Tables = { readonly [K in ResourceKind]: (typeof tables)[K]['fields'] }
export type FieldName<K extends ResourceKind> = keyof Tables[K] & string

/** The canonical fields of a kind. `Ref` is a config id in the document and in a plan, a processor id in what was observed or is sent. */
export type FieldsOf<K extends ResourceKind, Ref = ConfigId> = {
  readonly [Name in keyof Tables[K]]: Referring<ReturnType<Extract<Tables[K][Name], AnyField>['canonical']>, Ref>
}

/** The fields of a kind with these rules of change. */
export type FieldsThat<K extends ResourceKind, M extends Mutability> = {
  [Name in FieldName<K>]: Tables[K][Name] extends { readonly mutability: M } ? Name : never
}[FieldName<K>]

type Rows = readonly (readonly [string, AnyField])[]

/** The rows of each kind as pairs. */
export const fieldRows = Object.fromEntries(
  resourceKinds.map((kind) => [kind, Object.entries<AnyField>(tables[kind].fields)]),
) as unknown as Readonly<Record<ResourceKind, Rows>>

/** What reads one value of an item. */
interface Reader {
  readonly name: string
  readonly read: (item: object, product: Product | undefined) => unknown
}

/** What a plan asks of the rows, for every item anew: as lists of one shape it costs half. */
export const readersOf = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    {
      fields: fieldRows[kind].map(([name, { canonical }]) => ({ name, read: canonical as Reader['read'] })),
      own: Object.entries<AnyOwnMember>(tables[kind].own).map(([name, { value }]) => ({
        name,
        read: value as Reader['read'],
      })),
    },
  ]),
) as unknown as Readonly<Record<ResourceKind, { readonly fields: readonly Reader[]; readonly own: readonly Reader[] }>>

/** The rows that a comparison goes through: not those that have steps of their own. */
export const comparedRows = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    fieldRows[kind]
      .filter(([, { mutability }]) => mutability !== 'apart' && mutability !== 'attached')
      .map(([name, row]) => ({ name, row })),
  ]),
) as unknown as Readonly<Record<ResourceKind, readonly { readonly name: string; readonly row: AnyField }[]>>

/** Members that are ours alone: no processor write. */
export const ownMembers = Object.fromEntries(
  resourceKinds.map((kind) => [kind, tables[kind].own]),
) as unknown as Readonly<Record<ResourceKind, Readonly<Record<string, AnyOwnMember>>>>

/** Fields that name other resources, and of which kind. */
export const references = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    fieldRows[kind].flatMap(([field, { reference }]) => (reference === null ? [] : [[field, reference] as const])),
  ]),
) as unknown as Readonly<Record<ResourceKind, readonly (readonly [string, ResourceKind])[]>>

/** Members that an edit of a file replaces whole: their order counts, or their parts have parts. */
export const wholeMembers: ReadonlySet<string> = new Set(
  resourceKinds.flatMap((kind) => fieldRows[kind].flatMap(([, row]) => (row.whole ? row.members : []))),
)

/** What an item says that says nothing. */
export const absentFields = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    Object.fromEntries(fieldRows[kind].map(([field, { absent }]) => [field, absent])),
  ]),
) as unknown as Readonly<Record<ResourceKind, Readonly<Record<string, unknown>>>>

export function rowOf(kind: ResourceKind, field: string): AnyField | undefined {
  const table: Readonly<Record<string, AnyField>> = tables[kind].fields
  return Object.hasOwn(table, field) ? table[field] : undefined
}

/** The document's name of a canonical field, which may depend on its values; any other name stays as it is. */
export function documentName(kind: ResourceKind, field: string, ...values: readonly unknown[]): string {
  const name = rowOf(kind, field)?.name ?? field
  return typeof name === 'string' ? name : name(values)
}

/** A canonical value as plans and reports show it; undefined is absent. */
export function documentValue(kind: ResourceKind, field: string, value: unknown): unknown {
  if (value === null || value === '') return undefined
  const row = rowOf(kind, field)
  return row?.show === undefined ? value : row.show(value as never)
}

/** The members of an item that a live value of this name is written to; none for what is ours alone or said by another item. */
export function membersOf(kind: ResourceKind, name: string): readonly string[] {
  if (ownMembers[kind][name]?.pulled === 'kept') return []
  const said = fieldRows[kind].find(([, row]) => nameFits(row, name))
  return said === undefined ? [name] : said[1].members
}

function nameFits(row: AnyField, name: string): boolean {
  return typeof row.name === 'string' ? row.name === name : row.members.includes(name)
}
