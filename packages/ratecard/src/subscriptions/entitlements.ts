// Entitlements of a tenant: the features of the products that it is subscribed to, by their configuration ids.
import { processorId } from '../catalog/resource.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { ActiveEntitlement } from '../processor/customer-half.ts'
import type { Entitlements } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import { entitlementsOf } from '../tenants/at-processor.ts'
import { isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import type { SubscriberDeps } from './deps.ts'
import { currentConfig } from './price-names.ts'
import { liveSubscriptions } from './subscriptions.ts'

/**
 * Returns the processor's active entitlements of the customer, plus the features of products of which the tenant has a free price, because
 * those subscriptions exist only here. Features without a configuration id are omitted. Sorted by id.
 */
export async function readEntitlements(deps: SubscriberDeps, tenant: TenantRecord): Promise<Entitlements> {
  const { processor, shutdown } = deps
  const customer = tenant.processorCustomerId
  const [config, active, free] = await Promise.all([
    currentConfig(deps.applied),
    customer === null ? [] : entitlementsOf(processor, processorId(customer), shutdown),
    freePrices(deps, tenant),
  ])
  const found = new Map<string, string>()
  for (const one of active) {
    const id = await configIdOf(deps, one)
    if (id !== null) found.set(id, one.name)
  }
  for (const { id, name } of featuresOfPrices(config, free)) if (!found.has(id)) found.set(id, name)
  const features = [...found].map(([id, name]) => ({ id, name }))
  return { features: features.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

/** Configuration id of a feature by the mapping history, so that recreated and renamed features are found too. */
async function configIdOf({ store }: SubscriberDeps, { feature }: ActiveEntitlement): Promise<string | null> {
  const entries = (await store.mappings.byProcessorId(feature)).filter(({ kind }) => kind === 'feature')
  return entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null
}

async function freePrices(deps: SubscriberDeps, tenant: TenantRecord): Promise<ReadonlySet<string>> {
  const running = (await deps.store.localSubscriptions.list(tenant.id)).filter(isRunning)
  // Reads the processor only if there are free subscriptions, to end those replaced by a paid one.
  const still = running.length === 0 ? [] : await settleFree(deps, tenant.id, await liveSubscriptions(deps, tenant))
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
