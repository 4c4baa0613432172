// The tamper-evident chain over the configuration history. Pure but for the reads of verifyHistory.
import { createHash } from 'node:crypto'
import type { Store, VersionRecord } from './store.ts'

/** What the first revision names as its predecessor's hash. */
export const genesisHash = '0'.repeat(64)

/** sha256 hex over the canonical JSON (members sorted by name, no spaces) of what the record says and of the hash before it. */
export function hashVersion(record: Omit<VersionRecord, 'hash'>): string {
  const { author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version } = record
  const canonical = { author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version }
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
}

export interface HistoryCheck {
  readonly ok: boolean
  /** Records that were found right, from the first one on. */
  readonly checked: number
  /** The first revision that is missing, altered, or does not follow the one before. */
  readonly brokenAt?: number
}

/** Recomputes the whole chain, oldest first. */
export async function verifyHistory(store: Pick<Store, 'versions'>): Promise<HistoryCheck> {
  const newest = (await store.versions.latest())?.revision ?? 0
  let previousHash = genesisHash
  for (let revision = 1; revision <= newest; revision++) {
    const record = await store.versions.find(revision)
    if (record === null || record.previousHash !== previousHash || record.hash !== hashVersion(record))
      return { ok: false, checked: revision - 1, brokenAt: revision }
    previousHash = record.hash
  }
  return { ok: true, checked: newest }
}
