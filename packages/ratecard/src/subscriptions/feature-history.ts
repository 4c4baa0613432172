// Finds the features that products had at a time in the past, in the history of applied documents.
import { aliasesOf } from '../config/schema/previous-ids.ts'
import type { ProductFeature } from '../config/schema/feature-schema.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { VersionHead, VersionStore } from '../store/store.ts'

export interface FeatureHistory {
  /** Returns the features that a product had at a time (epoch milliseconds). The product is given by its present id. */
  at(config: BillingConfig, product: string, at: number): Promise<readonly ProductFeature[]>
  /** Returns the features that a product had in the last revision before this one. */
  before(config: BillingConfig, product: string, revision: number): Promise<readonly ProductFeature[]>
}

type Versions = Pick<VersionStore, 'list' | 'find'>
type FeaturesByProduct = ReadonlyMap<string, readonly ProductFeature[]>

/** Maximum number of documents whose features are kept in memory, e.g. of the pushes within one billing period. */
const keptRevisions = 20
const pageSize = 100

/**
 * Creates the function that finds past features. It reads the list of versions once for each applied configuration, and a document only if
 * it is not in memory. A product that was not in the document of that time has its present features.
 */
export function createFeatureHistory(versions: Versions): FeatureHistory {
  const documents = new Map<number, Promise<FeaturesByProduct>>()
  let listed: { readonly config: BillingConfig; readonly heads: Promise<readonly VersionHead[]> } | null = null

  const headsOf = (config: BillingConfig): Promise<readonly VersionHead[]> => {
    if (listed?.config !== config) listed = { config, heads: listVersions(versions) }
    return listed.heads
  }

  const featuresIn = (revision: number): Promise<FeaturesByProduct> => {
    const kept = documents.get(revision)
    if (kept !== undefined) return kept
    const [oldest] = documents.keys()
    if (oldest !== undefined && documents.size >= keptRevisions) documents.delete(oldest)
    const read = readFeatures(versions, revision)
    documents.set(revision, read)
    return read
  }

  /** `index` is the place of the revision among all revisions, newest first. */
  const featuresAt = async (config: BillingConfig, product: string, heads: readonly VersionHead[], index: number) => {
    const head = heads[index]
    // If the newest version applied at that time, its features are those of the present configuration.
    if (head === undefined || index === 0) return presentFeatures(config, product)
    const before = await featuresIn(head.revision)
    const { ids, idOf } = formerIds(config, product)
    const found = ids.map((id) => before.get(id)).find((features) => features !== undefined)
    if (found === undefined) return presentFeatures(config, product)
    return found.map((entry) => (typeof entry === 'string' ? idOf(entry) : { ...entry, id: idOf(entry.id) }))
  }

  return {
    at: async (config, product, at) => {
      const heads = await headsOf(config)
      // The processor's times are whole seconds. If a push and the start of a period are in the same second, the push counts as earlier.
      const index = heads.findIndex(({ createdAt }) => createdAt - (createdAt % 1000) <= at)
      return featuresAt(config, product, heads, index)
    },
    before: async (config, product, revision) => {
      const heads = await headsOf(config)
      const index = heads.findIndex((head) => head.revision < revision)
      return featuresAt(config, product, heads, index)
    },
  }
}

/** Returns all versions, newest first. */
async function listVersions(versions: Versions): Promise<readonly VersionHead[]> {
  const heads: VersionHead[] = []
  for (;;) {
    const { items } = await versions.list({ limit: pageSize, offset: heads.length })
    heads.push(...items)
    if (items.length < pageSize) return heads
  }
}

async function readFeatures(versions: Versions, revision: number): Promise<FeaturesByProduct> {
  const document = (await versions.find(revision))?.document ?? null
  return document === null ? new Map() : featuresOf(JSON.parse(document) as BillingConfig)
}

const byConfig = new WeakMap<BillingConfig, FeaturesByProduct>()

function featuresOf(config: BillingConfig): FeaturesByProduct {
  const known = byConfig.get(config)
  if (known !== undefined) return known
  const features = new Map(config.products.map((product) => [product.id, product.features ?? []]))
  byConfig.set(config, features)
  return features
}

function presentFeatures(config: BillingConfig, product: string): readonly ProductFeature[] {
  return featuresOf(config).get(product) ?? []
}

/** Returns all ids that a product had (the present id first), and a function that returns the present id of a feature. */
function formerIds(config: BillingConfig, product: string) {
  const aliases = aliasesOf(config)
  const features = new Map(aliases.filter(({ kind }) => kind === 'feature').map(({ from, to }) => [from, to]))
  const products = aliases.filter(({ kind, to }) => kind === 'product' && to === product).map(({ from }) => from)
  return { ids: [product, ...products], idOf: (id: string) => features.get(id) ?? id }
}
