// Descriptions of table columns: the type of each column, and how it is used. From a description are derived the types of records and rows,
// the fields in API responses, the audited changes, and the columns of a store copy. A test compares the descriptions with the database
// that the migrations create.

/** Uses of a column apart from storage. */
export type Use =
  /** The API returns the column. A column without this use is never sent to a client. */
  | 'shown'
  /** Callers can set and change the column. The audit trail records each change. */
  | 'edited'
  /** Applying negotiated prices sets the column. The audit trail records the change. */
  | 'deal'

declare const held: unique symbol

export interface Column<T = unknown, U extends Use = Use> {
  readonly type: 'text' | 'bigint' | 'double precision'
  readonly nullable: boolean
  /** All values that the database accepts; null if any text is allowed. */
  readonly values: readonly string[] | null
  /** True for a list of texts, which is stored as JSON. */
  readonly list: boolean
  readonly uses: readonly U[]
  /** This member never exists at run time; it only carries the column's type, from which the compiler derives the type of a record. */
  readonly [held]?: T
}

export type Columns = Readonly<Record<string, Column>>
type ColumnValue<C> = C extends Column<infer T> ? T : never

export type RecordOf<C extends Columns> = { readonly [Name in keyof C]: ColumnValue<C[Name]> }
/** The record as the database stores it, with lists as JSON text. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: ColumnValue<C[Name]> extends readonly string[] ? string : ColumnValue<C[Name]>
}
/** Type of the names of the columns with this use. */
export type ColumnsWith<C extends Columns, U extends Use> = {
  [Name in keyof C]: C[Name] extends Column<unknown, infer Own> ? (U extends Own ? Name : never) : never
}[keyof C]
export type ShownColumns<C extends Columns> = Pick<RecordOf<C>, ColumnsWith<C, 'shown'>>

// `NoInfer` prevents a wrong inference. Under `satisfies Columns`, the compiler would infer all uses for a column that has none.
function columnKind<T>(type: Column['type'], nullable: boolean, list = false) {
  return <U extends Use = never>(...uses: readonly U[]): Column<T, NoInfer<U>> => ({
    type,
    nullable,
    values: null,
    list,
    uses,
  })
}

export const text = columnKind<string>('text', false)
export const textOrNull = columnKind<string | null>('text', true)
export const whole = columnKind<number>('bigint', false)
export const wholeOrNull = columnKind<number | null>('bigint', true)
export const realOrNull = columnKind<number | null>('double precision', true)
/** A column with a time in epoch milliseconds. */
export const time = columnKind<number>('bigint', false)
export const timeOrNull = columnKind<number | null>('bigint', true)
export const texts = columnKind<readonly string[]>('text', false, true)

/** A text column that allows only these values. */
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

/** A text column whose values have a narrower type, e.g. an id of one kind. */
export const textOf = <T extends string, U extends Use = never>(...uses: readonly U[]): Column<T, NoInfer<U>> =>
  columnKind<T>('text', false)(...uses)

/** Returns the names of the columns with this use, in the order of the description. */
export function columnsUsedFor<C extends Columns, const U extends Use>(
  columns: C,
  use: U,
): readonly (ColumnsWith<C, U> & string)[] {
  return Object.keys(columns).filter((name) => columns[name]?.uses.includes(use)) as (ColumnsWith<C, U> & string)[]
}

/** Returns the fields of a record that the API may return. */
export function shownColumns<C extends Columns>(columns: C, record: RecordOf<C>): ShownColumns<C> {
  return pick(record, columnsUsedFor(columns, 'shown')) as ShownColumns<C>
}

export function pick<T extends object, K extends keyof T>(record: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as Pick<T, K>
}

export function toRow<C extends Columns>(columns: C, record: RecordOf<C>): RowOf<C> {
  return mapListColumns(columns, record, (values) => JSON.stringify(values)) as RowOf<C>
}

export function toRecord<C extends Columns>(columns: C, row: RowOf<C>): RecordOf<C> {
  return mapListColumns(columns, row, (json) => JSON.parse(json as string) as unknown) as RecordOf<C>
}

function mapListColumns(
  columns: Columns,
  from: Readonly<Record<string, unknown>>,
  convert: (list: unknown) => unknown,
) {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { list }]) => [name, list ? convert(from[name]) : from[name]]),
  )
}
