import { resourceKey, resourceKinds, type MappingEntry } from '../../catalog/resource.ts'
import { publicView } from '../../document/schema/public-view.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { readReport } from '../../catalog/change-report.ts'
import { indexConfig, isInDocument } from './find.ts'
import type { MappingHistory, PublishedList } from './published.ts'
import type { Conversion, Visibility } from '../../api/push/price-list.ts'
import type { Store } from '../../store/store.ts'

const scanPage = 50

/**
 * Returns a function that finds the configuration id for a present or former processor id. A caller without a service key finds only public
 * resources. A removed resource counts as public if it was public in the last revision that contained it.
 */
export function createConversion(versions: Pick<Store['versions'], 'find' | 'list'>) {
  const removals = createRemovals(versions)
  let index: {
    readonly of: MappingHistory
    readonly byProcessorId: ReadonlyMap<string, readonly MappingEntry[]>
  } | null = null

  /**
   * Cache of removed resources, with `shown` true if the resource was public in its last revision. Any caller can cause such a lookup
   * without a key, and parsing a large revision at each one would be slow.
   */
  const wasPublic = new Map<string, { readonly removedIn: number; readonly shown: boolean }>()

  async function visible(published: PublishedList, entry: MappingEntry): Promise<boolean> {
    const { current } = published
    if (current !== null && isInDocument(current.fullIndex, entry.kind, entry.configId))
      return isInDocument(current.publicIndex, entry.kind, entry.configId)
    const key = resourceKey(entry.kind, entry.configId)
    const removedIn = await removals(key)
    if (removedIn === undefined) return false
    const known = wasPublic.get(key)
    if (known?.removedIn === removedIn) return known.shown
    const held = await versions.find(removedIn - 1)
    const shown =
      held !== null &&
      held.document !== null &&
      isInDocument(indexConfig(publicView(JSON.parse(held.document) as BillingConfig)), entry.kind, entry.configId)
    wasPublic.set(key, { removedIn, shown })
    return shown
  }

  return async (published: PublishedList, id: string, visibility: Visibility): Promise<Conversion> => {
    if (index?.of !== published.mappings)
      index = { of: published.mappings, byProcessorId: byProcessorId(published.mappings) }
    for (const entry of rankMappings(published, index.byProcessorId.get(id) ?? [])) {
      if (!visibility.hidden && !(await visible(published, entry))) continue
      const history = published.mappings.get(resourceKey(entry.kind, entry.configId)) ?? [entry]
      const now = history.at(-1) ?? entry
      return {
        configId: entry.configId,
        processorId: now.processorId,
        itemType: entry.kind,
        historyCount: history.length,
        current: now.processorId === id,
      }
    }
    throw new ServiceError('mapping_not_found', `No configuration id belongs to "${id}".`)
  }
}

/**
 * Sorts the mappings of present items before all others, then by kind, then newest first. Several mappings can have the same processor id: a
 * free price is mapped to its own configuration id, and an item of another kind may have the same id. An item can also reactivate the object
 * of a removed item.
 */
function rankMappings({ mappings, current }: PublishedList, entries: readonly MappingEntry[]): readonly MappingEntry[] {
  const isPresent = ({ kind, configId, processorId }: MappingEntry) =>
    current !== null &&
    isInDocument(current.fullIndex, kind, configId) &&
    mappings.get(resourceKey(kind, configId))?.at(-1)?.processorId === processorId
  const rank = (entry: MappingEntry) =>
    (isPresent(entry) ? 0 : resourceKinds.length) + resourceKinds.indexOf(entry.kind)
  return [...entries].sort((a, b) => rank(a) - rank(b) || b.sequence - a.sequence)
}

function byProcessorId(mappings: MappingHistory): ReadonlyMap<string, readonly MappingEntry[]> {
  const found = new Map<string, MappingEntry[]>()
  for (const entry of [...mappings.values()].flat()) {
    const entries = found.get(entry.processorId)
    if (entries === undefined) found.set(entry.processorId, [entry])
    else entries.push(entry)
  }
  return found
}

/**
 * Returns a function that finds the revision that last removed a resource. The function reads all change reports once, and later only the
 * reports of new revisions.
 */
function createRemovals(versions: Pick<Store['versions'], 'list'>) {
  const removedIn = new Map<string, number>()
  let scanned = 0

  async function scan(): Promise<void> {
    const found = new Map<string, number>()
    let newest = scanned
    for (let offset = 0; ; offset += scanPage) {
      const { items } = await versions.list({ limit: scanPage, offset })
      for (const { revision, changes } of items) {
        newest = Math.max(newest, revision)
        if (revision <= scanned) continue
        const report = readReport(changes).changes
        const removed = [
          ...report.products.archived.map((id) => resourceKey('product', id)),
          ...report.prices.archived.map((id) => resourceKey('price', id)),
          ...report.meters.deactivated.map((id) => resourceKey('meter', id)),
        ]
        for (const key of removed) if ((found.get(key) ?? 0) < revision) found.set(key, revision)
      }
      if (items.length < scanPage || (items.at(-1)?.revision ?? 0) <= scanned) break
    }
    for (const [key, revision] of found) removedIn.set(key, revision)
    scanned = newest
  }

  let running: Promise<void> | null = null
  return async (key: string): Promise<number | undefined> => {
    await (running ??= scan().finally(() => (running = null)))
    return removedIn.get(key)
  }
}
