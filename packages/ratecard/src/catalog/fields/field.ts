// Row type and row builders of the field tables. A row contains everything that the catalog needs about one field. The adapter has the
// other half: how the processor's API reads and writes the field.
import type { ConfigId, MetadataMap, ProcessorId, ResourceKind } from '../kinds.ts'

/**
 * Ways in which a field can change.
 * - `in_place`: by an update of the object.
 * - `fixed`: never; a change replaces the object.
 * - `once`: can be set while it has no value, and is fixed after that.
 * - `apart`: by a step of its own.
 * - `attached`: the values are separate objects at the processor, attached and detached one by one.
 */
export type Mutability = 'in_place' | 'fixed' | 'once' | 'apart' | 'attached'

export type OmissionRule = 'default' | 'unmanaged' | 'kept'

/** Maps a processor id to the id in the document. Returns undefined if the document does not contain the resource. */
export type Names = (kind: ResourceKind, id: ProcessorId) => string | undefined

/** Thrown for an object that the document format cannot express; the message is the reason. */
export class Unrepresentable extends Error {}

/** A value whose config ids are replaced by another type of reference, e.g. by processor ids in an observed resource. */
export type Referring<Value, Ref> = Value extends ConfigId
  ? Ref
  : Value extends readonly ConfigId[]
    ? readonly Ref[]
    : Value

/** Context for converting one live object to an item of a pulled document. */
export interface WriteContext {
  readonly fields: Readonly<Record<string, unknown>>
  readonly names: Names
}

export interface Field<Item, Parent, Value, Member extends string, M extends Mutability> {
  /**
   * Name of the field in plans, drift reports and differences. It is a function if the name depends on the values, e.g. `amount` or
   * `unit_amount_decimal`.
   */
  readonly name: string | ((values: readonly unknown[]) => string)
  /** Members of the document's item that contain the value. Empty if another item contains it. */
  readonly members: readonly Member[]
  readonly mutability: M
  /** URL of the processor's documentation that states whether the field can be changed. */
  readonly source: string
  readonly reference: ResourceKind | null
  /** Canonical value of an item that omits the field. */
  readonly absent: NoInfer<Value>
  /**
   * Meaning of an omitted member. `default`: the value of `absent`. `unmanaged`: the live value stays, unless the last applied document set
   * the field. `kept`: the live value stays even then.
   */
  readonly leftOut: OmissionRule
  /** True if an edit of the document's file replaces the whole value, because the order of its parts counts or the parts are nested. */
  readonly whole: boolean
  canonical(item: Item, parent: Parent): Value
  /** Returns the members of a pulled item. Throws {@link Unrepresentable} if the document format cannot express the value. */
  document(value: NoInfer<Referring<Value, ProcessorId>>, writing: WriteContext): Partial<Item>
  /** Returns the value as plans and reports show it. Without this function they show the canonical value. */
  show?(value: NoInfer<Value>): unknown
  /** True if an unmanaged live value can be carried over to a replacement object. Without this function every value can. */
  fits?(value: NoInfer<Value>, beside: Readonly<Record<string, unknown>>): boolean
  /** True if the processor refuses this particular change although the field is mutable, so that the object must be replaced. */
  needsNewObject?(want: NoInfer<Value>, live: NoInfer<Value>): boolean
}

/** A row of any kind of resource. The caller must pass values of the row's own kind. */
export interface AnyField {
  readonly name: string | ((values: readonly unknown[]) => string)
  readonly members: readonly string[]
  readonly mutability: Mutability
  readonly source: string
  readonly reference: ResourceKind | null
  readonly absent: unknown
  readonly leftOut: OmissionRule
  readonly whole: boolean
  readonly canonical: (item: never, parent: never) => unknown
  document(value: never, writing: WriteContext): object
  show?(value: never): unknown
  fits?(value: never, beside: Readonly<Record<string, unknown>>): boolean
  needsNewObject?(want: never, live: never): boolean
}

/**
 * A member of the document that is never sent to the processor. `pulled` states what a pull writes: the document's value (`kept`) or the
 * live one (`live`).
 */
export interface OwnMember<Item, Parent> {
  value(item: Item, parent: Parent): unknown
  readonly pulled: 'kept' | 'live'
  /** Members that a pull writes into the author's file when this member changes. Default: only this member. */
  readonly members?: readonly string[]
}

export interface AnyOwnMember {
  readonly value: (item: never, parent: never) => unknown
  readonly pulled: 'kept' | 'live'
  readonly members?: readonly string[]
}

/** Local members (never sent to the processor) that items of every kind have. */
const everyKind = {
  previous_ids: {
    value: (item: { readonly previous_ids?: readonly string[] }): unknown => item.previous_ids,
    pulled: 'kept',
  },
} as const

/** Names of the members of an item that no row of the table covers. */
type MissingMember<Item, Rows, Own, Structure> = Exclude<
  keyof Item,
  MembersOf<Rows[keyof Rows]> | keyof Own | Structure | 'id' | 'processor_id' | keyof typeof everyKind
>
type MembersOf<Row> = Row extends { readonly members: readonly (infer Member)[] } ? Member : never

/**
 * Compile-time check that every member has a row. If `Missing` is not empty, compilation fails with an error that names the missing
 * members.
 */
type Complete<Missing> = [Missing] extends [never]
  ? unknown
  : { readonly 'members of the document without a row': Missing }

type Keys<Item, Value> = {
  [Key in keyof Item & string]-?: [Item[Key]] extends [Value | undefined] ? Key : never
}[keyof Item & string]

/** Optional parts of a row: the processor's parameter name if it differs from the member's, and the omission rule. */
interface RowOptions {
  readonly parameter?: string
  readonly leftOut?: OmissionRule
}

const reference = 'https://docs.stripe.com/api/'

