// Field tables by kind, and everything derived from the tables: the types of the canonical fields, and the fields' names, references and
// absent values.
import type { Product } from '../../document/schema/schema.ts'
import { resourceKinds, type ConfigId, type ResourceKind } from '../kinds.ts'
import { coupon } from './coupon.ts'
import type { AnyField, AnyOwnMember, Mutability, Referring } from './field.ts'
import { feature } from './feature.ts'
import { meter } from './meter.ts'
import { portal } from './portal.ts'
import { price } from './price.ts'
import { product } from './product.ts'
import { promotionCode } from './promotion-code.ts'
import { taxRate } from './tax-rate.ts'
import { webhook } from './webhook.ts'

const tables = {
  meter,
  feature,
  product,
  price,
  coupon,
  promotion_code: promotionCode,
  tax_rate: taxRate,
  portal,
  webhook,
}

type Tables = { readonly [K in ResourceKind]: (typeof tables)[K]['fields'] }
export type FieldName<K extends ResourceKind> = keyof Tables[K] & string

/**
 * Canonical fields of a kind. A reference (`Ref`) is a config id in a document or plan, and a processor id in an observed or resolved
 * resource.
 */
export type FieldsOf<K extends ResourceKind, Ref = ConfigId> = {
  readonly [Name in keyof Tables[K]]: Referring<ReturnType<Extract<Tables[K][Name], AnyField>['canonical']>, Ref>
}

export type FieldsThat<K extends ResourceKind, M extends Mutability> = {
  [Name in FieldName<K>]: Tables[K][Name] extends { readonly mutability: M } ? Name : never
}[FieldName<K>]

type Rows = readonly (readonly [string, AnyField])[]

export const fieldRows = Object.fromEntries(
  resourceKinds.map((kind) => [kind, Object.entries<AnyField>(tables[kind].fields)]),
) as unknown as Readonly<Record<ResourceKind, Rows>>

/** Reads the canonical value of one field from an item. */
interface Reader {
  readonly name: string
  readonly read: (item: object, product: Product | undefined) => unknown
}

/**
 * Functions that read all fields of an item, by kind. They are precomputed, because a plan calls them for every item; this halves the time
 * of a plan.
 */
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

/**
 * Rows of the fields that a comparison of desired and live objects covers. It excludes fields that a separate step of the plan changes
 * (mutability `apart` or `attached`).
 */
export const comparedRows = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    fieldRows[kind]
      .filter(([, { mutability }]) => mutability !== 'apart' && mutability !== 'attached')
      .map(([name, row]) => ({ name, row })),
  ]),
) as unknown as Readonly<Record<ResourceKind, readonly { readonly name: string; readonly row: AnyField }[]>>

/** Local members by kind. A change of a local member needs no write at the processor. */
export const ownMembers = Object.fromEntries(
  resourceKinds.map((kind) => [kind, tables[kind].own]),
) as unknown as Readonly<Record<ResourceKind, Readonly<Record<string, AnyOwnMember>>>>

export const references = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    fieldRows[kind].flatMap(([field, { reference }]) => (reference === null ? [] : [[field, reference] as const])),
  ]),
) as unknown as Readonly<Record<ResourceKind, readonly (readonly [string, ResourceKind])[]>>

/** Rows of fields that contain ids of other resources. */
export const referringRows = Object.fromEntries(
  resourceKinds.map((kind) => [
    kind,
    fieldRows[kind].filter(([, row]) => row.reference !== null || row.refer !== undefined),
  ]),
) as unknown as Readonly<Record<ResourceKind, Rows>>

/** Members whose value an edit of the document's file replaces as a whole, because the value's parts are ordered or nested. */
export const wholeMembers: ReadonlySet<string> = new Set(
  resourceKinds.flatMap((kind) => fieldRows[kind].flatMap(([, row]) => (row.whole ? row.members : []))),
)

/** Canonical values of an item that omits all its fields, by kind. */
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

/**
 * True if the document itself contains whether an object of the kind is active (promotion codes, tax rates). Objects of other kinds are
 * active as long as the document contains them.
 */
export function statesActive(kind: ResourceKind): boolean {
  return rowOf(kind, 'active') !== undefined
}

/**
 * Returns the field's name in the document. It may depend on the values, e.g. `amount` or `unit_amount_decimal`. A field without a row
 * keeps its name, e.g. `metadata.team`.
 */
export function documentName(kind: ResourceKind, field: string, ...values: readonly unknown[]): string {
  const name = rowOf(kind, field)?.name ?? field
  return typeof name === 'string' ? name : name(values)
}

/** Returns the value as plans and reports show it; undefined if it is absent. */
export function documentValue(kind: ResourceKind, field: string, value: unknown): unknown {
  if (value === null || value === '') return undefined
  const row = rowOf(kind, field)
  return row?.show === undefined ? value : row.show(value as never)
}

/**
 * Returns the names of the document members that `pull` writes for the field `name`. Empty for a field that `pull` leaves as the file has
 * it.
 */
export function membersOf(kind: ResourceKind, name: string): readonly string[] {
  const own = ownMembers[kind][name]
  if (own?.pulled === 'kept') return []
  if (own?.members !== undefined) return own.members
  const said = fieldRows[kind].find(([, row]) => nameFits(row, name))
  return said === undefined ? [name] : said[1].members
}

function nameFits(row: AnyField, name: string): boolean {
  return typeof row.name === 'string' ? row.name === name : row.members.includes(name)
}
