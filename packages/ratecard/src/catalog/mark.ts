// Decides if an object has room for the ownership mark, which is a metadata key. An object that already has as many keys as the processor
// allows gets no mark. In that case only the mapping in the store records that Ratecard owns the object.
import { maxMetadataKeys } from '../document/schema/fields.ts'
import type { MetadataMap } from './kinds.ts'
import type { DesiredResource, ObservedResource } from './resource.ts'

/** True if the mark fits beside this number of other metadata keys. */
export function hasRoomForMark(others: number): boolean {
  return others < maxMetadataKeys
}

/**
 * Returns the number of metadata keys that the object will have after the push, without the ownership mark. `unset` lists the keys to
 * remove.
 */
export function keysBesideMark(want: DesiredResource, object: ObservedResource, unset: readonly string[]): number {
  const metadata: MetadataMap = { ...metadataOf(object.fields), ...metadataOf(want.fields) }
  const gone = unset.filter((key) => Object.hasOwn(metadata, key)).length
  return Object.keys(metadata).length - gone + object.companions
}

export function metadataOf(fields: object): MetadataMap {
  return (fields as { readonly metadata?: MetadataMap }).metadata ?? {}
}
