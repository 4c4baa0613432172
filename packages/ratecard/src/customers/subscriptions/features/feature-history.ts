// Finds the features that products had at a time in the past, in the history of applied documents.
import { aliasesOf } from '../../../document/rules/previous-ids.ts'
import type { ProductFeature } from '../../../document/schema/feature-schema.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import type { VersionHead } from '../../../store/records/configuration.ts'
import type { Store } from '../../../store/store.ts'

export interface FeatureHistory {
  /** Returns the features that a product had at a time (epoch milliseconds). The product is given by its present id. */
  at(config: BillingConfig, product: string, at: number): Promise<readonly ProductFeature[]>
  /** Returns the features that a product had before a revision. They are read from the last earlier revision that contains the product. */
  before(config: BillingConfig, product: string, revision: number): Promise<readonly ProductFeature[]>
  /**
   * Returns the features of a product in the newest document that contains it. That may be an earlier document, if the product is no longer
   * sold.
   */
  last(config: BillingConfig, product: string): Promise<readonly ProductFeature[]>
}

type Versions = Pick<Store['versions'], 'list' | 'find'>

/** Part of a document that is needed to find past features. */
interface PastContent {
  /** Number of products and of their features. */
  readonly size: number
  /** Features by product id. */
  readonly features: ReadonlyMap<string, readonly ProductFeature[]>
  /** Earlier ids by product id. */
  readonly former: ReadonlyMap<string, readonly string[]>
}

interface KnownProduct {
  /** Ids of the product: its present id (or its last id, if it is no longer sold), then its former ids. */
  readonly ids: readonly string[]
  readonly features: readonly ProductFeature[]
}

interface Listed {
  readonly config: BillingConfig
  readonly heads: Promise<readonly VersionHead[]>
  /** Products that the configuration does not have any more. */
  readonly removed: Map<string, Promise<KnownProduct>>
}

/**
 * Number of documents whose features are always cached, and number of products and features up to which more are cached, e.g. 500 documents
 * with 20 products that have four features each. A yearly period may have hundreds of pushes. An entry takes about 100 bytes.
 */
const keptRevisions = 20
const keptEntries = 50_000
const pageSize = 100

/**
 * Creates the functions that find past features. The list of versions is read once per applied configuration. A document is read only if
 * its features are not cached. If the document of a past time does not contain a product, the last features of the product are returned.
 */
export function createFeatureHistory(versions: Versions): FeatureHistory {
  const documents = new Map<number, { readonly content: Promise<PastContent>; size: number }>()
  let listed: Listed | null = null

  const listFor = (config: BillingConfig): Listed => {
    if (listed?.config === config) return listed
    const created: Listed = { config, heads: listVersions(versions), removed: new Map() }
    listed = created
    // A failed read must not be kept: the next check reads again.
    created.heads.catch(() => {
      if (listed === created) listed = null
    })
    return created
  }

  const contentOf = (revision: number): Promise<PastContent> => {
    const kept = documents.get(revision)
    if (kept !== undefined) return kept.content
    const read = { content: readContent(versions, revision), size: 0 }
    documents.set(revision, read)
    read.content.then(
      ({ size }) => {
        read.size = size
        evict()
      },
      () => documents.delete(revision),
    )
    return read.content
  }

  /** Removes the documents that were read first, beyond the limits. */
  const evict = (): void => {
    let total = [...documents.values()].reduce((sum, { size }) => sum + size, 0)
    for (const [revision, { size }] of documents) {
      if (documents.size <= keptRevisions || total <= keptEntries) return
      documents.delete(revision)
      total -= size
    }
  }

  /**
   * Returns the features that a product had in one revision, with present ids. Returns undefined if the revision does not contain the
   * product.
   */
  const featuresAt = async (config: BillingConfig, ids: readonly string[], head: VersionHead) => {
    const { features } = await contentOf(head.revision)
    const found = ids.map((id) => features.get(id)).find((one) => one !== undefined)
    return found === undefined ? undefined : withPresentIds(config, found)
  }

  /** Finds a product that is not in the present configuration, in the newest revision that contains it. */
  const findRemoved = async (config: BillingConfig, product: string): Promise<KnownProduct> => {
    for (const { revision } of await listFor(config).heads) {
      const { features, former } = await contentOf(revision)
      const found = features.get(product)
      if (found !== undefined)
        return { ids: [product, ...(former.get(product) ?? [])], features: withPresentIds(config, found) }
    }
    return { ids: [product], features: [] }
  }

  const knownProduct = async (config: BillingConfig, product: string): Promise<KnownProduct> => {
    const { features, former } = contentIn(config)
    const present = features.get(product)
    if (present !== undefined) return { ids: [product, ...(former.get(product) ?? [])], features: present }
    const { removed } = listFor(config)
    const found = removed.get(product) ?? findRemoved(config, product)
    removed.set(product, found)
    found.catch(() => removed.delete(product))
    return found
  }

  return {
    last: async (config, product) => (await knownProduct(config, product)).features,
    at: async (config, product, at) => {
      const [heads, { ids, features }] = await Promise.all([listFor(config).heads, knownProduct(config, product)])
      // The processor's times are whole seconds. A push in the same second as the start of a period counts as earlier.
      const index = heads.findIndex(({ createdAt }) => createdAt - (createdAt % 1000) <= at)
      const head = heads[index]
      // The newest version needs no reading, because its features are those of the present configuration.
      const then = head === undefined || index === 0 ? undefined : await featuresAt(config, ids, head)
      return then ?? features
    },
    before: async (config, product, revision) => {
      const [heads, { ids }] = await Promise.all([listFor(config).heads, knownProduct(config, product)])
      for (const head of heads) {
        const found = head.revision < revision ? await featuresAt(config, ids, head) : undefined
        if (found !== undefined) return found
      }
      return []
    },
  }
}

/** Returns all versions, newest first. */
export async function listVersions(versions: Versions): Promise<readonly VersionHead[]> {
  const heads: VersionHead[] = []
  for (;;) {
    const { items } = await versions.list({ limit: pageSize, offset: heads.length })
    heads.push(...items)
    if (items.length < pageSize) return heads
  }
}

async function readContent(versions: Versions, revision: number): Promise<PastContent> {
  const document = (await versions.find(revision))?.document ?? null
  return document === null
    ? { size: 0, features: new Map(), former: new Map() }
    : contentIn(JSON.parse(document) as BillingConfig)
}

const byConfig = new WeakMap<BillingConfig, PastContent>()

function contentIn(config: BillingConfig): PastContent {
  const known = byConfig.get(config)
  if (known !== undefined) return known
  const former = new Map<string, string[]>()
  for (const { kind, from, to } of aliasesOf(config))
    if (kind === 'product') former.set(to, [...(former.get(to) ?? []), from])
  const features = new Map(config.products.map((product) => [product.id, product.features ?? []]))
  const size = config.products.reduce((sum, product) => sum + 1 + (product.features?.length ?? 0), 0)
  const content = { size, features, former }
  byConfig.set(config, content)
  return content
}

/** Returns the features with their present ids in the configuration. */
function withPresentIds(config: BillingConfig, features: readonly ProductFeature[]): readonly ProductFeature[] {
  const renamed = new Map(
    aliasesOf(config).flatMap(({ kind, from, to }) => (kind === 'feature' ? [[from, to] as const] : [])),
  )
  const idOf = (id: string) => renamed.get(id) ?? id
  return features.map((entry) => (typeof entry === 'string' ? idOf(entry) : { ...entry, id: idOf(entry.id) }))
}
