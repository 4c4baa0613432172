// Column descriptions of records: the type of each column and its uses. The types of records and rows, the fields in API responses, the
// audited changes and the copied columns follow from such a description. A test compares it with the database that the migrations create.

/** Uses of a column beside being stored. */
export type Use =
  /** The API returns it. Without this use the column never leaves the service. */
  | 'shown'
  /** Callers set and change it; each change is in the audit trail. */
  | 'edited'
  /** Applying negotiated prices sets it; the audit trail contains the change. */
  | 'deal'

declare const held: unique symbol

export interface Column<T = unknown, U extends Use = Use> {
  readonly type: 'text' | 'bigint' | 'double precision'
  readonly nullable: boolean
  /** All allowed values, also checked by the database; null if any text is allowed. */
  readonly values: readonly string[] | null
  /** A list of texts, stored as JSON. */
  readonly list: boolean
  readonly uses: readonly U[]
  /** Never present at run time; the type of a record is derived from it. */
  readonly [held]?: T
}

export type Columns = Readonly<Record<string, Column>>
type ColumnValue<C> = C extends Column<infer T> ? T : never

export type RecordOf<C extends Columns> = { readonly [Name in keyof C]: ColumnValue<C[Name]> }
/** The record in the form in which the database stores it: lists are JSON text. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: ColumnValue<C[Name]> extends readonly string[] ? string : ColumnValue<C[Name]>
}
/** Names of the columns with this use, as a type. */
export type ColumnsWith<C extends Columns, U extends Use> = {
  [Name in keyof C]: C[Name] extends Column<unknown, infer Own> ? (U extends Own ? Name : never) : never
}[keyof C]
export type ShownColumns<C extends Columns> = Pick<RecordOf<C>, ColumnsWith<C, 'shown'>>

// NoInfer: under `satisfies Columns` the compiler would otherwise infer every use for a column without uses.
function kind<T>(type: Column['type'], nullable: boolean, list = false) {
  return <U extends Use = never>(...uses: readonly U[]): Column<T, NoInfer<U>> => ({
    type,
    nullable,
    values: null,
    list,
    uses,
  })
}

export const text = kind<string>('text', false)
export const textOrNull = kind<string | null>('text', true)
export const whole = kind<number>('bigint', false)
export const wholeOrNull = kind<number | null>('bigint', true)
export const realOrNull = kind<number | null>('double precision', true)
/** Epoch milliseconds. */
export const time = kind<number>('bigint', false)
export const timeOrNull = kind<number | null>('bigint', true)
export const texts = kind<readonly string[]>('text', false, true)

/** A text column with these values only. */
export function oneOf<const V extends string, U extends Use = never>(
  values: readonly V[],
  ...uses: readonly U[]
): Column<V, NoInfer<U>> {
  return { type: 'text', nullable: false, values, list: false, uses }
}

export function oneOfOrNull<const V extends string, U extends Use = never>(
  values: readonly V[],
  ...uses: readonly U[]
): Column<V | null, NoInfer<U>> {
  return { type: 'text', nullable: true, values, list: false, uses }
}

/** A text column with a narrower type, for example an id of one kind. */
export const textOf = <T extends string, U extends Use = never>(...uses: readonly U[]): Column<T, NoInfer<U>> =>
  kind<T>('text', false)(...uses)

/** Returns the names of the columns with this use, in their order. */
export function used<C extends Columns, const U extends Use>(
  columns: C,
  use: U,
): readonly (ColumnsWith<C, U> & string)[] {
  return Object.keys(columns).filter((name) => columns[name]?.uses.includes(use)) as (ColumnsWith<C, U> & string)[]
}

/** Returns the fields of a record that the API may return. */
export function shown<C extends Columns>(columns: C, record: RecordOf<C>): ShownColumns<C> {
  return pick(record, used(columns, 'shown')) as ShownColumns<C>
}

export function pick<T extends object, K extends keyof T>(record: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<T, K>
}

export function toRow<C extends Columns>(columns: C, record: RecordOf<C>): RowOf<C> {
  return mapped(columns, record, (values) => JSON.stringify(values)) as RowOf<C>
}

export function toRecord<C extends Columns>(columns: C, row: RowOf<C>): RecordOf<C> {
  return mapped(columns, row, (json) => JSON.parse(json as string) as unknown) as RecordOf<C>
}

function mapped(columns: Columns, from: Readonly<Record<string, unknown>>, convert: (list: unknown) => unknown) {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { list }]) => [name, list ? convert(from[name]) : from[name]]),
  )
}
