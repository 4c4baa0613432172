import { didYouMean } from '../../base/errors/suggest.ts'
import type { ResourceKind } from '../../catalog/resource.ts'
import { aliasesOf, type Alias } from '../../document/rules/previous-ids.ts'
import type { BillingConfig, Meter, Price, Product } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Visibility } from '../../api/push/price-list.ts'

export interface ConfigIndex {
  readonly prices: ReadonlyMap<string, { readonly price: Price; readonly product: Product }>
  readonly products: ReadonlyMap<string, Product>
  readonly meters: ReadonlyMap<string, Meter>
}

/** Two indexes of the applied configuration: one for the full document and one for its public view. */
export interface Indexes {
  readonly fullIndex: ConfigIndex
  readonly publicIndex: ConfigIndex
}

/** Indexes products, prices and meters by id and by their former ids in `aliases`, so that an old link still finds the item. */
export function indexConfig(config: BillingConfig, aliases: readonly Alias[] = aliasesOf(config)): ConfigIndex {
  const index = {
    price: new Map(
      config.products.flatMap((product) => (product.prices ?? []).map((price) => [price.id, { price, product }])),
    ),
    product: new Map(config.products.map((product) => [product.id, product])),
    meter: new Map((config.meters ?? []).map((meter) => [meter.id, meter])),
  }
  for (const { kind, from, to } of aliases) {
    if (kind === 'price') addAlias(index.price, from, to)
    else if (kind === 'product') addAlias(index.product, from, to)
    else if (kind === 'meter') addAlias(index.meter, from, to)
  }
  return { prices: index.price, products: index.product, meters: index.meter }
}

function addAlias<Item>(items: Map<string, Item>, from: string, to: string): void {
  const item = items.get(to)
  if (item !== undefined && !items.has(from)) items.set(from, item)
}

/** True if the indexed document contains the resource. Kinds that are never public (e.g. coupons) are in no index. */
export function isInDocument(index: ConfigIndex, kind: ResourceKind, id: string): boolean {
  if (kind === 'price') return index.prices.has(id)
  if (kind === 'product') return index.products.has(id)
  return kind === 'meter' && index.meters.has(id)
}

/** Finds a price. Throws `price_not_found` for hidden and absent prices alike, so that callers cannot find out which price ids exist. */
export function findPrice(current: Indexes, id: string, { hidden }: Visibility) {
  const found = (hidden ? current.fullIndex : current.publicIndex).prices.get(id)
  if (found !== undefined) return found
  // Only a caller who sees all prices gets a hint: for the public, searching it would cost more than the answer.
  const hint = hidden ? didYouMean(id, current.fullIndex.prices.keys()) : undefined
  throw new ServiceError('price_not_found', `There is no price "${id}".`, { hint })
}

export function findProduct(current: Indexes, id: string, { hidden }: Visibility): Product {
  const found = (hidden ? current.fullIndex : current.publicIndex).products.get(id)
  if (found === undefined) throw new ServiceError('product_not_found', `There is no product "${id}".`)
  return found
}

export function findMeter(current: Indexes, id: string, { hidden }: Visibility): Meter {
  const found = (hidden ? current.fullIndex : current.publicIndex).meters.get(id)
  if (found === undefined) throw new ServiceError('meter_not_found', `There is no meter "${id}".`)
  return found
}
