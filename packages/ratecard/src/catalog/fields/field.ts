// Row type and row builders of the field tables. A row contains everything that the catalog needs about one field. The adapter has the
// other half: how the processor's API reads and writes the field.
import type { ConfigId, MetadataMap, ProcessorId, ResourceKind, SubscriptionUpdate } from '../kinds.ts'

/**
 * Ways in which a field can change.
 * - `in_place`: by an update of the object.
 * - `fixed`: never; a change replaces the object.
 * - `once`: can be set while it has no value, and is fixed after that.
 * - `apart`: by a separate step of the plan.
 * - `attached`: the values are separate objects at the processor, attached and detached one by one.
 */
export type Mutability = 'in_place' | 'fixed' | 'once' | 'apart' | 'attached'

export type OmissionRule = 'default' | 'unmanaged' | 'kept'

/** Maps a processor id to the id in the document. Returns undefined if the document does not contain the resource. */
export type Names = (kind: ResourceKind, id: ProcessorId) => string | undefined

/** Thrown for an object that the document format cannot express; the message is the reason. */
export class Unrepresentable extends Error {}

/** A value in which all config ids are replaced by another type of reference, e.g. by processor ids in an observed resource. */
export type Referring<Value, Ref> = Value extends ConfigId
  ? Ref
  : Value extends readonly ConfigId[]
    ? readonly Ref[]
    : Value extends SubscriptionUpdate
      ? SubscriptionUpdate<Ref>
      : Value

/** Context for converting one live object to an item of a pulled document. */
export interface WriteContext {
  /** Id of the item in the document. */
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly names: Names
}

export interface Field<Item, Parent, Value, Member extends string, M extends Mutability> {
  /**
   * Name of the field in plans, drift reports and differences. It is a function if the name depends on the values, e.g. `amount` or
   * `unit_amount_decimal`.
   */
  readonly name: string | ((values: readonly unknown[]) => string)
  /** Members of the document's item that contain the value. Empty if a different item of the document contains the value. */
  readonly members: readonly Member[]
  readonly mutability: M
  /** URL of the processor's documentation that states whether the field can be changed. */
  readonly source: string
  readonly reference: ResourceKind | null
  /** Canonical value of an item that omits the field. */
  readonly absent: NoInfer<Value>
  /**
   * Meaning of an omitted member. `default`: the member has the value of `absent`. `unmanaged`: the live value stays, unless the last
   * applied document set the field. `kept`: the live value stays in any case.
   */
  readonly leftOut: OmissionRule
  /** True if a change always replaces the whole value in the document's file. Needed for values whose parts are ordered or nested. */
  readonly whole: boolean
  canonical(item: Item, parent: Parent): Value
  /**
   * Converts the value to members of an item in a pulled document. Throws {@link Unrepresentable} if the document format cannot express the
   * value.
   */
  document(value: NoInfer<Referring<Value, ProcessorId>>, writing: WriteContext): Partial<Item>
  /** Converts the value for display in plans and reports. If absent, the canonical value is displayed. */
  show?(value: NoInfer<Value>): unknown
  /**
   * True if a replacement object can get this live value, which the document does not manage. If this function is absent, it can get every
   * value.
   */
  fits?(value: NoInfer<Value>, beside: Readonly<Record<string, unknown>>): boolean
  /**
   * Replaces the ids in a value that contains them in nested objects. A field whose value is an id or a list of ids sets `reference`
   * instead.
   */
  refer?(value: NoInfer<Value>, to: (kind: ResourceKind, id: string) => string): unknown
  /** True if the processor refuses this particular change although the field is mutable, so that the object must be replaced. */
  needsNewObject?(want: NoInfer<Value>, live: NoInfer<Value>): boolean
}

/** A row of the field table of any kind of resource. The caller must pass values that belong to the row's kind. */
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
  refer?(value: never, to: (kind: ResourceKind, id: string) => string): unknown
}

/**
 * Adds to an item the members that one row of the field table has produced. Several rows may produce parts of the same member, e.g.
 * `features` of a portal configuration.
 */
export function addMembers(item: object, members: object): void {
  for (const [member, value] of Object.entries(members) as [string, unknown][]) {
    const present = (item as Readonly<Record<string, unknown>>)[member]
    Object.assign(item, { [member]: isObject(present) && isObject(value) ? { ...present, ...value } : value })
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value of a field with other ids, e.g. processor ids. Lists of ids are sorted, because their order has no meaning. */
export function referTo(row: AnyField, value: unknown, to: (kind: ResourceKind, id: string) => string): unknown {
  if (row.refer !== undefined) return row.refer(value as never, to)
  const { reference: kind } = row
  if (kind === null) return value
  if (Array.isArray(value)) return value.map((id: string) => to(kind, id)).sort()
  return typeof value === 'string' ? to(kind, value) : value
}

/**
 * A member of the document that is never sent to the processor. `pulled` decides which value a pull writes: that of the document (`kept`)
 * or that of the live object (`live`).
 */
export interface OwnMember<Item, Parent> {
  value(item: Item, parent: Parent): unknown
  readonly pulled: 'kept' | 'live'
  /** Members to write into the author's file in a pull if this member differs. Default: only this member. */
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

/**
 * Optional members of a row of the field table: the processor's parameter name if it differs from the member's, and what it means if the
 * member is omitted.
 */
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

  /** Builds the row of a text member that every item must have. The canonical value is the member's text. */
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

  /** Builds the row of an optional member. The canonical value is the member's value, or null if the member is absent. */
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

  /** Builds the row of a list of texts whose order is significant. An empty list means absent. */
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

  /** Builds the row of the author's metadata. A push does not change live metadata keys that the document does not list. */
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
   * Builds the table of a kind. It contains rows for the fields that the processor stores, in the order of plans, and rows for the local
   * members (`own`). `Structure` names the members that contain other items, e.g. a product's `prices`.
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
