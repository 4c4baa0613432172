// Metadata at Stripe contains both Ratecard's own keys and the author's keys. Authors cannot use keys with the prefix `ratecard_`.
import { hasRoomForMark } from '../../../catalog/mark.ts'
import {
  carriedKey,
  configId,
  connectKey,
  ownershipKey,
  type ConfigId,
  type MetadataMap,
} from '../../../catalog/resource.ts'

const ourPrefix = 'ratecard_'

export interface OwnMetadata {
  readonly author: MetadataMap
  readonly mark: ConfigId | null
  readonly carried: number
  /** The `connect` flag; null if the metadata has no such key. */
  readonly connect: boolean | null
  /** Number of Ratecard's keys besides the ownership mark. */
  readonly companions: number
}

export function splitMetadata(metadata: Readonly<Record<string, string>> | null | undefined): OwnMetadata {
  const entries = Object.entries(metadata ?? {})
  const ours = new Map(entries)
  const mark = ours.get(ownershipKey) ?? ''
  const carried = ours.get(carriedKey) ?? ''
  const connect = ours.get(connectKey)
  return {
    author: Object.fromEntries(entries.filter(([key]) => !key.startsWith(ourPrefix))),
    companions: entries.filter(([key]) => key.startsWith(ourPrefix) && key !== ownershipKey).length,
    mark: mark === '' ? null : configId(mark),
    carried: /^\d{1,15}$/.test(carried) ? Number(carried) : 0,
    connect: connect === undefined ? null : connect === 'true',
  }
}

/**
 * Returns the metadata of a new object. It contains the author's keys, Ratecard's other keys (`companions`) and, if there is room, the
 * ownership mark (`mark`, the configuration id).
 */
export function newMetadata(
  mark: ConfigId,
  author: MetadataMap = {},
  companions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const others = { ...author, ...companions }
  return hasRoomForMark(Object.keys(others).length) ? { ...others, [ownershipKey]: mark } : others
}

/** Returns the metadata entry with the number of redemptions of replaced objects; empty if there were none. */
export function carriedMetadata(carried: number): Readonly<Record<string, string>> {
  return carried === 0 ? {} : { [carriedKey]: String(carried) }
}

/**
 * Returns the metadata parameters of an update; empty if nothing changes. Stripe merges metadata, and deletes a key with an empty value.
 */
export function metadataChange(step: {
  readonly configId: ConfigId
  readonly set: { readonly metadata?: MetadataMap }
  readonly unset: readonly string[]
  readonly mark: boolean
}): { metadata?: Record<string, string> } {
  const metadata = {
    ...step.set.metadata,
    ...Object.fromEntries(step.unset.map((key) => [key, ''])),
    ...(step.mark ? { [ownershipKey]: step.configId } : {}),
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}
