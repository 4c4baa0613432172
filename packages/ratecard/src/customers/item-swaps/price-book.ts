// Finds the configuration price for a processor price (current or former), and the base price for a negotiated price. Pure, apart from the
// function that reads a price book from the store. Decides nothing about price changes.
import { ownersOf } from '../../catalog/owners.ts'
import { resourceKey, type MappingEntry, type ProcessorId, type ResourceKind } from '../../catalog/resource.ts'
import { basesOf } from '../../document/schema/prices/base-price.ts'
import { isEnterprise, isLocalPrice } from '../../document/schema/ids.ts'
import { configWithAmounts } from '../../document/schema/prices/percent-off.ts'
import { aliasesOf } from '../../document/rules/previous-ids.ts'
import type { BillingConfig, Price, Product } from '../../document/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** Members of a product that decide which products exclude each other. */
export interface BookedProduct {
  readonly id: string
  /** Subscription group of the product; null if it has none. */
  readonly group: string | null
}

export interface BookedPrice {
  readonly price: Price
  readonly productId: string
  /** The product as which the price counts beside others: for a negotiated price the product of its base price, else its own. */
  readonly product: BookedProduct
  /** Base price that a negotiated price replaces. Undefined for an ordinary price, or if no base price matches. */
  readonly base: string | undefined
  readonly enterprise: boolean
  /** Current processor price; null for a free price, which does not exist at the processor. */
  readonly processorId: ProcessorId | null
  readonly meter: ProcessorId | null
}

/** Selects the negotiated prices of one template or of one enterprise id. */
export type PriceTarget =
  { readonly kind: 'template'; readonly template: string } | { readonly kind: 'custom'; readonly enterpriseId: string }

export interface PriceBook {
  /** Returns the configuration id of a processor price, even if the price was replaced or removed. */
  idOf(processorId: ProcessorId): string | undefined
  /** Returns the configuration id of a processor product, even if the product was removed. */
  productIdOf(processorId: ProcessorId): string | undefined
  /** Returns the configuration id of a processor meter, even if the meter was removed. */
  meterIdOf(processorId: ProcessorId): string | undefined
  product(id: string): BookedProduct | undefined
  /** Returns the price with this id, or with this former id according to `previous_ids`. Returns undefined if there is none. */
  find(id: string): BookedPrice | undefined
  /**
   * Returns a price that was removed from the configuration, by its id in the earlier document `document`. Returns undefined if that
   * document does not contain it.
   */
  removed(id: string, document: BillingConfig): BookedPrice | undefined
  /** All prices in document order. */
  readonly prices: readonly BookedPrice[]
  /**
   * Returns all processor prices that the configuration price has or had, oldest first. Each is returned with the revision that created it.
   */
  history(id: string): readonly MappingEntry[]
  /** Returns the negotiated prices of a template or of one enterprise id, in document order. */
  of(target: PriceTarget): readonly BookedPrice[]
}

/**
 * Creates the price book. `config` is null before the first push and after a reset. Then the price book can only look up ids of processor
 * objects, in the mapping history.
 */
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
  const bookedOf = (document: BillingConfig): readonly BookedPrice[] => {
    const { products } = configWithAmounts(document)
    const bases = basesOf(products)
    const productOf = new Map(products.flatMap((product) => (product.prices ?? []).map(({ id }) => [id, product])))
    return products.flatMap((product) =>
      (product.prices ?? []).map((price): BookedPrice => {
        const base = bases.idOf(price)
        return {
          price,
          productId: product.id,
          product: bookedProduct(productOf.get(base ?? '') ?? product),
          base,
          enterprise: isEnterprise(price),
          processorId: isLocalPrice(price) ? null : currentOf('price', price.id),
          meter: price.meter === undefined ? null : currentOf('meter', price.meter),
        }
      }),
    )
  }
  const prices = config === null ? [] : bookedOf(config)
  const products = new Map(config?.products.map((product) => [product.id, bookedProduct(product)]))
  const byId = new Map(prices.map((booked) => [booked.price.id, booked]))
  for (const { kind, from, to } of config === null ? [] : aliasesOf(config)) {
    const renamed = kind === 'price' ? byId.get(to) : undefined
    if (renamed !== undefined) byId.set(from, renamed)
  }
  const priceOwners = ownersOf('price', mappings)
  const productOwners = ownersOf('product', mappings)
  const meterOwners = ownersOf('meter', mappings)
  return {
    idOf: (processorId) => priceOwners.get(processorId),
    productIdOf: (processorId) => productOwners.get(processorId),
    meterIdOf: (processorId) => meterOwners.get(processorId),
    product: (id) => products.get(id),
    find: (id) => byId.get(id),
    removed: (id, document) => bookedOf(document).find(({ price }) => price.id === id),
    prices,
    history: (id) => histories.get(resourceKey('price', id)) ?? [],
    of: (target) => prices.filter(({ price }) => belongs(price, target)),
  }
}

/** Returns a function that is true for former processor prices of the configuration, which are archived. */
export function archivedIn(book: PriceBook): (price: ProcessorId) => boolean {
  return (price) => {
    const id = book.idOf(price)
    return id !== undefined && book.find(id)?.processorId !== price
  }
}

/** Name of what a tenant has at most one of: the product's group, or the product itself. */
export const scopeOf = ({ id, group }: BookedProduct) => (group === null ? `product ${id}` : `group ${group}`)

export function bookedProduct({ id, subscription_group: group }: Product): BookedProduct {
  return { id, group: group ?? null }
}

export function belongs(price: Price, target: PriceTarget): boolean {
  return target.kind === 'template'
    ? price.enterprise_template === target.template
    : price.enterprise_id === target.enterpriseId
}

type Source = Pick<Store, 'versions' | 'mappings' | 'changeSequence'>

/**
 * Returns a function that reads the price book of the applied configuration. The price book is cached until the next push. A caller that
 * has just read the store's change sequence can pass it, to save reading it again.
 */
export function createPriceBooks(store: Source): (sequence?: number) => Promise<PriceBook> {
  let held: { readonly sequence: number; readonly book: PriceBook } | null = null
  return async (known) => {
    if (held !== null && held.sequence === known) return held.book
    for (;;) {
      const sequence = await store.changeSequence()
      if (held?.sequence === sequence) return held.book
      const [version, mappings] = await Promise.all([store.versions.current(), store.mappings.all()])
      // The two reads are not one transaction. A push that ends between them would make them belong to different revisions. So both are
      // repeated in that case.
      if ((await store.changeSequence()) !== sequence) continue
      const document = version?.document ?? null
      held = { sequence, book: priceBook(document === null ? null : (JSON.parse(document) as BillingConfig), mappings) }
      return held.book
    }
  }
}
