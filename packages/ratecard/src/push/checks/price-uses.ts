// Finds the subscription items on processor prices. They are read from the mirror (the local copy of subscriptions) if it is complete,
// otherwise at the processor.
import type { ProcessorId } from '../../catalog/resource.ts'
import { runSteps } from '../../acts/journal/run-steps.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import { tariffOf } from '../../customers/mirror/sums/tariff.ts'
import type { BilledPrice } from '../../document/pricing/impact.ts'
import type { LivePrice, LiveSubscription } from '../../processor/customer-half.ts'
import { readForPush } from '../../processor/failures.ts'
import type { MirroredPrice } from '../../processor/mirrored.ts'
import type { SyncDeps } from '../deps.ts'
import type { DiscountedSubscription, PriceUse } from '../../store/records/mirror.ts'

export type UseDeps = Pick<SyncDeps, 'processor' | 'store' | 'mirror'>

/** One subscription item on a price. */
export type Use = Pick<PriceUse, 'item' | 'price' | 'subscription' | 'customer' | 'tenantId' | 'currency' | 'quantity'>

/** Billing terms of a price, as far as the items on the price show them. */
export interface UsedPrice {
  readonly usageType: 'licensed' | 'metered'
  readonly currency: string
  /** Amount per unit in the price's default currency; null for a price with tiers. */
  readonly unitAmount: string | null
  /** Returns the amounts that the price bills in a currency; null if the price is not sold in that currency or the amounts are unknown. */
  billedIn(currency: string): BilledPrice | null
}

export interface PriceUses {
  readonly uses: ReadonlyMap<ProcessorId, readonly Use[]>
  /** The prices that have subscribers. */
  readonly prices: ReadonlyMap<ProcessorId, UsedPrice>
  /** Age of the mirror; null if the items were read at the processor. */
  readonly age: { readonly asOf: number; readonly stale: boolean } | null
  /** Subscriptions with discounts that last, and the prices of all their items. Empty without a mirror, which alone knows them. */
  readonly discounted: Discounted
}

interface Discounted {
  readonly subscriptions: readonly DiscountedSubscription[]
  readonly prices: ReadonlyMap<ProcessorId, UsedPrice>
}

const noDiscounts: Discounted = { subscriptions: [], prices: new Map() }

/** Returns the items on these prices, without items of ended subscriptions. If `prices` is empty, reads no items. */
export async function readUses(deps: UseDeps, prices: readonly ProcessorId[], signal: AbortSignal): Promise<PriceUses> {
  const age = await ageOf(deps.mirror)
  if (prices.length === 0) return { uses: new Map(), prices: new Map(), age, discounted: noDiscounts }
  return age === null ? readLive(deps, prices, signal) : readMirrored(deps, prices, age)
}

async function ageOf(mirror: Mirror): Promise<PriceUses['age']> {
  const { asOf, stale } = await mirror.status()
  return asOf === null ? null : { asOf, stale }
}

async function readMirrored(
  { store }: UseDeps,
  prices: readonly ProcessorId[],
  age: PriceUses['age'],
): Promise<PriceUses> {
  const uses = grouped(await store.mirror.usesOf(prices), ({ price }) => price)
  const known = await store.revenue.prices([...uses.keys()])
  const subscriptions = await store.mirror.discountedOn([...uses.keys()])
  const beside = subscriptions.flatMap(({ subscription }) => subscription.items.map(({ price }) => price.id))
  const billed = (all: ReadonlyMap<ProcessorId, MirroredPrice>) =>
    new Map([...all].map(([id, price]) => [id, mirroredPrice(price)]))
  return {
    ...{ uses, prices: billed(known), age },
    discounted: { subscriptions, prices: billed(await store.revenue.prices([...new Set(beside)])) },
  }
}

function mirroredPrice(price: MirroredPrice): UsedPrice {
  const { usageType, currency, interval, intervalCount, amounts } = price
  return {
    usageType,
    currency,
    unitAmount: amounts[currency]?.unitAmount ?? null,
    billedIn: (wanted) => {
      const tariff = tariffOf(price, null, wanted)
      return tariff === null ? null : { ...tariff, currency: wanted, interval, intervalCount }
    },
  }
}

async function readLive(deps: UseDeps, prices: readonly ProcessorId[], signal: AbortSignal): Promise<PriceUses> {
  const found = await subscriptionsOn(deps, prices, signal)
  const customers = new Set([...found.values()].flat().map(({ customer }) => customer))
  const tenants = await deps.store.tenants.idsByCustomer(customers)
  const uses = new Map<ProcessorId, readonly Use[]>()
  const used = new Map<ProcessorId, UsedPrice>()
  for (const [price, subscriptions] of found) {
    const items = subscriptions.flatMap((subscription) =>
      subscription.items.filter((item) => item.price.id === price).map((item) => ({ subscription, item })),
    )
    uses.set(
      price,
      items.map(({ subscription: { id, customer, currency }, item: { id: item, quantity } }) => ({
        ...{ item, price, customer, currency, quantity },
        subscription: id,
        tenantId: tenants.get(customer) ?? null,
      })),
    )
    const [first] = items
    if (first !== undefined) used.set(price, livePrice(first.item.price))
  }
  return { uses, prices: used, age: null, discounted: noDiscounts }
}

/**
 * Converts the price of a live item. The item has no tiers and only the price's default currency, so amounts in other currencies are
 * unknown.
 */
function livePrice(price: LivePrice): UsedPrice {
  const { usageType, currency, interval, intervalCount, unitAmount } = price
  return {
    ...{ usageType, currency, unitAmount },
    billedIn: (wanted) => {
      const tariff = tariffOf(undefined, price, wanted)
      return tariff === null ? null : { ...tariff, currency: wanted, interval, intervalCount }
    },
  }
}

/**
 * Maximum number of prices (50) for which only the first page of all subscriptions is read, before each price is queried separately. For
 * more prices, reading further pages may take fewer requests than querying each price.
 */
const fewPrices = 50
/** Concurrency of processor reads within one plan. */
export const readConcurrency = 8

/**
 * Returns the live subscriptions of each price. First tries to read all subscriptions of the account. It reads at most one page, or one
 * page per price if there are more than `fewPrices` prices. If the account has more subscriptions, it reads those of each price separately.
 */
async function subscriptionsOn(
  { processor }: UseDeps,
  prices: readonly ProcessorId[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ProcessorId, readonly LiveSubscription[]>> {
  const pages = prices.length <= fewPrices ? 1 : prices.length
  const all = await readForPush(() => processor.someSubscriptions(pages, signal))
  if (all.complete) return groupByPrice(all.subscriptions, new Set(prices))
  const found = new Map<ProcessorId, readonly LiveSubscription[]>()
  await runSteps(prices, readConcurrency, async (id) => {
    found.set(id, await readForPush(() => processor.subscriptionsOfPrice(id, signal)))
  })
  return found
}

function groupByPrice(
  subscriptions: readonly LiveSubscription[],
  prices: ReadonlySet<ProcessorId>,
): ReadonlyMap<ProcessorId, readonly LiveSubscription[]> {
  const pairs = subscriptions.flatMap((subscription) =>
    [...new Set(subscription.items.map((item) => item.price.id))].map((price) => ({ price, subscription })),
  )
  const found = grouped(
    pairs.filter(({ price }) => prices.has(price)),
    ({ price }) => price,
  )
  return new Map([...found].map(([price, list]) => [price, list.map(({ subscription }) => subscription)]))
}

function grouped<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
