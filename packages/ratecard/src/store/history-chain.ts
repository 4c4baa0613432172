// The hash chain over the configuration history. It reveals any later change of a revision. All functions are pure except verifyHistory,
// which reads the store.
import { createHash } from 'node:crypto'
import type { VersionRecord } from './records/configuration.ts'

/** Predecessor of the first revision. */
export const genesis = { revision: 0, hash: '0'.repeat(64) } as const

/**
 * Returns the sha256 hex of the record's canonical JSON (members sorted by name, no spaces), which includes the hash of the previous
 * record.
 */
export function hashVersion(record: Omit<VersionRecord, 'hash'>): string {
  const { author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version } = record
  const { keyId, keyName } = record
  const canonical = {
    ...{ author, changes, checksum, createdAt, document, kind, message, previousHash, revision, version },
    ...(keyId === null ? {} : { key_id: keyId, key_name: keyName }),
  }
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
}

/** True if `record` is unaltered and directly follows `previous`. */
export function continuesHistory(previous: Pick<VersionRecord, 'revision' | 'hash'>, record: VersionRecord): boolean {
  return (
    record.revision === previous.revision + 1 &&
    record.previousHash === previous.hash &&
    record.hash === hashVersion(record)
  )
}

export interface HistoryCheck {
  readonly ok: boolean
  /** Number of intact revisions, counted from the first one. */
  readonly checked: number
  /** The first revision that is missing, altered, or does not follow its predecessor. */
  readonly brokenAt?: number
}

/** The stored revisions, of which it reads the newest, and each by its number. */
interface Versions {
  latest(): Promise<Pick<VersionRecord, 'revision'> | null>
  find(revision: number): Promise<VersionRecord | null>
}

/** Recomputes the whole hash chain, oldest revision first, and stops at the first broken revision. */
export async function verifyHistory(store: { readonly versions: Versions }): Promise<HistoryCheck> {
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
