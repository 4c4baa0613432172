import type { MappingEntry, ResourceKind } from '../../catalog/resource.ts'
import { configId as asConfigId, processorId as asProcessorId, resourceKey } from '../../catalog/resource.ts'
import type { ArchivedObject, MappingChange, MappingStore } from '../store.ts'
import { inBatches } from './batches.ts'
import type { Database, Write } from './database.ts'

export class SqlMappings implements MappingStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async all(): Promise<readonly MappingEntry[]> {
    return this.#database.read((db) => db.selectFrom('mappings').selectAll().orderBy('sequence').execute())
  }

  async byProcessorId(id: string): Promise<readonly MappingEntry[]> {
    return this.#database.read((db) =>
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
    )
  }

  async byConfigId(kind: ResourceKind, id: string): Promise<readonly MappingEntry[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('mappings')
        .selectAll()
        .where('kind', '=', kind)
        .where('configId', '=', asConfigId(id))
        .orderBy('sequence')
        .execute(),
    )
  }

  async archivedObject(processorId: string): Promise<ArchivedObject | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('archivedObjects')
        .selectAll()
        .where('processorId', '=', asProcessorId(processorId))
        .executeTakeFirst(),
    )
    return row ?? null
  }
}

/** Appends what differs from the latest entry of its (kind, config id). Only inside the transaction that closes a push. */
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
