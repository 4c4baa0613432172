// Compares desired with live fields: which fields differ, whether the origin is an edit or drift, and whether the processor allows a change
// in place.
import type { Origin } from '../change.ts'
import type { MetadataMap, ProcessorId, ResourceKind } from '../kinds.ts'
import type { AnyField } from './field.ts'
import { comparedRows, type FieldsOf } from './tables.ts'

export interface Difference {
  /** Name of the canonical field, or `metadata.<key>` for one metadata key. */
  readonly field: string
  readonly want: unknown
  readonly live: unknown
  readonly origin: Origin
  readonly fixed: boolean
}

const none: readonly Difference[] = []

type Bag = Readonly<Record<string, unknown>>

/** Returns the fields as a record by name. The fields of every kind are plain objects. */
function bagOf(fields: object): Bag {
  return fields as Bag
}

/**
 * Returns the differences between desired and live fields. `last` contains the last applied fields, to distinguish an edit from drift. All
 * three arguments contain processor ids as references. A field or metadata key is left alone if neither this document nor the last one
 * manages it. Without `last`, an adopted object keeps its unmanaged fields, and an object that Ratecard created loses them.
 */
export function differences<K extends ResourceKind>(
  kind: K,
  want: FieldsOf<K, ProcessorId>,
  live: FieldsOf<K, ProcessorId>,
  last: FieldsOf<K, ProcessorId> | null,
  { adopting = false }: { readonly adopting?: boolean } = {},
): readonly Difference[] {
  const wanted = bagOf(want)
  const lived = bagOf(live)
  if (wanted === lived) return none
  const lasted = last === null ? null : bagOf(last)
  // The list is created only for the first difference, because almost every comparison finds none.
  let found: Difference[] | undefined
  for (const { name: field, row } of comparedRows[kind]) {
    const one = wanted[field]
    const other = lived[field]
    if (one === other) continue
    if (field === 'metadata') {
      const keys = metadataDifferences(one, other, lasted?.[field])
      if (keys.length > 0) (found ??= []).push(...keys)
      continue
    }
    if (same(one, other)) continue
    if (isLeftAlone(row, one, lasted === null ? undefined : { value: lasted[field] }, adopting)) continue
    ;(found ??= []).push({
      field,
      want: one,
      live: other,
      origin: originOf(one, other, spoken(row, lasted, field)),
      fixed: row.mutability === 'fixed' || (row.needsNewObject?.(one as never, other as never) ?? false),
    })
  }
  return found ?? none
}

/** Returns the value in the last document. Undefined if the last document did not manage the field; then the live value is not drift. */
function spoken(row: AnyField, last: Bag | null, field: string): { readonly value: unknown } | undefined {
  return last === null || isUnmanaged(row, last[field]) ? undefined : { value: last[field] }
}

/** True if the document does not manage the field, i.e. neither sets a value nor requires the field to be empty. */
export function isUnmanaged(row: AnyField, value: unknown): boolean {
  return row.leftOut !== 'default' && same(value, row.absent)
}

/** True if a push leaves the live value unchanged, because neither this document nor the last one manages the field. */
export function isLeftAlone(
  row: AnyField,
  want: unknown,
  last: { readonly value: unknown } | undefined,
  adopting: boolean,
): boolean {
  if (!isUnmanaged(row, want)) return false
  return row.leftOut === 'kept' || (last === undefined ? adopting : isUnmanaged(row, last.value))
}

function metadataDifferences(want: unknown, live: unknown, last: unknown): readonly Difference[] {
  const [wanted, lived, lasted] = [want as MetadataMap, live as MetadataMap, last as MetadataMap | undefined]
  let keys: string[] | undefined
  for (const key in wanted) if (own(wanted, key) !== own(lived, key)) (keys ??= []).push(key)
  for (const key in lasted) if (!Object.hasOwn(wanted, key) && own(lived, key) !== null) (keys ??= []).push(key)
  if (keys === undefined) return none
  return keys.map((key) => ({
    field: `metadata.${key}`,
    want: own(wanted, key),
    live: own(lived, key),
    origin: originOf(own(wanted, key), own(lived, key), lasted === undefined ? undefined : { value: own(lasted, key) }),
    fixed: false,
  }))
}

function own(map: MetadataMap, key: string): string | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null
}

function originOf(want: unknown, live: unknown, last: { readonly value: unknown } | undefined): Origin {
  if (last === undefined || same(last.value, live)) return 'edit'
  return same(last.value, want) ? 'drift' : 'both'
}

/** Deep equality of two JSON values. The order of members is ignored, and an undefined member equals an absent one. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]))
    )
  const [left, right] = [bagOf(a), bagOf(b)]
  // `Object.hasOwn` is needed, because a metadata key may have the name of an inherited member, e.g. `constructor`.
  for (const key in left) if (!same(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}
