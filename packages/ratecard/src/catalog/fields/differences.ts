// Compares desired with live fields: which fields differ, whether each difference comes from an edit or from drift, and whether the
// processor allows changing the field in place.
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
 * Returns the differences between desired and live fields. `last` contains the fields as the last push applied them. A live value that
 * differs from `last` is drift (an edit at the processor); any other difference is an edit of the document. All three arguments contain
 * processor ids as references. A field or metadata key is left alone if neither this document nor the last one manages it. Without `last`,
 * an adopted object keeps its unmanaged fields, and an object that Ratecard created loses them.
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
  // The list of differences is created only when the first one is found, because almost every comparison finds none.
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
    if (deepEqual(one, other)) continue
    if (isLeftAlone(row, one, lasted === null ? undefined : { value: lasted[field] }, adopting)) continue
    ;(found ??= []).push({
      field,
      want: one,
      live: other,
      origin: originOf(one, other, lastDocumentValue(row, lasted, field)),
      fixed: needsNewObject(row, one, other),
    })
  }
  return found ?? none
}

/** True if the processor does not allow this change of the field, so that a new object is needed. */
const needsNewObject = (row: AnyField, want: unknown, live: unknown) =>
  row.mutability === 'fixed' || (row.needsNewObject?.(want as never, live as never) ?? false)

/** True if a resource with the fields `old` can get the fields `now` only as a new object. A field that a push leaves alone needs none. */
export function needNewObject(kind: ResourceKind, now: object, old: object): boolean {
  const [wanted, lasted] = [bagOf(now), bagOf(old)]
  return comparedRows[kind].some(({ name, row }) => {
    const [want, before] = [wanted[name], lasted[name]]
    return (
      !deepEqual(want, before) && !isLeftAlone(row, want, { value: before }, false) && needsNewObject(row, want, before)
    )
  })
}

/**
 * Returns the field's value in the last document. Returns undefined if the last document did not manage the field; then a live value is not
 * drift.
 */
function lastDocumentValue(row: AnyField, last: Bag | null, field: string): { readonly value: unknown } | undefined {
  return last === null || isUnmanaged(row, last[field]) ? undefined : { value: last[field] }
}

/** True if the document does not manage the field, i.e. neither sets a value nor requires the field to be empty. */
export function isUnmanaged(row: AnyField, value: unknown): boolean {
  return row.leftOut !== 'default' && deepEqual(value, row.absent)
}

/** True if a push must not change the live value, because neither this document nor the last applied one contains the field. */
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
  for (const key in wanted) if (ownEntry(wanted, key) !== ownEntry(lived, key)) (keys ??= []).push(key)
  for (const key in lasted) if (!Object.hasOwn(wanted, key) && ownEntry(lived, key) !== null) (keys ??= []).push(key)
  if (keys === undefined) return none
  return keys.map((key) => ({
    field: `metadata.${key}`,
    want: ownEntry(wanted, key),
    live: ownEntry(lived, key),
    origin: originOf(
      ownEntry(wanted, key),
      ownEntry(lived, key),
      lasted === undefined ? undefined : { value: ownEntry(lasted, key) },
    ),
    fixed: false,
  }))
}

function ownEntry(map: MetadataMap, key: string): string | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null
}

function originOf(want: unknown, live: unknown, last: { readonly value: unknown } | undefined): Origin {
  if (last === undefined || deepEqual(last.value, live)) return 'edit'
  return deepEqual(last.value, want) ? 'drift' : 'both'
}

/** Deep equality of two JSON values. The order of members is ignored, and an undefined member equals an absent one. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index]))
    )
  const [left, right] = [bagOf(a), bagOf(b)]
  // `Object.hasOwn` is needed, because a metadata key may have the name of an inherited member, e.g. `constructor`.
  for (const key in left) if (!deepEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}
