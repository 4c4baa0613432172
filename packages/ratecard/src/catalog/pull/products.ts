// Products of a pulled document, with their prices and default prices.
import { isEnterprise, isLocalPrice } from '../../document/schema/ids.ts'
import { featureIdOf, type ProductFeature } from '../../document/schema/feature-schema.ts'
import type { BillingConfig, Price, Product } from '../../document/schema/schema.ts'
import { configId } from '../kinds.ts'
import { inPercent } from './percent.ts'
import type { ObservedResource } from '../resource.ts'
import { foreignItem, managedItem, others, type PullContext } from './items.ts'

export function productsOf(reading: PullContext): Product[] {
  const result: { product: Product; live: ObservedResource<'product'>; present: Product | undefined }[] = []
  const managed = new Set<string>()
  const add = (product: Product | undefined, live: ObservedResource<'product'> | null, present?: Product) => {
    if (product === undefined || live === null) return
    managed.add(live.processorId)
    result.push({ product, live, present })
  }
  for (const present of reading.current?.products ?? []) {
    const { prices: _prices, ...bare } = present
    const kept = managedItem(reading, 'product', present.id, bare)
    if (kept !== undefined) add(kept.item, reading.own.find('product', kept.processorId), present)
  }
  for (const live of others(reading, 'product', managed)) add(foreignItem(reading, 'product', live), live)

  reserveManagedPrices(reading)
  const prices = foreignPricesByProduct(reading)
  noteOrphanPrices(reading, new Set(result.map(({ live }) => live.processorId)), prices)
  const products = result.map(({ product, live, present }) =>
    withPrices(
      reading,
      withLimits(reading.current, product, present),
      live,
      present,
      prices.get(live.processorId) ?? [],
    ),
  )
  return inPercent(reading, products)
}

/**
 * Restores the limits of the features, which the processor does not store. If a feature of type `limit` or `metered` was attached at the
 * processor, its limit becomes `unlimited`, because the customers got it without a limit.
 */
function withLimits(current: BillingConfig | null, product: Product, present: Product | undefined): Product {
  if (product.features === undefined) return product
  const known = new Map((present?.features ?? []).map((entry) => [featureIdOf(entry), entry]))
  const types = new Map((current?.features ?? []).map(({ id, type = 'switch' }) => [id, type]))
  const features = product.features.map((entry): ProductFeature => {
    const id = featureIdOf(entry)
    return known.get(id) ?? ((types.get(id) ?? 'switch') === 'switch' ? entry : { id, limit: 'unlimited' })
  })
  return { ...product, features }
}

/** Reserves the price ids of the current document, so that a generated id never collides with one of them. */
function reserveManagedPrices(reading: PullContext): void {
  for (const product of reading.current?.products ?? [])
    for (const price of product.prices ?? []) reading.taken.price.add(price.id)
}

function foreignPricesByProduct(reading: PullContext): Map<string, ObservedResource<'price'>[]> {
  const managed = new Set<string>()
  for (const id of reading.taken.price) {
    const mapped = reading.own.currentOf('price', configId(id))
    if (mapped !== null) managed.add(mapped)
  }
  const groups = new Map<string, ObservedResource<'price'>[]>()
  for (const live of [...others(reading, 'price', managed)].reverse()) {
    const group = groups.get(live.fields.product) ?? []
    group.push(live)
    groups.set(live.fields.product, group)
  }
  return groups
}

function noteOrphanPrices(
  reading: PullContext,
  shown: ReadonlySet<string>,
  prices: ReadonlyMap<string, readonly ObservedResource<'price'>[]>,
): void {
  for (const [product, group] of prices)
    if (!shown.has(product))
      for (const live of group)
        reading.left.push({
          kind: 'price',
          processorId: live.processorId,
          field: null,
          reason: `its product ${product} is archived or cannot be expressed`,
        })
}

function withPrices(
  reading: PullContext,
  product: Product,
  live: ObservedResource<'product'>,
  present: Product | undefined,
  foreign: readonly ObservedResource<'price'>[],
): Product {
  const prices: { price: Price; processorId: string | null }[] = []
  for (const item of present?.prices ?? []) {
    if (isLocalPrice(item)) {
      prices.push({ price: item, processorId: null })
      continue
    }
    const kept = managedItem(reading, 'price', item.id, item)
    if (kept !== undefined) prices.push({ price: kept.item, processorId: kept.processorId })
  }
  for (const price of foreign) {
    const item = foreignItem(reading, 'price', price, live.fields.name)
    if (item !== undefined) prices.push({ price: hidden(item), processorId: price.processorId })
  }
  if (prices.length === 0 && present?.prices === undefined) return product
  return { ...product, prices: prices.map(({ price, processorId }) => withDefault(price, processorId, live)) }
}

/** Sets `public: false` on a foreign price, because it is unknown whether the price may be shown publicly. */
function hidden({ processor_id: adopted, ...price }: Price): Price {
  return { ...price, public: false, ...(adopted === undefined ? {} : { processor_id: adopted }) }
}

function withDefault(price: Price, processorId: string | null, product: ObservedResource<'product'>): Price {
  if (processorId === null) return price
  const isDefault = product.fields.defaultPrice === processorId
  if (isDefault) {
    return price.default === true || isEnterprise(price) ? price : { ...price, default: true }
  }
  if (price.default !== true) return price
  const { default: _default, ...rest } = price
  return rest
}
