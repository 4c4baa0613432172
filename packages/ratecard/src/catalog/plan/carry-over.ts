// Copies values that the document does not manage from a replaced object to its replacement.
import { isLeftAlone, deepEqual } from '../fields/differences.ts'
import { absentFields, documentName, fieldRows } from '../fields/tables.ts'
import type { MetadataMap, ResourceKind } from '../kinds.ts'
import type { CarriedValue, DesiredResource, ObservedResource } from '../resource.ts'
import { maxMetadataKeys } from '../../document/schema/fields.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { planWarning, type PlanState } from './state.ts'

type Bag = Readonly<Record<string, unknown>>

/** Returns the fields as a record by name. The fields of every kind are plain objects. */
function bagOf(fields: object): Bag {
  return fields as Bag
}

export interface CarriedOver<K extends ResourceKind> {
  readonly want: DesiredResource<K>
  /** Values that no document can contain, e.g. a trial period of a price. They belong to no canonical field. */
  readonly unsaid: readonly CarriedValue[]
  readonly issues: readonly Issue[]
}

/**
 * Returns the resource to create with the values carried over from the object that it replaces, and warnings about values that cannot be
 * carried over.
 */
export function carriedOver<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  target: ObservedResource<K>,
): CarriedOver<K> {
  const [wanted, live] = [bagOf(want.fields), bagOf(target.fields)]
  const before = state.known.get(want.kind, want.configId)
  const last = before === undefined ? undefined : bagOf(before.fields)
  const taken: Record<string, unknown> = {}
  const unsaid = target.carriable.filter(
    ({ beside }) => !deepEqual(wanted[beside], absentFields[want.kind][beside]) && wanted[beside] !== undefined,
  )
  const lost: string[] = target.unsaid.filter((member) => !unsaid.some((carried) => carried.member === member))
  for (const [field, row] of fieldRows[want.kind]) {
    if (row.mutability === 'attached' || row.reference !== null) continue
    const value = live[field]
    if (deepEqual(value, row.absent)) continue
    const spoken = last === undefined ? undefined : { value: last[field] }
    if (!isLeftAlone(row, wanted[field], spoken, want.adopt === target.processorId)) continue
    if (row.fits?.(value as never, wanted) === false) lost.push(documentName(want.kind, field, value))
    else taken[field] = value
  }
  // Keeps one metadata key free for Ratecard's own use: the redemptions of a replaced promotion code or coupon, or a flag of a webhook.
  const metadata = foreignMetadata(wanted['metadata'], live['metadata'], last?.['metadata'])
  if (metadata !== null) {
    taken['metadata'] = metadata.kept
    lost.push(...metadata.lost)
  }
  const fields = Object.keys(taken).length === 0 ? want.fields : { ...want.fields, ...taken }
  return {
    want: { ...want, fields },
    unsaid,
    issues: lost.length === 0 ? [] : [notCarriedOver(state, want, target, lost)],
  }
}

/** Returns the author's metadata keys plus foreign keys, i.e. keys that no document set. null if there are no foreign keys. */
function foreignMetadata(want: unknown, live: unknown, last: unknown) {
  const [wanted, known] = [(want ?? {}) as MetadataMap, (last ?? {}) as MetadataMap]
  const foreign = Object.entries((live ?? {}) as MetadataMap).filter(
    ([key]) => !Object.hasOwn(wanted, key) && !Object.hasOwn(known, key),
  )
  if (foreign.length === 0) return null
  const room = Math.max(0, maxMetadataKeys - 1 - Object.keys(wanted).length)
  return {
    kept: { ...wanted, ...Object.fromEntries(foreign.slice(0, room)) },
    lost: foreign.slice(room).map(([key]) => `metadata.${key}`),
  }
}

function notCarriedOver(
  state: PlanState,
  want: DesiredResource,
  target: ObservedResource,
  lost: readonly string[],
): Issue {
  return planWarning(
    state,
    want,
    'not_carried_over',
    `"${target.processorId}" has ${lost.join(', ')} at the processor; the ${want.kind.replace('_', ' ')} that replaces it will not.`,
    'If you still need them, set them at the processor again after the push.',
  )
}
