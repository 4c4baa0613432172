import { handOver, type Rename, type PastRename } from '../../../../catalog/renames.ts'
import {
  type MappingEntry,
  type ResourceKind,
  configId as asConfigId,
  processorId as asProcessorId,
  resourceKey,
} from '../../../../catalog/resource.ts'
import { unfinishedJobStates, type JobKind } from '../../../records/journal.ts'
import { inBatches } from '../../database/queries.ts'
import type { Database, Write } from '../../database/database.ts'
import type { ArchivedObject, MappingChange } from '../../../records/configuration.ts'

export function sqlMappings(database: Database) {
  return {
    /** Returns the whole mapping history, ascending by sequence. */
    all: (): Promise<readonly MappingEntry[]> =>
      database.read((db) => db.selectFrom('mappings').selectAll().orderBy('sequence').execute()),

    /** Returns all mappings of the item that has or had this processor id; empty if the id is unknown. */
    byProcessorId: (id: string): Promise<readonly MappingEntry[]> =>
      database.read((db) =>
        db
          .selectFrom('mappings')
          .selectAll()
          .where((eb) =>
            eb(
              eb.refTuple('kind', 'configId'),
              'in',
              eb
                .selectFrom('mappings')
                .select(['kind', 'configId'])
                .where('processorId', '=', asProcessorId(id))
                .$asTuple('kind', 'configId'),
            ),
          )
          .orderBy('sequence')
          .execute(),
      ),

    byConfigId: (kind: ResourceKind, id: string): Promise<readonly MappingEntry[]> =>
      database.read((db) =>
        db
          .selectFrom('mappings')
          .selectAll()
          .where('kind', '=', kind)
          .where('configId', '=', asConfigId(id))
          .orderBy('sequence')
          .execute(),
      ),

    /** Returns all renames of configuration ids, oldest first. */
    async renames(): Promise<readonly PastRename[]> {
      const rows = await database.read((db) =>
        db.selectFrom('renames').selectAll().orderBy('revision').orderBy('kind').orderBy('fromId').execute(),
      )
      return rows.map(({ revision, kind, fromId, toId, carries, entries }) => ({
        kind,
        from: fromId,
        to: toId,
        rows: JSON.parse(entries) as number[],
        continues: carries === 'item',
        revision,
      }))
    },

    /** Returns the last complete state of an object that can no longer be read at the processor; null if there is none. */
    archivedObject: (processorId: string): Promise<ArchivedObject | null> =>
      database.readFirst((db) =>
        db
          .selectFrom('archivedObjects')
          .selectAll()
          .where('processorId', '=', asProcessorId(processorId))
          .executeTakeFirst(),
      ),
  }
}

/**
 * Writes the new configuration ids of renamed items into the mapping history and into unfinished jobs. Also writes them into free
 * subscriptions, which refer to their price only by its id. If two histories are merged, the present mapping is appended as a new entry.
 * Requires the transaction that closes a push.
 */
export async function renameEntries(db: Write, revision: number, renames: readonly Rename[]): Promise<void> {
  if (renames.length === 0) return
  const before = await db.selectFrom('mappings').selectAll().orderBy('sequence').execute()
  const after = handOver(before, renames)
  for (const { to, rows } of renames)
    await inBatches(rows, (sequences) =>
      db.updateTable('mappings').set({ configId: to }).where('sequence', 'in', sequences).execute(),
    )
  const repeated = after.slice(before.length).map((entry) => ({ ...entry, revision }))
  await inBatches(repeated, (rows) => db.insertInto('mappings').values(rows).execute())
  await inBatches(
    renames.map(({ kind, from, to, rows, continues }) => ({
      revision,
      kind,
      fromId: from,
      toId: to,
      carries: continues ? ('item' as const) : ('past' as const),
      entries: JSON.stringify(rows),
    })),
    (rows) => db.insertInto('renames').values(rows).execute(),
  )
  await renameFreeSubscriptions(db, renames)
  await renameJobs(db, renames)
}

const newNames = (renames: readonly Rename[], of: ResourceKind) =>
  new Map(renames.filter(({ kind }) => kind === of).map(({ from, to }) => [String(from), String(to)]))

/** Pairs of an item kind and the job kind whose subject is such an item. */
const jobsAbout = [
  ['price', 'migration'],
  ['webhook', 'webhook_rotation'],
] as const satisfies readonly (readonly [ResourceKind, JobKind])[]

/**
 * Writes the new ids of renamed items into unfinished jobs about these items, so that lookups and plans find the jobs under the present id.
 */
async function renameJobs(db: Write, renames: readonly Rename[]): Promise<void> {
  for (const [of, kind] of jobsAbout) {
    const names = newNames(renames, of)
    if (names.size === 0) continue
    const jobs = await db
      .selectFrom('jobs')
      .select(['id', 'subject'])
      .where('kind', '=', kind)
      .where('state', 'in', unfinishedJobStates)
      .where('subject', 'in', [...names.keys()])
      .execute()
    for (const { id, subject } of jobs)
      await db
        .updateTable('jobs')
        .set({ subject: names.get(subject) ?? subject })
        .where('id', '=', id)
        .execute()
  }
}

async function renameFreeSubscriptions(db: Write, renames: readonly Rename[]): Promise<void> {
  const names = newNames(renames, 'price')
  if (names.size === 0) return
  const rows = await db
    .selectFrom('localSubscriptions')
    .select(['id', 'priceId'])
    .where('priceId', 'in', [...names.keys()])
    .execute()
  const planned = await db
    .selectFrom('plannedFreeSubscriptions')
    .select(['subscription', 'priceId'])
    .where('priceId', 'in', [...names.keys()])
    .execute()
  // Reads all rows before the first write, because two prices may swap their ids.
  for (const { subscription, priceId } of planned)
    await db
      .updateTable('plannedFreeSubscriptions')
      .set({ priceId: names.get(priceId) ?? priceId })
      .where('subscription', '=', subscription)
      .execute()
  for (const { id, priceId } of rows)
    await db
      .updateTable('localSubscriptions')
      .set({ priceId: names.get(priceId) ?? priceId })
      .where('id', '=', id)
      .execute()
}

/**
 * Appends each mapping that differs from the latest entry of its kind and configuration id. Requires the transaction that closes a push.
 */
export async function appendMappings(db: Write, revision: number, changes: readonly MappingChange[]): Promise<void> {
  const entries = await db.selectFrom('mappings').selectAll().orderBy('sequence').execute()
  const latest = new Map(entries.map((entry) => [resourceKey(entry.kind, entry.configId), entry.processorId]))
  let sequence = entries.at(-1)?.sequence ?? 0
  const added: MappingEntry[] = []
  for (const { kind, configId, processorId } of changes) {
    const key = resourceKey(kind, configId)
    if (latest.get(key) === processorId) continue
    latest.set(key, processorId)
    sequence += 1
    added.push({ kind, configId, processorId, sequence, revision })
  }
  await inBatches(added, (rows) => db.insertInto('mappings').values(rows).execute())
}
