// A row of the tables: all that the catalog has to know of one field. How the processor is told of it and asked for it is
// the adapter's half of the row.
import type { ConfigId, MetadataMap, ProcessorId, ResourceKind } from '../kinds.ts'

/**
 * `once`: from unspecified it may be set, after that it is fixed. `apart`: decided by a step of its own. `attached`: objects of
 * their own at the processor, put on and taken off one by one.
 */
export type Mutability = 'in_place' | 'fixed' | 'once' | 'apart' | 'attached'

export type OmissionRule = 'default' | 'unmanaged' | 'kept'

/** The document's id of another resource; undefined when the document does not hold it. */
export type Names = (kind: ResourceKind, id: ProcessorId) => string | undefined

/** Why an object has no form in the document. */
export class Unrepresentable extends Error {}

/** A value whose config ids are other references: processor ids in what was observed, for example. */
export type Referring<Value, Ref> = Value extends ConfigId
  ? Ref
  : Value extends readonly ConfigId[]
    ? readonly Ref[]
    : Value

/** What a pull knows while it writes one item. */
export interface WriteContext {
  readonly fields: Readonly<Record<string, unknown>>
  readonly names: Names
}

export interface Field<Item, Parent, Value, Member extends string, M extends Mutability> {
  /** The document's name in plans, drift reports and differences. Given the values where it depends on them. */
  readonly name: string | ((values: readonly unknown[]) => string)
  /** The members of an item that say it; none when another item of the document says it. */
  readonly members: readonly Member[]
  readonly mutability: M
  /** Where the processor says that it may, or may not, be changed. */
  readonly source: string
  /** The kind of resource that the value refers to. */
  readonly reference: ResourceKind | null
  /** Canonical value of an item that leaves the field out. */
  readonly absent: NoInfer<Value>
  /**
   * What leaving it out means. `default`: the value above. `unmanaged`: nothing is said, so that a live value is left alone,
   * unless the document said something before. `kept`: nothing is said, whatever was said before.
   */
  readonly leftOut: OmissionRule
  /** Whether an edit of a file replaces it whole: its order counts, or its parts have parts. */
  readonly whole: boolean
  canonical(item: Item, parent: Parent): Value
  /** Members of a pulled item. Throws {@link Unrepresentable}. */
  document(value: NoInfer<Referring<Value, ProcessorId>>, writing: WriteContext): Partial<Item>
  /** A value as plans and reports show it, where it is not the canonical one. */
  show?(value: NoInfer<Value>): unknown
  /** Whether a live value that the document does not speak of can stand on the object that replaces it. Absent: always. */
  fits?(value: NoInfer<Value>, beside: Readonly<Record<string, unknown>>): boolean
  /** Whether this change of a changeable field is one that the processor refuses after all. */
  needsNewObject?(want: NoInfer<Value>, live: NoInfer<Value>): boolean
}

/** Any row: called with the values of its own kind. */
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

/** A member that never reaches the processor. `pulled`: whether a pull keeps the document's word or takes the live one. */
export interface OwnMember<Item, Parent> {
  value(item: Item, parent: Parent): unknown
  readonly pulled: 'kept' | 'live'
}

export interface AnyOwnMember {
  readonly value: (item: never, parent: never) => unknown
  readonly pulled: 'kept' | 'live'
}

/** Members of every kind that are ours alone. */
const everyKind = {
  previous_ids: {
    value: (item: { readonly previous_ids?: readonly string[] }): unknown => item.previous_ids,
    pulled: 'kept',
  },
} as const

/** The members of an item that no row says. */
type MissingMember<Item, Rows, Own, Structure> = Exclude<
  keyof Item,
  MembersOf<Rows[keyof Rows]> | keyof Own | Structure | 'id' | 'processor_id' | keyof typeof everyKind
>
type MembersOf<Row> = Row extends { readonly members: readonly (infer Member)[] } ? Member : never

/** Nothing, or what the compiler says when the document has members that the table does not know. */
type Complete<Missing> = [Missing] extends [never]
  ? unknown
  : { readonly 'members of the document without a row': Missing }

type Keys<Item, Value> = {
  [Key in keyof Item & string]-?: [Item[Key]] extends [Value | undefined] ? Key : never
}[keyof Item & string]

/** What a row says besides: the processor's parameter where it has another name, and what leaving the field out means. */
interface RowOptions {
  readonly parameter?: string
  readonly leftOut?: OmissionRule
}

const reference = 'https://docs.stripe.com/api/'

/** Where the processor's documentation says whether a parameter may be changed: among those of an update, or only of a creation. */
function sourceOf(objects: string, parameter: string, mutability: Mutability): string {
  if (mutability === 'attached') return `${reference}product-feature/attach#attach_product_feature-${parameter}`
  const object = objects.split('/').at(-1)?.replace(/s$/, '') ?? ''
  const verb = mutability === 'fixed' ? 'create' : 'update'
  return `${reference}${objects}/${verb}#${verb}_${object}-${parameter}`
}

/** Builders of rows for one kind; `objects` is the processor's path of its objects. */
export function rowsFor<Item, Parent = undefined>(objects: string) {
  type Row<Value, Member extends string, M extends Mutability> = Field<Item, Parent, Value, Member, M>
  const at = (parameter: string, mutability: Mutability) => sourceOf(objects, parameter, mutability)

  /** A row of any form. `parameter` is the processor's, for the source. */
  function field<Value, const Member extends keyof Item & string, const M extends Mutability>(
    row: Omit<Row<Value, Member, M>, 'source' | 'reference' | 'leftOut' | 'whole'> &
      Partial<Pick<Row<Value, Member, M>, 'reference' | 'leftOut' | 'whole'>> & { readonly parameter: string },
  ): Row<Value, Member, M> {
    const { parameter, ...rest } = row
    return { reference: null, leftOut: 'default', whole: false, ...rest, source: at(parameter, row.mutability) }
  }

  /** Says its value in one member as it is; every item has one. */
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

  /** Text; '' is absent. */
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

  /** A flag with a default. */
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

  /** A value as it is; null is absent. */
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

  /** A list of texts whose order counts; none is absent. */
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

  /** The author's own keys; keys of others are left alone. */
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
   * All rows of a kind: fields that the processor holds, in the order in which plans tell of them, and members that are ours
   * alone. `Structure`: members that hold other items.
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
