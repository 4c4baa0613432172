// Which processor price is which configuration price, now and before, and which price stands in for which. Pure but for the
// reading of it. Decides no swap.
import { resourceKey } from '../catalog/resource.ts'
import type { MappingEntry, ProcessorId, ResourceKind } from '../catalog/resource.ts'
import { basePriceId } from '../config/schema/base-price.ts'
import { isEnterprise, isLocalPrice } from '../config/schema/ids.ts'
import { aliasesOf } from '../config/schema/previous-ids.ts'
import type { BillingConfig, Price, Product } from '../config/schema/schema.ts'
import type { Store } from '../store/store.ts'

/** A product, as far as it decides what excludes what. */
export interface BookedProduct {
  readonly id: string
  /** Its `subscription_group`. */
  readonly group: string | null
}

export interface BookedPrice {
  readonly price: Price
  readonly product: BookedProduct
  /** Of an enterprise price: the ordinary price it stands in for. Undefined for an ordinary price, and where none fits. */
  readonly base: string | undefined
  readonly enterprise: boolean
  /** null for a free price that lives here alone. */
  readonly processorId: ProcessorId | null
  /** What the meter of a metered price is at the processor now. */
  readonly meter: ProcessorId | null
}

/** Which negotiated prices are wanted. */
export type PriceTarget =
  { readonly kind: 'template'; readonly template: string } | { readonly kind: 'custom'; readonly enterpriseId: string }

export interface PriceBook {
  /** The configuration price that a processor price stands for, or stood for before it was replaced or removed. */
  idOf(processorId: ProcessorId): string | undefined
  /** Config id of the product that a processor product stands for, or stood for before it was removed. */
  productIdOf(processorId: ProcessorId): string | undefined
  /** The same of a meter. */
  meterIdOf(processorId: ProcessorId): string | undefined
  /** By its id. Undefined when the configuration has no such product. */
  product(id: string): BookedProduct | undefined
  /** By its id, or by an earlier one that the configuration names. Undefined when it has no such price. */
  find(id: string): BookedPrice | undefined
  /** A price that the configuration has no more, as an earlier document has it under this id. Undefined when it has none. */
  removed(id: string, document: BillingConfig): BookedPrice | undefined
  /** In document order. */
  readonly prices: readonly BookedPrice[]
  /** Every processor price that this one was, oldest first, the current one included; with the revision that made it. */
  history(id: string): readonly MappingEntry[]
  /** The prices of a template or of one deal, in document order. */
  of(target: PriceTarget): readonly BookedPrice[]
}

/** `config` is null before the first push and after a reset: then prices are known by their past alone. */
export function priceBook(config: BillingConfig | null, mappings: readonly MappingEntry[]): PriceBook {
  const histories = new Map<string, MappingEntry[]>()
  for (const entry of mappings) {
    const key = resourceKey(entry.kind, entry.configId)
    const history = histories.get(key)
    if (history === undefined) histories.set(key, [entry])
    else history.push(entry)
  }
  const currentOf = (kind: ResourceKind, id: string) =>
    histories.get(resourceKey(kind, id))?.at(-1)?.processorId ?? null
  const booked = (price: Price, product: Product): BookedPrice => ({
    price,
    product: bookedProduct(product),
    base: basePriceId(price, product.prices ?? []),
    enterprise: isEnterprise(price),
    processorId: isLocalPrice(price) ? null : currentOf('price', price.id),
    meter: price.meter === undefined ? null : currentOf('meter', price.meter),
  })
  const prices = (config?.products ?? []).flatMap((product) =>
    (product.prices ?? []).map((price) => booked(price, product)),
  )
  const products = new Map(config?.products.map((product) => [product.id, bookedProduct(product)]))
  const byId = new Map(prices.map((booked) => [booked.price.id, booked]))
  for (const { kind, from, to } of config === null ? [] : aliasesOf(config)) {
    const renamed = kind === 'price' ? byId.get(to) : undefined
    if (renamed !== undefined) byId.set(from, renamed)
  }
  const priceOwners = ownersOf('price', mappings, currentOf)
  const productOwners = ownersOf('product', mappings, currentOf)
  const meterOwners = ownersOf('meter', mappings, currentOf)
  return {
    idOf: (processorId) => priceOwners.get(processorId),
    productIdOf: (processorId) => productOwners.get(processorId),
    meterIdOf: (processorId) => meterOwners.get(processorId),
    product: (id) => products.get(id),
    find: (id) => byId.get(id),
    removed: (id, document) => {
      for (const product of document.products) {
        const price = product.prices?.find((one) => one.id === id)
        if (price !== undefined) return booked(price, product)
      }
      return undefined
    },
    prices,
    history: (id) => histories.get(resourceKey('price', id)) ?? [],
    of: (target) => prices.filter(({ price }) => belongs(price, target)),
  }
}

export function bookedProduct({ id, subscription_group: group }: Product): BookedProduct {
  return { id, group: group ?? null }
}

export function belongs(price: Price, target: PriceTarget): boolean {
  return target.kind === 'template'
    ? price.enterprise_template === target.template
    : price.enterprise_id === target.enterpriseId
}

/** An object of the processor that stood for several items is the one it stands for now, else the latest. */
function ownersOf(
  of: 'price' | 'product' | 'meter',
  mappings: readonly MappingEntry[],
  currentOf: (kind: ResourceKind, id: string) => ProcessorId | null,
): ReadonlyMap<ProcessorId, string> {
  const entries = mappings.filter(({ kind }) => kind === of).sort((a, b) => a.sequence - b.sequence)
  const owners = new Map<ProcessorId, string>()
  for (const { processorId, configId } of entries) owners.set(processorId, configId)
  for (const { processorId, configId } of entries)
    if (currentOf(of, configId) === processorId) owners.set(processorId, configId)
  return owners
}

type Source = Pick<Store, 'versions' | 'mappings' | 'changeSequence'>

/** Reads the book of what is applied now; it is made anew only after a push. */
export function createPriceBooks(store: Source): () => Promise<PriceBook> {
  let held: { readonly sequence: number; readonly book: PriceBook } | null = null
  return async () => {
    for (;;) {
      const sequence = await store.changeSequence()
      if (held?.sequence === sequence) return held.book
      const [version, mappings] = await Promise.all([store.versions.current(), store.mappings.all()])
      // The reads are not one transaction: a push that closed between them would mix two revisions.
      if ((await store.changeSequence()) !== sequence) continue
      const document = version?.document ?? null
      held = { sequence, book: priceBook(document === null ? null : (JSON.parse(document) as BillingConfig), mappings) }
      return held.book
    }
  }
}
