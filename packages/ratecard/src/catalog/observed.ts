// Tells which live objects are ours. An object is ours when the mapping history knows it, or when it carries our mark; the history
// outranks the mark. Everything else belongs to somebody else and is never touched.
import { resourceKinds } from './kinds.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'
import { ResourceMap } from './resource-map.ts'
import type { MappingEntry, ObservedResource, Snapshot } from './resource.ts'

export interface Ownership {
  /** The configuration id that an object stands or stood for; null when it is not ours. */
  ownerOf(kind: ResourceKind, id: ProcessorId): ConfigId | null
  /** The processor id that a configuration id maps to now (archived ones included); null when it never had one. */
  currentOf(kind: ResourceKind, id: ConfigId): ProcessorId | null
  /** Live objects that are ours for this id, the current one first, then the newest. */
  candidates<K extends ResourceKind>(kind: K, id: ConfigId): readonly ObservedResource<K>[]
  find<K extends ResourceKind>(kind: K, id: ProcessorId): ObservedResource<K> | null
  all<K extends ResourceKind>(kind: K): readonly ObservedResource<K>[]
  /** The price that holds this lookup key, archived ones included. */
  holderOf(lookupKey: string): ObservedResource<'price'> | null
  /** Whether this processor id occurs in the history, alive or deleted. */
  everMapped(kind: ResourceKind, id: string): boolean
}

const nobody: readonly ObservedResource[] = []

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
    group.sort((a, b) => rank(b, mapped) - rank(a, mapped) || b.created - a.created || compareText(a, b))
  }

  // Few plans ask for an object by its id, or who holds a lookup key: these are looked through when the first one does.
  const byId = new Map<ResourceKind, ReadonlyMap<string, ObservedResource>>()
  const objectOf = (kind: ResourceKind, id: string): ObservedResource | undefined => {
    const known =
      byId.get(kind) ?? new Map((snapshot[kind] as readonly ObservedResource[]).map((one) => [one.processorId, one]))
    byId.set(kind, known)
    return known.get(id)
  }
  let byLookupKey: ReadonlyMap<string | null, ObservedResource<'price'>> | undefined

  return {
    ownerOf: (kind, id) => ownerByHistory.get(kind, id) ?? objectOf(kind, id)?.mark ?? null,
    currentOf: (kind, id) => current.get(kind, id) ?? null,
    candidates: <K extends ResourceKind>(kind: K, id: ConfigId) =>
      (byOwner.get(kind, id) ?? nobody) as unknown as readonly ObservedResource<K>[],
    find: <K extends ResourceKind>(kind: K, id: ProcessorId) =>
      (objectOf(kind, id) ?? null) as ObservedResource<K> | null,
    all: <K extends ResourceKind>(kind: K) => snapshot[kind] as unknown as readonly ObservedResource<K>[],
    holderOf: (lookupKey) => {
      byLookupKey ??= new Map(snapshot.price.map((price) => [price.lookupKey, price]))
      return byLookupKey.get(lookupKey) ?? null
    },
    everMapped: (kind, id) => ownerByHistory.has(kind, id),
  }
}

/** The store reads them in this order already. */
function inSequence(mappings: readonly MappingEntry[]): readonly MappingEntry[] {
  const sorted = mappings.every((entry, place) => entry.sequence >= (mappings[place - 1]?.sequence ?? entry.sequence))
  return sorted ? mappings : mappings.toSorted((a, b) => a.sequence - b.sequence)
}

/** The mapped object first, then active ones: an active leftover of a broken push is better reused than left beside. */
function rank(object: ObservedResource, mapped: ProcessorId | undefined): number {
  return (object.processorId === mapped ? 2 : 0) + (object.active ? 1 : 0)
}

function compareText(a: ObservedResource, b: ObservedResource): number {
  return a.processorId < b.processorId ? -1 : a.processorId > b.processorId ? 1 : 0
}

/** Whether a code is off for a reason of its own or of its coupon: expired, used up, or the coupon deleted. The processor keeps such a code inactive. */
export function isWithheld(own: Ownership, code: ObservedResource): boolean {
  if (code.kind !== 'promotion_code') return false
  if (code.spent) return true
  const coupon = own.find('coupon', (code as ObservedResource<'promotion_code'>).fields.coupon)
  return coupon === null || coupon.spent
}
