// The tamper-evident chain over the configuration history. Pure but for the reads of verifyHistory.
import { createHash } from 'node:crypto'
import type { Store, VersionRecord } from './store.ts'

/** What the first revision follows. */
export const genesis = { revision: 0, hash: '0'.repeat(64) } as const

/** sha256 hex over the canonical JSON (members sorted by name, no spaces) of what the record says and of the hash before it. */
export function hashVersion(record: Omit<VersionRecord, 'hash'>): string {
  const { author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version } = record
  const { keyId, keyName } = record
  const canonical = {
    ...{ author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version },
    ...(keyId === null ? {} : { key_id: keyId, key_name: keyName }),
  }
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
}

/** Whether `record` is unaltered and the one right after `previous`. */
export function continuesHistory(previous: Pick<VersionRecord, 'revision' | 'hash'>, record: VersionRecord): boolean {
  return (
    record.revision === previous.revision + 1 &&
    record.previousHash === previous.hash &&
    record.hash === hashVersion(record)
  )
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
  let previous: Pick<VersionRecord, 'revision' | 'hash'> = genesis
  for (let revision = 1; revision <= newest; revision++) {
    const record = await store.versions.find(revision)
    if (record === null || !continuesHistory(previous, record))
      return { ok: false, checked: revision - 1, brokenAt: revision }
    previous = record
  }
  return { ok: true, checked: newest }
}
