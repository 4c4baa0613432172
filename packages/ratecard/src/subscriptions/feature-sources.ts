// Feature sources of a tenant: one for each item of a live subscription, and one for each free subscription.
import { featureIdOf, type ProductFeature } from '../config/schema/feature-schema.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { LiveItem, LiveSubscription } from '../processor/customer-half.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import { isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import type { FeatureSource } from './allowances.ts'
import type { SubscriberDeps } from './deps.ts'
import type { FeatureHistory } from './feature-history.ts'

export interface FeatureSourceDeps extends SubscriberDeps {
  readonly featureHistory: FeatureHistory
  /** Time (ms) for which a tenant keeps its features after its oldest unpaid invoice was due. */
  readonly pastDueGraceMs: number
}

/** Returns the feature sources of a tenant, free subscriptions included. Sends no request to the processor. */
export async function featureSources(
  deps: FeatureSourceDeps,
  tenant: TenantRecord,
  config: BillingConfig,
  subscriptions: readonly LiveSubscription[],
): Promise<readonly FeatureSource[]> {
  const free = await freeSources(deps, tenant, config, () => Promise.resolve(subscriptions))
  return [...(await paidSources(deps, config, subscriptions)), ...free]
}

async function paidSources(
  deps: FeatureSourceDeps,
  config: BillingConfig,
  subscriptions: readonly LiveSubscription[],
): Promise<readonly FeatureSource[]> {
  const granting: LiveSubscription[] = []
  for (const one of subscriptions) if (await grants(deps, one)) granting.push(one)
  const book = await deps.priceBook()
  const items = granting.flatMap((one) => itemsByProduct(one, book))
  // A feature that is attached or detached during a period counts from the customer's next period on, as it does at the processor.
  const since = Math.max(...items.map(({ item }) => item.currentPeriodStart))
  return Promise.all(
    items.map(async ({ item, product }) => ({
      features: await featuresOfItem(deps, config, book, { item, product, since }),
      quantity: item.quantity ?? 1,
      period: { start: item.currentPeriodStart, end: item.currentPeriodEnd },
    })),
  )
}

/**
 * Returns the items that give features. A metered item gives those of its product only if the subscription has no licensed item of the same
 * product: a product that is sold as a base price with metered usage gives its limits once.
 */
function itemsByProduct({ items }: LiveSubscription, book: PriceBook) {
  const known = items.flatMap((item) => {
    const product = item.price.product === null ? undefined : book.productIdOf(item.price.product)
    return product === undefined ? [] : [{ item, product }]
  })
  const licensed = known.filter(({ item }) => item.quantity !== null)
  const covered = new Set(licensed.map(({ product }) => product))
  const metered = new Map(known.filter(({ product }) => !covered.has(product)).map((one) => [one.product, one]))
  return [...licensed, ...metered.values()]
}

/**
 * True if the subscription gives its features. A past-due subscription still gives them for some days after its oldest unpaid invoice was
 * due.
 */
async function grants(
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
 * Returns the features of an item's product. Limits are those of the present document, so that a raised limit takes effect at once. If the
 * product has `grandfather_features` and the item is on a replaced price, features and limits are those from before the replacement.
 */
async function featuresOfItem(
  { featureHistory }: FeatureSourceDeps,
  config: BillingConfig,
  book: PriceBook,
  { item, product, since }: { readonly item: LiveItem; readonly product: string; readonly since: number },
): Promise<readonly ProductFeature[]> {
  const present = config.products.find(({ id }) => id === product)
  const replacedBy = present?.grandfather_features === true ? replacementOf(book, item.price.id) : null
  if (replacedBy !== null) return featureHistory.before(config, product, replacedBy)
  const limits = new Map((present?.features ?? []).map((entry) => [featureIdOf(entry), entry]))
  const then = await featureHistory.at(config, product, since)
  return then.map((entry) => limits.get(featureIdOf(entry)) ?? entry)
}

/** Returns the revision that replaced a price by its next generation; null for the current generation. */
function replacementOf(book: PriceBook, price: LiveItem['price']['id']): number | null {
  const id = book.idOf(price)
  const generations = id === undefined ? [] : book.history(id)
  const place = generations.findIndex(({ processorId: generation }) => generation === price)
  return place < 0 ? null : (generations[place + 1]?.revision ?? null)
}

/** Returns the sources of free subscriptions, which the processor does not know. */
export async function freeSources(
  deps: FeatureSourceDeps,
  tenant: TenantRecord,
  config: BillingConfig | null,
  subscriptions: () => Promise<readonly LiveSubscription[]>,
): Promise<readonly FeatureSource[]> {
  const running = (await deps.store.localSubscriptions.list(tenant.id)).filter(isRunning)
  // Subscriptions at the processor are read only if the tenant has free subscriptions, to end those that a paid one replaced.
  const still = running.length === 0 ? [] : await settleFree(deps, tenant.id, await subscriptions())
  return still.flatMap(({ priceId }) => {
    const product = config?.products.find(({ prices = [] }) => prices.some(({ id }) => id === priceId))
    return product === undefined ? [] : [{ features: product.features ?? [], quantity: 1, period: null }]
  })
}
