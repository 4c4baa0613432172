// Closes a push: stores the version, the current pointer, the mappings and the end of the journal in one transaction.
import type { Rename } from '../../../../catalog/renames.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { genesis, hashVersion } from '../../../history-chain.ts'
import type { Database, Write } from '../../database/database.ts'
import { appendMappings, renameEntries } from './mappings.ts'
import { storableText } from '../../database/queries.ts'
import type { MappingChange, NewVersion, VersionRecord } from '../../../records/configuration.ts'

export interface PushClosing {
  readonly pushId: string
  readonly version: NewVersion
  readonly mappings: readonly MappingChange[]
  readonly renames: readonly Rename[]
  readonly at: number
}

/** Closes the push within a transaction that holds the lease and has locked the push. Throws if a step is not done. */
export async function closePush(database: Database, db: Write, closing: PushClosing): Promise<VersionRecord> {
  const { pushId, mappings, renames, at } = closing
  await refuseUnfinished(db, pushId)
  // This lock serializes two pushes even if they hold different leases.
  await database.locked(db.selectFrom('published').select('sequence')).where('id', '=', 1).executeTakeFirstOrThrow()
  const record = await nextVersion(db, pushId, closing.version)
  await db.insertInto('versions').values(record).execute()
  await renameEntries(db, record.revision, renames)
  await appendMappings(db, record.revision, mappings)
  await db
    .updateTable('published')
    .set((eb) => ({ revision: record.kind === 'reset' ? null : record.revision, sequence: eb('sequence', '+', 1) }))
    .where('id', '=', 1)
    .execute()
  await db
    .updateTable('pushes')
    .set({ state: 'applied', revision: record.revision, error: null, updatedAt: at, finishedAt: at })
    .where('id', '=', pushId)
    .execute()
  return record
}

async function refuseUnfinished(db: Write, pushId: string): Promise<void> {
  const step = await db
    .selectFrom('steps')
    .select(['position', 'state'])
    .where('pushId', '=', pushId)
    .where('state', 'not in', ['succeeded', 'skipped'])
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  if (step !== undefined)
    throw new ServiceError('internal', `Step ${String(step.position)} of the push "${pushId}" is only ${step.state}.`)
}

async function nextVersion(db: Write, pushId: string, version: NewVersion): Promise<VersionRecord> {
  const latest =
    (await db
      .selectFrom('versions')
      .select(['revision', 'hash'])
      .orderBy('revision', 'desc')
      .limit(1)
      .executeTakeFirst()) ?? genesis
  const content = {
    revision: latest.revision + 1,
    version: storableText(version.version),
    kind: version.kind,
    document: version.document === null ? null : storableText(version.document),
    checksum: version.checksum,
    author: version.author === null ? null : storableText(version.author),
    message: version.message === null ? null : storableText(version.message),
    keyId: version.keyId,
    keyName: version.keyName === null ? null : storableText(version.keyName),
    changes: storableText(version.changes),
    createdAt: version.createdAt,
    pushId,
    previousHash: latest.hash,
  }
  return { ...content, hash: hashVersion(content) }
}
