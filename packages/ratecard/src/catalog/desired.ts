// Converts a document to the desired state: a catalog of canonical resources. Pure, and independent of the processor.
import { basesOf } from '../document/schema/prices/base-price.ts'
import { isEnterprise, isLocalPrice } from '../document/schema/ids.ts'
import { configWithAmounts } from '../document/schema/prices/percent-off.ts'
import { withListedProducts } from '../document/schema/portal-products.ts'
import type { BillingConfig, Portal, Price, Product } from '../document/schema/schema.ts'
import { deepEqual } from './fields/differences.ts'
import { readersOf } from './fields/tables.ts'
import { configId, idOfItem, listedKinds, listOf, processorId, resourceKinds } from './kinds.ts'
import type { ItemOf, ListedKind, ResourceKind } from './kinds.ts'
import type { Catalog, DesiredResource } from './resource.ts'

const listsByKind = () =>
  Object.fromEntries(resourceKinds.map((kind) => [kind, []])) as unknown as Record<ResourceKind, DesiredResource[]>

export const emptyCatalog = listsByKind() as unknown as Catalog

/** A document, and the catalog that it was converted to. */
export interface ReadDocument {
  readonly config: BillingConfig
  readonly catalog: Catalog
}

/**
 * Returns every resource of a valid document, each kind in document order. If `other` contains an item with the same content, reuses that
 * item's resource object, so that later steps can compare objects by identity.
 */
export function desiredCatalog(config: BillingConfig, other: ReadDocument | null = null): Catalog {
  const catalog = listsByKind()
  for (const kind of listedKinds) {
    const known = other === null ? null : readItems(other, kind)
    for (const item of itemsIn(config, kind)) {
      const found = known?.get(idOfItem(kind, item))
      const { resource, prices } = found !== undefined && deepEqual(found.item, item) ? found : readItem(kind, item)
      catalog[kind].push(resource)
      for (const price of prices) catalog.price.push(price)
    }
  }
  return catalog as unknown as Catalog
}

/**
 * A listed item with its resource. A product and its prices are converted together, because each depends on the other (e.g. through the
 * default price).
 */
interface ReadItem {
  readonly item: ItemOf<ListedKind>
  readonly resource: DesiredResource
  readonly prices: readonly DesiredResource[]
}

function readItem(kind: ListedKind, item: ItemOf<ListedKind>): ReadItem {
  const resource = desiredResource(kind, item, undefined)
  if (kind !== 'product') return { item, resource, prices: [] }
  const product = item as Product
  return { item, resource, prices: (product.prices ?? []).map((price) => desiredResource('price', price, product)) }
}

/**
 * Returns the items of a kind with all that they take from the rest of the document: portal configurations their list of products, prices in
 * per cent their amounts, and enterprise prices their `base_price`. So an item that is equal in two documents means the same in both.
 */
function itemsIn(config: BillingConfig, kind: ListedKind): readonly ItemOf<ListedKind>[] {
  if (kind === 'product') return productsIn(config)
  if (kind !== 'portal') return listOf(config, kind)
  return listOf(config, kind).map((portal: Portal) => withListedProducts(portal, config))
}

function productsIn(config: BillingConfig): readonly Product[] {
  const { products } = configWithAmounts(config)
  const bases = basesOf(products)
  return products.map((product) =>
    product.prices?.some(isEnterprise) === true
      ? { ...product, prices: product.prices.map((price) => withBase(price, bases.idOf(price))) }
      : product,
  )
}

const withBase = (price: Price, base: string | undefined): Price =>
  base === undefined ? price : { ...price, base_price: base }

/** Returns the items of a document, by id, with the resources that they were converted to before. */
function readItems({ config, catalog }: ReadDocument, kind: ListedKind): ReadonlyMap<string, ReadItem> {
  const resources: readonly DesiredResource[] = catalog[kind]
  const items = new Map<string, ReadItem>()
  let prices = 0
  for (const [place, item] of itemsIn(config, kind).entries()) {
    const resource = resources[place]
    if (resource === undefined) break
    const from = prices
    if (kind === 'product') prices += (item as Product).prices?.length ?? 0
    items.set(resource.configId, { item, resource, prices: catalog.price.slice(from, prices) })
  }
  return items
}

/**
 * True if two documents have the same content in the same order. Ignores the version, and differences in notation: explicit defaults, tier
 * amounts of zero, `$schema` and `processor_id`.
 */
export function meanTheSame(one: BillingConfig, other: BillingConfig): boolean {
  if (!deepEqual(one.tax ?? {}, other.tax ?? {}) || !deepEqual(extraCurrencies(one), extraCurrencies(other)))
    return false
  const catalog = desiredCatalog(one)
  const beside = desiredCatalog(other, { config: one, catalog })
  return resourceKinds.every((kind) => {
    const [these, those]: [readonly DesiredResource[], readonly DesiredResource[]] = [catalog[kind], beside[kind]]
    return these.length === those.length && these.every((resource, place) => isTheSame(resource, those[place]))
  })
}

const extraCurrencies = ({ extra_currencies: codes = [] }: BillingConfig) => [...new Set(codes)].sort()

function isTheSame(one: DesiredResource, other: DesiredResource | undefined): boolean {
  if (one === other) return true
  return (
    other !== undefined &&
    one.configId === other.configId &&
    one.home === other.home &&
    (deepEqual(one.fields, other.fields) || deepEqual(withDefaultKey(one), withDefaultKey(other))) &&
    deepEqual(one.ours, other.ours)
  )
}

/** Returns the fields of a resource. If the document gives no lookup key, the id is used as lookup key. */
export function withDefaultKey({ configId: id, fields }: DesiredResource): object {
  return (fields as Readonly<Record<string, unknown>>)['lookupKey'] === '' ? { ...fields, lookupKey: id } : fields
}

function desiredResource(
  kind: ResourceKind,
  item: ItemOf<ResourceKind>,
  product: Product | undefined,
): DesiredResource {
  const { fields: rows, own } = readersOf[kind]
  const fields: Record<string, unknown> = {}
  for (const { name, read } of rows) fields[name] = read(item, product)
  const ours: Record<string, unknown> = {}
  for (const { name, read } of own) {
    const value = read(item, product)
    if (value !== undefined) ours[name] = value
  }
  return {
    kind,
    configId: configId(idOfItem(kind, item)),
    home: kind === 'price' && isLocalPrice(item as Price) ? 'local' : 'processor',
    fields,
    adopt: item.processor_id === undefined ? null : processorId(item.processor_id),
    ours,
  }
}
