// Which fields differ, whose change it is, and whether the processor lets us change them in place.
import type { Origin } from '../change.ts'
import type { MetadataMap, ProcessorId, ResourceKind } from '../kinds.ts'
import type { AnyField } from './field.ts'
import { comparedRows } from './tables.ts'
import type { FieldsOf } from './tables.ts'

export interface Difference {
  /** Canonical field, or `metadata.<key>`. */
  readonly field: string
  readonly want: unknown
  readonly live: unknown
  readonly origin: Origin
  readonly fixed: boolean
}

const none: readonly Difference[] = []

type Bag = Readonly<Record<string, unknown>>

/** Fields by name; every kind's fields are plain records. */
function bagOf(fields: object): Bag {
  return fields as Bag
}

/**
 * The differences between what is wanted and what is live; `last` is what was applied last, to tell an edit from drift.
 * References are processor ids on all three sides. What neither this document nor the last one speaks of is left alone: fields
 * whose absence says nothing, and metadata keys. Without a last one, an object that is being adopted keeps such fields; one that
 * we made loses them.
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
  // Nearly always nothing differs: then nothing is made.
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

/** What the last document said of a field; undefined when it said nothing, so that whatever is live is nobody's drift. */
function spoken(row: AnyField, last: Bag | null, field: string): { readonly value: unknown } | undefined {
  return last === null || isUnmanaged(row, last[field]) ? undefined : { value: last[field] }
}

/** Whether the document says nothing of a field, neither a value nor that there shall be none. */
export function isUnmanaged(row: AnyField, value: unknown): boolean {
  return row.leftOut !== 'default' && same(value, row.absent)
}

/** Whether a live value of the field is left alone: neither the document nor the last one speaks of it. */
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

/** Whether two JSON values are equal; the order of members does not count, and absent is undefined. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]))
    )
  const [left, right] = [bagOf(a), bagOf(b)]
  // Metadata may have keys of any name, also those that every object answers to.
  for (const key in left) if (!same(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}
