// Finds the product and the subscription group of subscription items. For a product that was removed from the configuration, they are read
// from the last revision that contained it. Decides nothing.
import type { PastRename } from '../../catalog/renames.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { LiveItem, LiveSubscription } from '../../processor/customer-half.ts'
import type { Store } from '../../store/store.ts'
import { bookedProduct, type BookedPrice, type BookedProduct, type PriceBook } from './price-book.ts'

/**
 * Product, price and meter of something that a tenant has or buys (a subscription item, a price or a free subscription). They decide which
 * items exclude each other.
 */
export interface SoldItem {
  /** Configuration id of the price, or of the base price for a negotiated price. null if only the product is in the configuration. */
  readonly priceId: string | null
  /** Name of the price in messages: its configuration id or, if it has none, its processor id. */
  readonly name: string
  readonly product: BookedProduct
  /** Meter of a metered price; null for a licensed price. */
  readonly meter: string | null
}

/** Returns what a subscription item sold: its product and price. null if the product does not belong to the configuration. */
export type SoldItemOf = (item: Pick<LiveItem, 'price'>) => SoldItem | null

type Source = Pick<Store, 'versions' | 'mappings'>

/**
 * Returns a function that maps a subscription item to its `SoldItem`. Reads the store only if the product of an item in `subscriptions` was
 * removed from the configuration.
 */
export async function readSoldItems(
  source: Source,
  book: PriceBook,
  subscriptions: readonly Pick<LiveSubscription, 'items'>[],
): Promise<SoldItemOf> {
  const gone = new Set<string>()
  for (const { price } of subscriptions.flatMap(({ items }) => items)) {
    if (bookedOf(price, book) !== undefined) continue
    const product = productIdOf(price, book)
    if (product !== undefined && book.product(product) === undefined) gone.add(product)
  }
  const removed = gone.size === 0 ? new Map<string, BookedProduct>() : await removedProducts(source, gone)
  return ({ price }) => {
    const booked = bookedOf(price, book)
    if (booked !== undefined) return soldPrice(booked)
    const id = productIdOf(price, book)
    if (id === undefined) return null
    return {
      priceId: null,
      name: book.idOf(price.id) ?? price.id,
      product: book.product(id) ?? removed.get(id) ?? { id, group: null },
      meter: price.meter === null ? null : (book.meterIdOf(price.meter) ?? price.meter),
    }
  }
}

/** Returns the sold item for a price of the current configuration. */
export function soldPrice({ price, base, product }: BookedPrice): SoldItem {
  return { priceId: base ?? price.id, name: price.id, product, meter: price.meter ?? null }
}

function bookedOf({ id }: LiveItem['price'], book: PriceBook): BookedPrice | undefined {
  const priceId = book.idOf(id)
  return priceId === undefined ? undefined : book.find(priceId)
}

const productIdOf = ({ product }: LiveItem['price'], book: PriceBook) =>
  product === null ? undefined : book.productIdOf(product)

/** Returns removed products by configuration id, each as in the last revision that contained it. */
async function removedProducts(
  { versions, mappings }: Source,
  gone: ReadonlySet<string>,
): Promise<ReadonlyMap<string, BookedProduct>> {
  const latest = (await versions.latest())?.revision ?? 0
  const renames = (await mappings.renames()).filter(({ kind }) => kind === 'product')
  const removed = new Map<string, BookedProduct>()
  for (const id of gone) {
    const names = namesOf(id, renames)
    const found = await lastWith(names, { from: await firstRevision(mappings, id), to: latest }, versions)
    if (found !== undefined) removed.set(id, { ...found, id })
  }
  return removed
}

async function firstRevision(mappings: Source['mappings'], id: string): Promise<number> {
  return (await mappings.byConfigId('product', id)).at(-1)?.revision ?? 1
}

/** Returns the id and all its former ids. */
function namesOf(id: string, renames: readonly PastRename[]): ReadonlySet<string> {
  const names = new Set([id])
  for (const { from, to } of renames.toReversed()) if (names.has(to)) names.add(from)
  return names
}

/**
 * Returns the last revision that contains the product. Searches by bisection, so that 1,000 revisions need ten reads. This works because
 * the first revision of the range contains the product and the last one does not.
 */
async function lastWith(
  names: ReadonlySet<string>,
  { from, to }: { readonly from: number; readonly to: number },
  versions: Source['versions'],
): Promise<BookedProduct | undefined> {
  let [low, high] = [from, to]
  let found: BookedProduct | undefined
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const document = (await versions.find(middle))?.document ?? null
    const products = document === null ? [] : (JSON.parse(document) as BillingConfig).products
    const product = products.find(({ id }) => names.has(id))
    if (product === undefined) high = middle - 1
    else {
      found = bookedProduct(product)
      low = middle + 1
    }
  }
  return found
}