/**
 * Returns the URL in Stripe's API reference that documents the parameter: the page of the update call if the field can be changed,
 * otherwise the page of the create call.
 */
function sourceOf(objects: string, parameter: string, mutability: Mutability): string {
  if (mutability === 'attached') return `${reference}product-feature/attach#attach_product_feature-${parameter}`
  const object = objects.split('/').at(-1)?.replace(/s$/, '') ?? ''
  const verb = mutability === 'fixed' ? 'create' : 'update'
  return `${reference}${objects}/${verb}#${verb}_${object}-${parameter}`
}

/** Returns the row builders for one kind. `objects` is the API path of its objects at the processor, e.g. `billing/meter`. */
export function rowsFor<Item, Parent = undefined>(objects: string) {
  type Row<Value, Member extends string, M extends Mutability> = Field<Item, Parent, Value, Member, M>
  const at = (parameter: string, mutability: Mutability) => sourceOf(objects, parameter, mutability)

  /** Builds a row of any form. `parameter` is the processor's parameter name, used for the documentation URL. */
  function field<Value, const Member extends keyof Item & string, const M extends Mutability>(
    row: Omit<Row<Value, Member, M>, 'source' | 'reference' | 'leftOut' | 'whole'> &
      Partial<Pick<Row<Value, Member, M>, 'reference' | 'leftOut' | 'whole'>> & { readonly parameter: string },
  ): Row<Value, Member, M> {
    const { parameter, ...rest } = row
    return { reference: null, leftOut: 'default', whole: false, ...rest, source: at(parameter, row.mutability) }
  }

  /** Builds the row of a text member that every item has. The canonical value is the member itself. */
  function required<const Member extends Keys<Item, string>, const M extends Mutability>(
    member: Member,
    mutability: M,
  ) {
    return field<Item[Member] & string, Member, M>({
      name: member,
      members: [member],
      mutability,
      parameter: member,
      absent: '' as Item[Member] & string,
      canonical: (item) => item[member] as Item[Member] & string,
      document: (value) => ({ [member]: value }) as Partial<Item>,
    })
  }

  /** Builds the row of an optional text member. The canonical value '' means absent. */
  function text<const Member extends Keys<Item, string>, const M extends Mutability>(
    member: Member,
    mutability: M,
    { parameter = member, leftOut = 'unmanaged' }: RowOptions = {},
  ) {
    return field<string, Member, M>({
      name: member,
      members: [member],
      mutability,
      parameter,
      absent: '',
      leftOut,
      canonical: (item) => (item[member] as string | undefined) ?? '',
      document: (value) => (value === '' ? {} : ({ [member]: value } as Partial<Item>)),
    })
  }

  function flag<const Member extends Keys<Item, boolean>, const M extends Mutability>(
    member: Member,
    mutability: M,
    absent: boolean,
    { parameter = member, leftOut = 'default' }: RowOptions = {},
  ) {
    return field<boolean, Member, M>({
      name: member,
      members: [member],
      mutability,
      parameter,
      absent,
      leftOut,
      canonical: (item) => (item[member] as boolean | undefined) ?? absent,
      document: (value) => (value === absent ? {} : ({ [member]: value } as Partial<Item>)),
    })
  }

  /** Builds the row of an optional member whose canonical value is the member itself; null means absent. */
  function orNull<const Member extends keyof Item & string, const M extends Mutability>(
    member: Member,
    mutability: M,
    { parameter = member, leftOut = 'default' }: RowOptions = {},
  ) {
    return field<NonNullable<Item[Member]> | null, Member, M>({
      name: member,
      members: [member],
      mutability,
      parameter,
      absent: null,
      leftOut,
      canonical: (item) => item[member] ?? null,
      document: (value) => (value === null ? {} : ({ [member]: value } as Partial<Item>)),
    })
  }

  /** Builds the row of a list of texts whose order counts. An empty list means absent. */
  function texts<const Member extends Keys<Item, string[]>, const M extends Mutability>(member: Member, mutability: M) {
    const none: readonly string[] = []
    return field<readonly string[], Member, M>({
      name: member,
      members: [member],
      mutability,
      parameter: member,
      absent: none,
      leftOut: 'unmanaged',
      whole: true,
      canonical: (item) => (item[member] as readonly string[] | undefined) ?? none,
      document: (value) => (value.length === 0 ? {} : ({ [member]: [...value] } as Partial<Item>)),
      show: (value) => (value.length === 0 ? undefined : value),
    })
  }

  /** Builds the row of the author's metadata. Metadata keys that the document does not list are left alone. */
  function metadata<const Member extends Keys<Item, MetadataMap>>(member: Member) {
    const none: MetadataMap = {}
    return field<MetadataMap, Member, 'in_place'>({
      name: member,
      members: [member],
      mutability: 'in_place',
      parameter: member,
      absent: none,
      canonical: (item) => (item[member] as MetadataMap | undefined) ?? none,
      document: (value) => (Object.keys(value).length === 0 ? {} : ({ [member]: { ...value } } as Partial<Item>)),
    })
  }

  /**
   * Builds the table of a kind. It contains the fields that the processor stores, in the order of plans, and the local members (`own`).
   * `Structure` names the members that contain other items, e.g. a product's `prices`.
   */
  function table<Structure extends keyof Item = never>() {
    return <
      const Fields extends Readonly<Record<string, AnyField>>,
      const Own extends Readonly<Record<string, OwnMember<Item, Parent>>>,
    >(
      fields: Fields & Complete<MissingMember<Item, Fields, Own, Structure>>,
      own: Own,
    ): { readonly fields: Fields; readonly own: Own & typeof everyKind } => ({ fields, own: { ...own, ...everyKind } })
  }

  return { field, required, text, texts, flag, orNull, metadata, table }
}
