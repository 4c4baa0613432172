// Cache of the applied configuration. For each change, it contains the document with processor ids, its public view, and the bytes of the
// response.
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { documentLists, idOfItem, listedKinds, listOf } from '../../catalog/kinds.ts'
import { resourceKey, type MappingEntry, type ResourceKind } from '../../catalog/resource.ts'
import { configWithAmounts } from '../../document/schema/prices/percent-off.ts'
import { aliasesOf } from '../../document/rules/previous-ids.ts'
import { publicView } from '../../document/schema/public-view.ts'
import type { BillingConfig, Product } from '../../document/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ServedConfig as ServedConfigShape, type PublishedConfig, type ServedConfig } from '../../api/push/config.ts'
import { toWire } from '../../api/notation/case-conversion.ts'
import { yieldToRequests } from '../../base/event-loop.ts'
import { indexConfig, type Indexes } from './find.ts'
import type { VersionRecord } from '../../store/records/configuration.ts'

/** Mapping history of each resource, oldest first. The key is `kind:configuration id`, e.g. `price:pro_monthly`. */
export type MappingHistory = ReadonlyMap<string, readonly MappingEntry[]>

export interface PublishedList {
  /** The applied configuration; null before the first push and after a reset. */
  readonly current:
    | (Indexes & {
        readonly full: ServedConfig
        /** As `full`, with the amounts of prices in per cent. */
        readonly priced: ServedConfig
        readonly published: PublishedConfig
      })
    | null
  readonly mappings: MappingHistory
}

type Source = Pick<Store, 'versions' | 'mappings' | 'changeSequence'>

const pollMs = 500

/**
 * Creates the cache. It checks the store's change sequence (a counter of changes) at most every 500 ms, and reloads when the counter grew.
 * While the store is unreachable, the last value is served, although it may be stale.
 */
export function createPublished({ store, clock }: { readonly store: Source; readonly clock: Clock }) {
  let held: { readonly sequence: number; readonly value: PublishedList } | null = null
  let checkedAt = 0
  let fresh = false
  let generation = 0
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  async function check(): Promise<void> {
    for (;;) {
      const began = generation
      const sequence = await store.changeSequence()
      const next = held !== null && held.sequence === sequence ? held : await load(store)
      // The cache was invalidated during the read, so the value just read may be stale: read again.
      if (began !== generation) continue
      held = next
      fresh = true
      checkedAt = clock.now()
      return
    }
  }

  const refresh = (): Promise<void> => (running ??= check().finally(() => (running = null)))

  const peek = (): PublishedList | null =>
    held !== null && fresh && clock.now() - checkedAt < pollMs ? held.value : null

  async function read(): Promise<PublishedList> {
    const known = peek()
    if (known !== null) return known
    try {
      await refresh()
    } catch (error) {
      if (held === null) throw error
      // A failed reload counts as a check too, so the next attempt follows after the poll interval (500 ms). Otherwise every reader would
      // retry at once.
      fresh = true
      checkedAt = clock.now()
    }
    if (held === null) throw new Error('nothing was read from the store')
    return held.value
  }

  return {
    read,
    refresh,
    invalidate: (): void => {
      generation += 1
      fresh = false
    },
    start: (): void => {
      timer ??= setInterval(() => void refresh().catch(() => undefined), pollMs).unref()
    },
    stop: (): void => {
      clearInterval(timer)
      timer = undefined
    },
  }
}

async function load(store: Source): Promise<{ readonly sequence: number; readonly value: PublishedList }> {
  for (;;) {
    const sequence = await store.changeSequence()
    const [version, first, entries] = await Promise.all([
      store.versions.current(),
      store.versions.find(1),
      store.mappings.all(),
    ])
    // The reads are not one transaction. If a push ended between them, they would belong to two revisions. So the sequence is compared
    // again after the reads.
    if ((await store.changeSequence()) === sequence)
      return { sequence, value: await preparePublished(version, first, entries) }
  }
}

async function preparePublished(
  version: VersionRecord | null,
  first: VersionRecord | null,
  entries: readonly MappingEntry[],
): Promise<PublishedList> {
  await yieldToRequests()
  const mappings = historyOf(entries)
  await yieldToRequests()
  if (version === null || version.document === null) return { current: null, mappings }
  const document = JSON.parse(version.document) as BillingConfig
  await yieldToRequests()
  const head = {
    id: `cfg_${String(version.revision)}_${version.checksum.slice(0, 12)}`,
    version: version.version,
    revision: version.revision,
    createdAt: first?.createdAt ?? version.createdAt,
    updatedAt: version.createdAt,
  }
  const full: ServedConfig = { ...head, config: withProcessorIds(document, mappings) }
  await yieldToRequests()
  const visible = publicView(document)
  await yieldToRequests()
  const served: ServedConfig = { ...head, config: withProcessorIds(visible, mappings) }
  await yieldToRequests()
  const bytes = bytesOf(served)
  await yieldToRequests()
  const priced: ServedConfig = { ...head, config: configWithAmounts(full.config) }
  const fullIndex = indexConfig(priced.config)
  await yieldToRequests()
  return {
    current: {
      full,
      priced,
      published: { served, ...bytes },
      fullIndex,
      // The published document omits former ids, but a lookup by a former id still finds the item.
      publicIndex: indexConfig(served.config, aliasesOf(document)),
    },
    mappings,
  }
}

function bytesOf(served: ServedConfig): { readonly body: Buffer; readonly etag: string } {
  const body = Buffer.from(JSON.stringify(toWire(ServedConfigShape, served)))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}

function historyOf(entries: readonly MappingEntry[]): MappingHistory {
  const histories = new Map<string, MappingEntry[]>()
  for (const entry of entries) {
    const key = resourceKey(entry.kind, entry.configId)
    const history = histories.get(key)
    if (history === undefined) histories.set(key, [entry])
    else history.push(entry)
  }
  return histories
}

function withProcessorIds(config: BillingConfig, mappings: MappingHistory): BillingConfig {
  const mapped = <Item extends { processor_id?: string }>(kind: ResourceKind, item: Item, id: string): Item => {
    // In the author's document, `processor_id` is the id of an object to adopt. In the published configuration, it is the id of the object
    // that the item is mapped to.
    const { processor_id: _wish, ...rest } = item
    const processorId = mappings.get(resourceKey(kind, id))?.at(-1)?.processorId
    return (processorId === undefined ? rest : { ...rest, processor_id: processorId }) as Item
  }
  const product = (item: Product): Product => ({
    ...mapped('product', item, item.id),
    ...(item.prices === undefined ? {} : { prices: item.prices.map((price) => mapped('price', price, price.id)) }),
  })
  const lists = listedKinds.flatMap((kind) =>
    config[documentLists[kind]] === undefined
      ? []
      : [[documentLists[kind], listOf(config, kind).map((item) => mapped(kind, item, idOfItem(kind, item)))]],
  )
  return { ...config, ...(Object.fromEntries(lists) as Partial<BillingConfig>), products: config.products.map(product) }
}
