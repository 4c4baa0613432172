// Converts one live object to an item of a pulled document. A managed item gets live values for fields that the processor stores; its local
// members come from the current version. A foreign object becomes an item with `processor_id`, so that the next push adopts it.
import type { BillingConfig } from '../../document/schema/schema.ts'
import { isUnmanaged, deepEqual } from '../fields/differences.ts'
import { addMembers, referTo, Unrepresentable, type Names } from '../fields/field.ts'
import { price } from '../fields/price.ts'
import { fieldRows, ownMembers, statesActive } from '../fields/tables.ts'
import { configId, resourceKey, type ItemOf, type ProcessorId, type ResourceKind } from '../kinds.ts'
import { isWithheld, type Ownership } from '../observed.ts'
import type { Catalog, DesiredResource, ObservedResource } from '../resource.ts'
import { guessId } from './guess-id.ts'

/** An object that a pulled document leaves out, with the reason. If `field` is not null, only that field of the object is left out. */
export interface LeftOut {
  readonly kind: ResourceKind
  readonly processorId: string
  /** Name of the field at the processor or in the document, e.g. `recurring.trial_period_days`. */
  readonly field: string | null
  readonly reason: string
}

/** Promotion codes of the current version that a pull contains: all of them, or those that customers can still redeem. */
export type PulledCodes = 'all' | 'active'

/** Input of a pull, and the ids that were assigned so far. */
export interface PullContext {
  readonly own: Ownership
  readonly current: BillingConfig | null
  readonly codes: PulledCodes
  readonly catalog: Catalog
  /** Ids in the document that is being built, by kind and processor id. */
  readonly names: Map<string, string>
  readonly taken: Record<ResourceKind, Set<string>>
  readonly left: LeftOut[]
}

/** Converts a live object to a document item. Throws {@link Unrepresentable} if the document format cannot express it. */
function itemOf<K extends ResourceKind>(reading: PullContext, id: string, live: ObservedResource<K>): ItemOf<K> {
  const fields = live.fields as unknown as Readonly<Record<string, unknown>>
  const names: Names = (kind, processorId) => reading.names.get(resourceKey(kind, processorId))
  const item = { id }
  // The amount is the first member, for readability.
  if (live.kind === 'price')
    Object.assign(item, price.fields.unitAmount.document(fields['unitAmount'] as string | null, { id, fields, names }))
  for (const [field, row] of fieldRows[live.kind])
    addMembers(item, row.document(fields[field] as never, { id, fields, names }))
  return item as unknown as ItemOf<K>
}

export function managedItem<K extends ResourceKind>(
  reading: PullContext,
  kind: K,
  id: string,
  item: ItemOf<K>,
): { readonly item: ItemOf<K>; readonly processorId: ProcessorId } | undefined {
  const mapped = reading.own.currentOf(kind, configId(id))
  const live = mapped === null ? null : reading.own.find(kind, mapped)
  const desired = (reading.catalog[kind] as readonly DesiredResource[]).find((resource) => resource.configId === id)
  if (live === null || desired === undefined) return undefined
  // An inactive promotion code or tax rate stays in the document, because it may have expired or been deactivated on purpose. Inactive
  // objects of other kinds are left out.
  if (!live.active && !statesActive(kind)) return undefined
  if (kind === 'promotion_code' && reading.codes === 'active' && (!live.active || live.spent)) return undefined
  reading.names.set(resourceKey(kind, live.processorId), id)
  reading.taken[kind].add(id)
  noteUnsaid(reading, live)
  const told = withoutKept(desired, live)
  if (isUnchanged(reading, kind, desired, told)) return { item, processorId: live.processorId }
  try {
    return { item: { ...ownPart(kind, item), ...itemOf(reading, id, told) }, processorId: live.processorId }
  } catch (error) {
    leaveOut(reading, live, error)
    return undefined
  }
}

/**
 * Returns the live object without those `kept` fields that the document omits (e.g. a webhook's `api_version`), so that a pull does not add
 * them.
 */
function withoutKept<K extends ResourceKind>(desired: DesiredResource, live: ObservedResource<K>): ObservedResource<K> {
  const wanted = desired.fields as unknown as Readonly<Record<string, unknown>>
  const silent = fieldRows[live.kind].filter(
    ([field, row]) => row.leftOut === 'kept' && isUnmanaged(row, wanted[field]),
  )
  if (silent.length === 0) return live
  return {
    ...live,
    fields: { ...live.fields, ...Object.fromEntries(silent.map(([field, row]) => [field, row.absent])) },
  }
}

