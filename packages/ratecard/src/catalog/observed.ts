// Determines which live objects Ratecard owns. An object is owned if the mapping history contains it, or if its metadata contains the
// ownership mark. If both disagree about the id, the history takes precedence. Other objects are foreign and are never changed.
import { resourceKinds, type ConfigId, type ProcessorId, type ResourceKind } from './kinds.ts'
import { ResourceMap } from './resource-map.ts'
import type { MappingEntry, ObservedResource, Snapshot } from './resource.ts'

export interface Ownership {
  /**
   * Returns the configuration id that owns the object or owned it earlier, by the mapping history or by the ownership mark; null for a
   * foreign object.
   */
  ownerOf(kind: ResourceKind, id: ProcessorId): ConfigId | null
  /** Returns the processor id that a configuration id maps to now, even if that object is archived; null if the id was never mapped. */
  currentOf(kind: ResourceKind, id: ConfigId): ProcessorId | null
  /** Returns the owned live objects for this id. The mapped object comes first, then active objects, then archived ones; newest first. */
  candidates<K extends ResourceKind>(kind: K, id: ConfigId): readonly ObservedResource<K>[]
  find<K extends ResourceKind>(kind: K, id: ProcessorId): ObservedResource<K> | null
  all<K extends ResourceKind>(kind: K): readonly ObservedResource<K>[]
  /** Returns the price that has this lookup key, even if the price is archived; null if there is none. */
  holderOf(lookupKey: string): ObservedResource<'price'> | null
  /** True if the mapping history contains this processor id, even if the object has been deleted. */
  everMapped(kind: ResourceKind, id: string): boolean
}

const noObjects: readonly ObservedResource[] = []

export function ownershipOf(snapshot: Snapshot, mappings: readonly MappingEntry[]): Ownership {
  const ownerByHistory = new ResourceMap<ConfigId>()
  const current = new ResourceMap<ProcessorId>()
  for (const entry of inSequence(mappings)) {
    ownerByHistory.set(entry.kind, entry.processorId, entry.configId)
    current.set(entry.kind, entry.configId, entry.processorId)
  }

  const byOwner = new ResourceMap<ObservedResource[]>()
  const several = new ResourceMap<ObservedResource[]>()
  for (const kind of resourceKinds) {
    for (const object of snapshot[kind] as readonly ObservedResource[]) {
      const owner = ownerByHistory.get(kind, object.processorId) ?? object.mark
      if (owner === null) continue
      const group = byOwner.get(kind, owner)
      if (group === undefined) byOwner.set(kind, owner, [object])
      else {
        group.push(object)
        several.set(kind, owner, group)
      }
    }
  }
  for (const [kind, owner, group] of several.entries()) {
    const mapped = current.get(kind, owner)
    group.sort((a, b) => rankOf(b, mapped) - rankOf(a, mapped) || b.created - a.created || compareText(a, b))
  }

  // The indexes by id and by lookup key are built when they are first used, because few plans need them.
  const byId = new Map<ResourceKind, ReadonlyMap<string, ObservedResource>>()
  const objectOf = (kind: ResourceKind, id: string): ObservedResource | undefined => {
    const known =
      byId.get(kind) ?? new Map((snapshot[kind] as readonly ObservedResource[]).map((one) => [one.processorId, one]))
    byId.set(kind, known)
    return known.get(id)
  }
  let byLookupKey: ReadonlyMap<string, ObservedResource<'price'>> | undefined

  return {
    ownerOf: (kind, id) => ownerByHistory.get(kind, id) ?? objectOf(kind, id)?.mark ?? null,
    currentOf: (kind, id) => current.get(kind, id) ?? null,
    candidates: <K extends ResourceKind>(kind: K, id: ConfigId) =>
      (byOwner.get(kind, id) ?? noObjects) as unknown as readonly ObservedResource<K>[],
    find: <K extends ResourceKind>(kind: K, id: ProcessorId) =>
      (objectOf(kind, id) ?? null) as ObservedResource<K> | null,
    all: <K extends ResourceKind>(kind: K) => snapshot[kind] as unknown as readonly ObservedResource<K>[],
    holderOf: (lookupKey) => {
      byLookupKey ??= new Map(snapshot.price.map((price) => [price.fields.lookupKey, price]))
      return byLookupKey.get(lookupKey) ?? null
    },
    everMapped: (kind, id) => ownerByHistory.has(kind, id),
  }
}

/** Returns the mapping entries sorted by sequence number. The store usually returns them already sorted; then no copy is made. */
function inSequence(mappings: readonly MappingEntry[]): readonly MappingEntry[] {
  const sorted = mappings.every((entry, place) => entry.sequence >= (mappings[place - 1]?.sequence ?? entry.sequence))
  return sorted ? mappings : mappings.toSorted((a, b) => a.sequence - b.sequence)
}

/**
 * Returns the sort rank of an object: the mapped object first, then active objects. An active object that an interrupted push created is
 * reused. Otherwise it would be left behind.
 */
function rankOf(object: ObservedResource, mapped: ProcessorId | undefined): number {
  return (object.processorId === mapped ? 2 : 0) + (object.active ? 1 : 0)
}

function compareText(a: ObservedResource, b: ObservedResource): number {
  return a.processorId < b.processorId ? -1 : a.processorId > b.processorId ? 1 : 0
}

/**
 * True if a promotion code cannot be active: it has expired, is used up, or its coupon is deleted or spent. The processor keeps such a code
 * inactive.
 */
export function isWithheld(own: Ownership, code: ObservedResource): boolean {
  if (code.kind !== 'promotion_code') return false
  if (code.spent) return true
  const coupon = own.find('coupon', (code as ObservedResource<'promotion_code'>).fields.coupon)
  return coupon === null || coupon.spent
}
