// Feature sources of a tenant: one for each item of a live subscription, and one for each free subscription.
import { featureIdOf, type ProductFeature } from '../../../document/schema/feature-schema.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'
import type { ItemTurn } from '../../../processor/mirrored.ts'
import { bookedProduct, type PriceBook } from '../../item-swaps/price-book.ts'
import { endPaid } from '../../tenants/free-subscriptions.ts'
import type { FeatureSource, SourceTurn } from './allowances.ts'
import type { SubscriberDeps } from '../deps.ts'
import type { FeatureHistory } from './feature-history.ts'
import type { TenantHoldings } from '../../../store/records/features.ts'

export interface FeatureSourceDeps extends SubscriberDeps {
  readonly featureHistory: FeatureHistory
  /** Time (ms) for which a tenant keeps its features after its oldest unpaid invoice was due. */
  readonly pastDueGraceMs: number
}

/** Returns the feature sources of a tenant, including those of free subscriptions. Sends no request to the processor. */
export async function featureSources(
  deps: FeatureSourceDeps,
  config: BillingConfig,
  { free, sequence }: Pick<TenantHoldings, 'free' | 'sequence'>,
  subscriptions: readonly LiveSubscription[],
): Promise<readonly FeatureSource[]> {
  const paid = await paidSources(deps, config, subscriptions, sequence)
  return [...paid, ...(await freeSources(deps, config, free, subscriptions))]
}

async function paidSources(
  deps: FeatureSourceDeps,
  config: BillingConfig,
  subscriptions: readonly LiveSubscription[],
  sequence: number,
): Promise<readonly FeatureSource[]> {
  const granting: LiveSubscription[] = []
  for (const one of subscriptions) if (await grantsFeatures(deps, one)) granting.push(one)
  if (granting.length === 0) return []
  const book = await deps.priceBook(sequence)
  const items = granting.flatMap((one) => itemsByProduct(one, book))
  // If a feature is attached to a product or detached from it during a period, this takes effect in the customer's next period, as at the
  // processor.
  const since = Math.max(...items.map(({ item }) => item.currentPeriodStart))
  return Promise.all(
    items.map(async ({ item, product }) => ({
      features: await featuresOfItem(deps, config, book, { price: item.price.id, product, since }),
      group: book.product(product)?.group ?? null,
      quantity: item.quantity ?? 1,
      period: { start: item.currentPeriodStart, end: item.currentPeriodEnd },
      ...(item.turns === undefined ? {} : { turns: await turnsOf(deps, config, book, item.turns) }),
    })),
  )
}

/** Returns what an item gave before changes within its period. */
function turnsOf(
  deps: FeatureSourceDeps,
  config: BillingConfig,
  book: PriceBook,
  turns: readonly ItemTurn[],
): Promise<readonly SourceTurn[]> {
  return Promise.all(
    turns.map(async ({ at, start, end, price, product: sold, quantity }) => {
      const product = sold === null ? undefined : book.productIdOf(sold)
      const known = price !== null && product !== undefined
      return {
        ...{ at, period: { start, end }, quantity: quantity ?? 1 },
        features: known ? await featuresOfItem(deps, config, book, { price, product, since: start }) : [],
      }
    }),
  )
}

/**
 * Returns the items that give features. A metered item gives the features of its product only if the subscription has no licensed item of
 * that product. Otherwise a product that is sold as a base price plus metered usage would give its limits twice.
 */
function itemsByProduct({ items }: LiveSubscription, book: PriceBook) {
  const known = items.flatMap((item: LiveItem & { readonly turns?: readonly ItemTurn[] }) => {
    const product = item.price.product === null ? undefined : book.productIdOf(item.price.product)
    return product === undefined ? [] : [{ item, product }]
  })
  const licensed = known.filter(({ item }) => item.quantity !== null)
  const covered = new Set(licensed.map(({ product }) => product))
  const metered = new Map(known.filter(({ product }) => !covered.has(product)).map((one) => [one.product, one]))
  return [...licensed, ...metered.values()]
}

/**
 * True if the subscription gives its features to the tenant. A past-due subscription still does for some days after its oldest unpaid
 * invoice was due.
 */
async function grantsFeatures(
  { store, clock, pastDueGraceMs }: FeatureSourceDeps,
  { id, customer, status }: LiveSubscription,
): Promise<boolean> {
  if (status === 'active' || status === 'trialing') return true
  if (status !== 'past_due') return false
  const unpaid = (await store.mirror.unpaidInvoicesOf(customer)).filter(({ subscription }) => subscription === id)
  const due = unpaid.map(({ dueAt, finalizedAt, createdAt }) => dueAt ?? finalizedAt ?? createdAt)
  return due.length === 0 || clock.now() <= Math.min(...due) + pastDueGraceMs
}

/**
 * Returns the features of an item's product. The limits are those in the newest document that contains the product: a raised limit takes
 * effect at once, and subscribers to a product that is no longer sold keep its features. If the product has `grandfather_features` and the
 * item is on a replaced price, features and limits are those from before the replacement.
 */
async function featuresOfItem(
  { featureHistory }: FeatureSourceDeps,
  config: BillingConfig,
  book: PriceBook,
  { price, product, since }: { readonly price: ProcessorId; readonly product: string; readonly since: number },
): Promise<readonly ProductFeature[]> {
  const present = config.products.find(({ id }) => id === product)
  const replacedBy = present?.grandfather_features === true ? replacementOf(book, price) : null
  if (replacedBy !== null) return featureHistory.before(config, product, replacedBy)
  const limits = new Map((await featureHistory.last(config, product)).map((entry) => [featureIdOf(entry), entry]))
  const then = await featureHistory.at(config, product, since)
  return then.map((entry) => limits.get(featureIdOf(entry)) ?? entry)
}

/** Returns the revision that replaced a processor price by its successor; null for the current processor price. */
function replacementOf(book: PriceBook, price: ProcessorId): number | null {
  const id = book.idOf(price)
  const generations = id === undefined ? [] : book.history(id)
  // After a rollback, a former processor price is sold again. So one processor price may have several entries.
  const place = generations.findLastIndex(({ processorId: generation }) => generation === price)
  return place < 0 ? null : (generations[place + 1]?.revision ?? null)
}

/**
 * Returns the feature sources of free subscriptions, which exist only in this service. Also ends the free subscriptions that a paid
 * subscription has replaced.
 */
async function freeSources(
  deps: FeatureSourceDeps,
  config: BillingConfig,
  free: TenantHoldings['free'],
  subscriptions: readonly LiveSubscription[],
): Promise<readonly FeatureSource[]> {
  const still = free.length === 0 ? [] : await endPaid(deps, free, subscriptions)
  return still.flatMap(({ priceId }) => {
    const product = config.products.find(({ prices = [] }) => prices.some(({ id }) => id === priceId))
    return product === undefined
      ? []
      : [{ features: product.features ?? [], group: bookedProduct(product).group, quantity: 1, period: null }]
  })
}
