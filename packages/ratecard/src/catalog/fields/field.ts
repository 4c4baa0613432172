// A row of the field tables: everything that the catalog needs about one field. The adapter holds the other half of the row: how the
// processor's API reads and writes the field.
import type { ConfigId, MetadataMap, ProcessorId, ResourceKind } from '../kinds.ts'

/**
 * `once`: can be set while unspecified, fixed after that. `apart`: changed by a step of its own. `attached`: separate objects at the
 * processor, attached and detached one by one.
 */
export type Mutability = 'in_place' | 'fixed' | 'once' | 'apart' | 'attached'

export type OmissionRule = 'default' | 'unmanaged' | 'kept'

/** Maps a processor id to the id in the document; undefined if the document does not contain the resource. */
export type Names = (kind: ResourceKind, id: ProcessorId) => string | undefined

/** Thrown for an object that the document format cannot express; the message is the reason. */
export class Unrepresentable extends Error {}

/** A value with its config ids replaced by another type of reference, e.g. processor ids in an observed resource. */
export type Referring<Value, Ref> = Value extends ConfigId
  ? Ref
  : Value extends readonly ConfigId[]
    ? readonly Ref[]
    : Value

/** Context for writing one item of a pulled document. */
export interface WriteContext {
  readonly fields: Readonly<Record<string, unknown>>
  readonly names: Names
}

export interface Field<Item, Parent, Value, Member extends string, M extends Mutability> {
  /**
   * Field name in plans, drift reports and differences. A function if the name depends on the values, e.g. `amount` or
   * `unit_amount_decimal`.
   */
  readonly name: string | ((values: readonly unknown[]) => string)
  /** Members of an item that hold the value. Empty if another item of the document holds it. */
  readonly members: readonly Member[]
  readonly mutability: M
  /** URL in the processor's documentation that states whether the field can be changed. */
  readonly source: string
  readonly reference: ResourceKind | null
  /** Canonical value of an item that leaves the field out. */
  readonly absent: NoInfer<Value>
  /**
   * Meaning of an absent member. `default`: the value of `absent`. `unmanaged`: the live value stays, unless the last applied document set
   * the field. `kept`: the live value stays even then.
   */
  readonly leftOut: OmissionRule
  /** True if an edit of a file replaces the whole value, because its order counts or its parts are nested. */
  readonly whole: boolean
  canonical(item: Item, parent: Parent): Value
  /** Members of a pulled item. Throws {@link Unrepresentable} if the document format cannot express the value. */
  document(value: NoInfer<Referring<Value, ProcessorId>>, writing: WriteContext): Partial<Item>
  /** The value for plans and reports. Absent: the canonical value is shown. */
  show?(value: NoInfer<Value>): unknown
  /** True if an unmanaged live value can be carried over to a replacement object. Absent: always. */
  fits?(value: NoInfer<Value>, beside: Readonly<Record<string, unknown>>): boolean
  /** True if the processor refuses this particular change of a mutable field, so that the object must be replaced. */
  needsNewObject?(want: NoInfer<Value>, live: NoInfer<Value>): boolean
}

/** A row of any kind. Callers must pass values of the row's own kind. */
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

/** A member that is never sent to the processor. `pulled`: whether a pull keeps the document's value or takes the live one. */
export interface OwnMember<Item, Parent> {
  value(item: Item, parent: Parent): unknown
  readonly pulled: 'kept' | 'live'
}

export interface AnyOwnMember {
  readonly value: (item: never, parent: never) => unknown
  readonly pulled: 'kept' | 'live'
}

/** Local members (never sent to the processor) that every kind has. */
const everyKind = {
  previous_ids: {
    value: (item: { readonly previous_ids?: readonly string[] }): unknown => item.previous_ids,
    pulled: 'kept',
  },
} as const

/** Members of an item for which the table has no row. */
type MissingMember<Item, Rows, Own, Structure> = Exclude<
  keyof Item,
  MembersOf<Rows[keyof Rows]> | keyof Own | Structure | 'id' | 'processor_id' | keyof typeof everyKind
>
type MembersOf<Row> = Row extends { readonly members: readonly (infer Member)[] } ? Member : never

/** No constraint if `Missing` is empty; otherwise a type that fails to compile and lists the members without a row. */
type Complete<Missing> = [Missing] extends [never]
  ? unknown
  : { readonly 'members of the document without a row': Missing }

type Keys<Item, Value> = {
  [Key in keyof Item & string]-?: [Item[Key]] extends [Value | undefined] ? Key : never
}[keyof Item & string]

/** Optional parts of a row: the processor's parameter if its name differs, and the omission rule. */
interface RowOptions {
  readonly parameter?: string
  readonly leftOut?: OmissionRule
}

const reference = 'https://docs.stripe.com/api/'

/** URL in Stripe's API reference: the parameters of an update for a mutable field, those of a creation for a fixed one. */
function sourceOf(objects: string, parameter: string, mutability: Mutability): string {
  if (mutability === 'attached') return `${reference}product-feature/attach#attach_product_feature-${parameter}`
  const object = objects.split('/').at(-1)?.replace(/s$/, '') ?? ''
  const verb = mutability === 'fixed' ? 'create' : 'update'
  return `${reference}${objects}/${verb}#${verb}_${object}-${parameter}`
}

/** Row builders for one kind. `objects` is the processor's API path of its objects, e.g. `billing/meter`. */
export function rowsFor<Item, Parent = undefined>(objects: string) {
  type Row<Value, Member extends string, M extends Mutability> = Field<Item, Parent, Value, Member, M>
  const at = (parameter: string, mutability: Mutability) => sourceOf(objects, parameter, mutability)

  /** A row of any form. `parameter` is the processor's parameter name, used for the documentation URL. */
  function field<Value, const Member extends keyof Item & string, const M extends Mutability>(
    row: Omit<Row<Value, Member, M>, 'source' | 'reference' | 'leftOut' | 'whole'> &
      Partial<Pick<Row<Value, Member, M>, 'reference' | 'leftOut' | 'whole'>> & { readonly parameter: string },
  ): Row<Value, Member, M> {
    const { parameter, ...rest } = row
    return { reference: null, leftOut: 'default', whole: false, ...rest, source: at(parameter, row.mutability) }
  }

  /** A text member that every item has; the canonical value is the member itself. */
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

  /** A text member; '' means absent. */
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

  /** A member whose canonical value is the member itself; null means absent. */
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

  /** A list of texts whose order counts; an empty list means absent. */
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

  /** The author's metadata keys. Keys that the document does not list are left alone. */
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
   * All rows of a kind: fields that the processor stores, in the order in which plans show them, and local members (`own`). `Structure`:
   * members that hold other items.
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