/** Returns those members of the document's item that the processor does not store. */
function ownPart(kind: ResourceKind, item: object): object {
  const own = ownMembers[kind]
  return Object.fromEntries(
    Object.entries(item).filter(([member]) => member === 'processor_id' || own[member]?.pulled === 'kept'),
  )
}

/** True if the live object equals the document's item, so that the item can stay as the author wrote it. */
function isUnchanged<K extends ResourceKind>(
  reading: PullContext,
  kind: K,
  desired: DesiredResource,
  live: ObservedResource<K>,
): boolean {
  const wanted = desired.fields as unknown as Record<string, unknown>
  const lived = live.fields as unknown as Record<string, unknown>
  return fieldRows[kind].every(([field, row]) => {
    const { reference: of, mutability } = row
    if (mutability === 'apart') return true
    if (field === 'active' && isWithheld(reading.own, live)) return true
    if (field === 'metadata') {
      const [want, have] = [wanted[field] as Record<string, string>, lived[field] as Record<string, string>]
      return Object.entries(want).every(([key, value]) => have[key] === value)
    }
    if (row.refer !== undefined) {
      const current = (on: ResourceKind, id: string) => reading.own.currentOf(on, configId(id)) ?? ''
      return deepEqual(referTo(row, wanted[field], current), lived[field])
    }
    if (of === null) return deepEqual(wanted[field], lived[field])
    const resolve = (id: unknown) => (typeof id === 'string' ? reading.own.currentOf(of, configId(id)) : null)
    const want = wanted[field]
    return deepEqual(Array.isArray(want) ? want.map(resolve).sort() : resolve(want), lived[field])
  })
}

/**
 * Returns the active objects that the current version does not contain. An object with an ownership mark but without a mapping (e.g. after
 * the store was lost) gets the id in its mark. Lists in `left` which active objects are not returned; codes that nobody can redeem any more
 * count as inactive.
 */
export function others<K extends ResourceKind>(
  reading: PullContext,
  kind: K,
  managed: ReadonlySet<string>,
): ObservedResource<K>[] {
  return reading.own.all(kind).filter((live) => {
    if (!live.active || managed.has(live.processorId) || live.spent) return false
    const owner = reading.own.ownerOf(kind, live.processorId)
    const isTaken = owner !== null && reading.taken[kind].has(owner)
    const why =
      live.archivable === false
        ? 'it is the account’s default configuration of the portal, which is left alone unless the document names its `processor_id`'
        : `it belongs to "${owner ?? ''}" too, which has another object in the document`
    if (live.archivable === false || isTaken)
      reading.left.push({ kind, processorId: live.processorId, field: null, reason: why })
    return live.archivable !== false && !isTaken
  })
}

export function foreignItem<K extends ResourceKind>(
  reading: PullContext,
  kind: K,
  live: ObservedResource<K>,
  productName?: string,
): ItemOf<K> | undefined {
  if (live.unrepresentable.length > 0) {
    const reason = `the document cannot express its ${live.unrepresentable.join(', ')}`
    reading.left.push({ kind, processorId: live.processorId, field: null, reason })
    return undefined
  }
  const owner = reading.own.ownerOf(kind, live.processorId)
  const id = owner ?? guessId(live, productName, reading.taken[kind])
  try {
    const item = itemOf(reading, id, live)
    reading.names.set(resourceKey(kind, live.processorId), id)
    reading.taken[kind].add(id)
    noteUnsaid(reading, live)
    return owner === null ? { ...item, processor_id: live.processorId } : item
  } catch (error) {
    leaveOut(reading, live, error)
    return undefined
  }
}

/** Lists the members of a pulled object that the document format cannot express. They stay unchanged at the processor. */
function noteUnsaid(reading: PullContext, { kind, processorId, unsaid }: ObservedResource): void {
  for (const field of unsaid)
    reading.left.push({
      kind,
      processorId,
      field,
      reason: `the document cannot express ${field}; it stays as it is`,
    })
}

function leaveOut(reading: PullContext, live: ObservedResource, error: unknown): void {
  if (!(error instanceof Unrepresentable)) throw error
  reading.left.push({ kind: live.kind, processorId: live.processorId, field: null, reason: error.message })
  return undefined
}
