// The list of tenants. The store searches, filters and sorts it by values from the mirror (the local copy of the processor's data).
import type { PriceBook } from '../../item-swaps/price-book.ts'
import { parseDecimal } from '../../../base/money/decimal.ts'
import { fractionOfDecimal } from '../../../base/money/fraction.ts'
import { plannedEnd } from '../../../processor/customer-half.ts'
import { nameItemsBy } from '../sums/money.ts'
import { mainAmount } from './amounts.ts'
import { requireSums, type MirrorReadDeps } from './deps.ts'
import { generationsOf } from './subscribers.ts'
import type { ListedTenant, TenantQuery } from '../../../api/customers/tenants.ts'
import type { PerhapsMirrored } from '../../../api/notation/mirrored.ts'
import type { ListedPrice, ListedTenant as StoredTenant } from '../../../store/records/tenants.ts'

/**
 * Returns a page of tenants. If a filter or the order needs the mirror and the mirror is not complete, throws `mirror_off` or
 * `mirror_filling`. Otherwise, without a complete mirror, the tenants lack the members that come from it.
 */
export async function readTenants(
  deps: MirrorReadDeps,
  query: TenantQuery,
): Promise<PerhapsMirrored & { readonly items: readonly ListedTenant[]; readonly total: number }> {
  const { store, mirror } = deps
  const { asOf, stale } = needsMirror(query) ? await mirror.require() : await mirror.status()
  const { priceId: _price, productId: _product, legacy: _legacy, ...rest } = query
  if (asOf === null) {
    const { items, total } = await store.tenants.list(rest)
    return { items: items.map(withoutBilling), total }
  }
  await requireSums(deps)
  const book = await deps.priceBook()
  const { items, total } = await store.tenants.list({ ...rest, onPrices: await onPrices(deps, book, query) })
  return { asOf, ...(stale ? { stale } : {}), items: items.map((tenant) => listedTenant(tenant, book)), total }
}

const needsMirror = ({ state, priceId, productId, legacy, owing, sort }: TenantQuery) =>
  [state, priceId, productId].some((filter) => filter !== undefined) ||
  legacy === true ||
  owing === true ||
  sort === 'monthly' ||
  sort === 'owed'

/** Returns the filter by prices as lists of processor prices. A tenant matches if it has at least one price of every list. */
async function onPrices(
  { store }: MirrorReadDeps,
  book: PriceBook,
  { priceId, productId, legacy }: TenantQuery,
): Promise<readonly (readonly string[])[]> {
  const lists: (readonly string[])[] = []
  if (priceId !== undefined) {
    const id = book.find(priceId)?.price.id ?? priceId
    lists.push([...generationsOf(book, id), id])
  }
  if (productId === undefined && legacy !== true) return lists
  const [paid, free] = await Promise.all([store.mirror.pricesInUse(), store.localSubscriptions.pricesInUse()])
  const products = await store.revenue.prices(paid)
  const inUse: readonly Used[] = [
    ...paid.map((price) => ({ price, product: products.get(price)?.product ?? null })),
    ...free.map((price) => ({ price, product: null })),
  ]
  const name = namesOf(book)
  if (productId !== undefined)
    lists.push(inUse.filter((one) => name(one).productId === productId).map(({ price }) => price))
  if (legacy === true) lists.push(inUse.filter((one) => name(one).legacy).map(({ price }) => price))
  return lists
}

type Used = Pick<ListedPrice, 'price' | 'product'>

function listedTenant(
  { prices, monthly, owed, billingStatus, subscriptions, freeSubscriptions, ...tenant }: StoredTenant,
  book: PriceBook,
): ListedTenant {
  const name = namesOf(book)
  const products = prices.flatMap((one) => name(one).productId ?? [])
  const ends = subscriptions.flatMap((subscription) => plannedEnd(subscription) ?? [])
  return {
    ...tenant,
    subscriptions: subscriptions.length + freeSubscriptions,
    pausedSubscriptions: subscriptions.filter(({ paused }) => paused !== null).length,
    endingSubscriptions: ends.length,
    endsAt: ends.length === 0 ? null : Math.min(...ends),
    billingStatus,
    products: [...new Set(products)].sort(),
    monthly: amountsOf(monthly),
    owed: amountsOf(owed),
    legacyItems: prices.filter((one) => name(one).legacy).reduce((sum, { items }) => sum + items, 0),
  }
}

/**
 * Returns a function that finds the product of a price. The price is given by its processor id or, if it is free, by its configuration id.
 */
function namesOf(book: PriceBook): (used: Used) => { readonly productId: string | null; readonly legacy: boolean } {
  const nameItem = nameItemsBy(book)
  return ({ price, product }) => {
    const free = product === null ? book.find(price) : undefined
    // A free subscription counts as legacy if its price now costs something.
    if (free !== undefined) return { productId: free.productId, legacy: free.processorId !== null }
    return nameItem({ price: price as Parameters<typeof nameItem>[0]['price'], product })
  }
}

/** Formats amounts, sorted by currency code; zero amounts are left out. */
function amountsOf(amounts: Readonly<Record<string, string | number>>) {
  return Object.entries(amounts)
    .map(
      ([currency, amount]) =>
        [currency, typeof amount === 'number' ? amount : fractionOfDecimal(parseDecimal(amount))] as const,
    )
    .map(([currency, amount]) => ({ currency, ...mainAmount('amount', amount, currency) }))
    .filter(({ amount }) => amount !== '0')
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

function withoutBilling({
  prices: _prices,
  monthly: _monthly,
  owed: _owed,
  billingStatus: _status,
  subscriptions: _subscriptions,
  freeSubscriptions: _free,
  ...tenant
}: StoredTenant): ListedTenant {
  return tenant
}
