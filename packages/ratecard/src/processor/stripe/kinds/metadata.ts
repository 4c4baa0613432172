// Ratecard's own metadata keys and the author's share one map at Stripe. Authors cannot use keys with the prefix `ratecard_`.
import { carriedKey, configId, ownershipKey, type ConfigId, type MetadataMap } from '../../../catalog/resource.ts'

const ourPrefix = 'ratecard_'
/** Metadata key for the `connect` flag of an endpoint. It is written at creation, because Stripe's replies do not contain the flag. */
export const connectKey = 'ratecard_connect'

export interface OwnMetadata {
  readonly author: MetadataMap
  readonly mark: ConfigId | null
  readonly carried: number
  /** The `connect` flag; null if the metadata has no such key. */
  readonly connect: boolean | null
}

export function splitMetadata(metadata: Readonly<Record<string, string>> | null | undefined): OwnMetadata {
  const entries = Object.entries(metadata ?? {})
  const ours = new Map(entries)
  const mark = ours.get(ownershipKey) ?? ''
  const carried = ours.get(carriedKey) ?? ''
  const connect = ours.get(connectKey)
  return {
    author: Object.fromEntries(entries.filter(([key]) => !key.startsWith(ourPrefix))),
    mark: mark === '' ? null : configId(mark),
    carried: /^\d{1,15}$/.test(carried) ? Number(carried) : 0,
    connect: connect === undefined ? null : connect === 'true',
  }
}

/**
 * Returns the metadata of a new object: the author's, the ownership mark (`mark`, the configuration id) and, if not 0, the redemptions of
 * replaced predecessors (`carried`).
 */
export function newMetadata(mark: ConfigId, author: MetadataMap = {}, carried = 0): Record<string, string> {
  return { ...author, [ownershipKey]: mark, ...(carried === 0 ? {} : { [carriedKey]: String(carried) }) }
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
