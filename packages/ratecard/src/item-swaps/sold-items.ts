// Which product and group the items of subscriptions belong to, also where the configuration has removed the product since: then the
// group is read from the last revision that had it. Decides nothing.
import type { PastRename } from '../catalog/renames.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { LiveItem, LiveSubscription } from '../processor/customer-half.ts'
import type { Store } from '../store/store.ts'
import { bookedProduct } from './price-book.ts'
import type { BookedPrice, BookedProduct, PriceBook } from './price-book.ts'

/** An item, a price or a free subscription, as far as it decides what excludes what. */
export interface SoldItem {
  /** Config id of the ordinary price; a negotiated price counts as its base. null where only the product is ours. */
  readonly priceId: string | null
  /** The price in messages: its config id, else the processor's id. */
  readonly name: string
  readonly product: BookedProduct
  /** Of a metered price, its meter; null for a licensed price. */
  readonly meter: string | null
}

/** Returns null for an item of a product that is not ours. */
export type SoldItemOf = (item: Pick<LiveItem, 'price'>) => SoldItem | null

type Source = Pick<Store, 'versions' | 'mappings'>

/** Reads the store only when an item is of a product that the configuration has no more. */
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

/** A price of the present configuration. */
export function soldPrice({ price, base, product }: BookedPrice): SoldItem {
  return { priceId: base ?? price.id, name: price.id, product, meter: price.meter ?? null }
}

function bookedOf({ id }: LiveItem['price'], book: PriceBook): BookedPrice | undefined {
  const priceId = book.idOf(id)
  return priceId === undefined ? undefined : book.find(priceId)
}

const productIdOf = ({ product }: LiveItem['price'], book: PriceBook) =>
  product === null ? undefined : book.productIdOf(product)

/** By config id, as the last revision that had the product has it. */
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

/** The id and every id that it had before. */
function namesOf(id: string, renames: readonly PastRename[]): ReadonlySet<string> {
  const names = new Set([id])
  for (const { from, to } of renames.toReversed()) if (names.has(to)) names.add(from)
  return names
}

/** Halves the range, since the product is in the first revision and not in the last: ten reads for a thousand revisions. */
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
