// Entitlements of a tenant: the features of the products that it is subscribed to, by configuration id. If the mirror (the local copy of
// subscriptions) is complete, they are computed from it without a request to the processor. Otherwise they are the entitlements that the
// processor returns.
import { processorId } from '../catalog/resource.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { ActiveEntitlement, LiveSubscription } from '../processor/customer-half.ts'
import type { Entitlements } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import { entitlementsOf } from '../tenants/at-processor.ts'
import { isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import type { SubscriberDeps } from './deps.ts'
import type { FeaturesAt, NamedFeature } from './feature-history.ts'
import { currentConfig } from './price-names.ts'
import { liveSubscriptions } from './subscriptions.ts'

export interface EntitlementDeps extends SubscriberDeps {
  readonly featuresAt: FeaturesAt
}

/**
 * Returns the tenant's active features, sorted by id. Features of free prices are added, because the processor does not know free
 * subscriptions. Features without a configuration id are omitted.
 */
export async function readEntitlements(deps: EntitlementDeps, tenant: TenantRecord): Promise<Entitlements> {
  const config = await currentConfig(deps.applied)
  const { asOf, stale } = await deps.mirror.status()
  // After a reset no document contains the features of a product, so the processor is asked for the entitlements.
  if (asOf === null || config === null) return liveEntitlements(deps, tenant, config)
  const customer = tenant.processorCustomerId
  const subscriptions = customer === null ? [] : await deps.store.mirror.subscriptionsOf(processorId(customer))
  const free = await freePrices(deps, tenant, () => Promise.resolve(subscriptions))
  const features = new Map<string, string>()
  for (const { id, name } of await grantedFeatures(deps, config, subscriptions)) features.set(id, name)
  return { asOf, ...(stale ? { stale } : {}), ...withFree(features, config, free) }
}

/** Statuses in which the processor grants a subscription the features of its products. */
const granting: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due'])

/**
 * Returns the features of the products of running subscriptions. A feature that is attached or detached later counts from the customer's
 * next period on, as it does at the processor. So the features are those at the latest start of a period.
 */
async function grantedFeatures(
  { priceBook, featuresAt }: EntitlementDeps,
  config: BillingConfig,
  subscriptions: readonly LiveSubscription[],
): Promise<readonly NamedFeature[]> {
  const items = subscriptions.filter(({ status }) => granting.has(status)).flatMap((one) => one.items)
  const book = await priceBook()
  const products = items.flatMap(({ price }) => (price.product === null ? [] : (book.productIdOf(price.product) ?? [])))
  const since = Math.max(...items.map(({ currentPeriodStart }) => currentPeriodStart))
  const features = await Promise.all([...new Set(products)].map((product) => featuresAt(config, product, since)))
  return features.flat()
}

async function liveEntitlements(
  deps: EntitlementDeps,
  tenant: TenantRecord,
  config: BillingConfig | null,
): Promise<Entitlements> {
  const { processor, shutdown } = deps
  const customer = tenant.processorCustomerId
  const [active, free] = await Promise.all([
    customer === null ? [] : entitlementsOf(processor, processorId(customer), shutdown),
    freePrices(deps, tenant, () => liveSubscriptions(deps, tenant)),
  ])
  const found = new Map<string, string>()
  for (const one of active) {
    const id = await configIdOf(deps, one)
    if (id !== null) found.set(id, one.name)
  }
  return withFree(found, config, free)
}

/** Adds the features of free prices and sorts all features by id. */
function withFree(
  found: Map<string, string>,
  config: BillingConfig | null,
  free: ReadonlySet<string>,
): Pick<Entitlements, 'features'> {
  for (const { id, name } of featuresOfPrices(config, free)) if (!found.has(id)) found.set(id, name)
  const features = [...found].map(([id, name]) => ({ id, name }))
  return { features: features.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

/** Returns the configuration id of a feature. It is found in the mapping history, so that recreated and renamed features are found too. */
async function configIdOf({ store }: EntitlementDeps, { feature }: ActiveEntitlement): Promise<string | null> {
  const entries = (await store.mappings.byProcessorId(feature)).filter(({ kind }) => kind === 'feature')
  return entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null
}

async function freePrices(
  deps: EntitlementDeps,
  tenant: TenantRecord,
  subscriptions: () => Promise<readonly LiveSubscription[]>,
): Promise<ReadonlySet<string>> {
  const running = (await deps.store.localSubscriptions.list(tenant.id)).filter(isRunning)
  // Subscriptions at the processor are read only if the tenant has free subscriptions, to end those that a paid one replaced.
  const still = running.length === 0 ? [] : await settleFree(deps, tenant.id, await subscriptions())
  return new Set(still.map(({ priceId }) => priceId))
}

function featuresOfPrices(config: BillingConfig | null, prices: ReadonlySet<string>) {
  const carried = new Set(
    (config?.products ?? []).flatMap((product) =>
      (product.prices ?? []).some(({ id }) => prices.has(id)) ? (product.features ?? []) : [],
    ),
  )
  return (config?.features ?? []).filter(({ id }) => carried.has(id))
}
