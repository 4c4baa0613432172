// Usage that nobody pays for, as far as it is known by now. Reports are listed when the mirror knows no item; it may have been some minutes behind.
import type { FeatureSourceDeps } from '../features/feature-sources.ts'
import { hasItemFor, isAllowance } from './billed-usage.ts'
import type { UnbilledUsage } from '../../../store/records/tenants.ts'

const dayMs = 24 * 60 * 60 * 1000
const days = 30

/**
 * Returns the usage reports of the last 30 days that nobody pays for, tenants with the most reports first. A day on which the tenant has an item for
 * the meter is removed from the list, because its usage is billed. All days of a meter are removed if the meter only counts an allowance of the
 * tenant's plan, e.g. 1,000 calls a month.
 */
export async function readUnbilledUsage(deps: FeatureSourceDeps): Promise<readonly UnbilledUsage[]> {
  const { store, mirror, clock } = deps
  const from = Math.floor(clock.now() / dayMs) - days
  const listed = await store.unbilledUsage.since(from)
  if (listed.length === 0) return []
  const { config } = await deps.applied()
  for (const { tenantId, meter: id } of listed) {
    const tenant = await store.holdings.of(tenantId)
    const meter = config.meters?.find((one) => one.id === id)
    if (tenant === null || meter === undefined || mirror.statusOf(tenant.mirror).asOf === null) continue
    const paying = tenant.subscriptions.filter((subscription) => hasItemFor(meter, [subscription]))
    const since = Math.min(...paying.map(({ createdAt }) => Math.floor(createdAt / dayMs)))
    const billedFrom = (await isAllowance(deps, meter, tenant)) ? from : since
    if (billedFrom !== Infinity) await store.unbilledUsage.remove(tenantId, id, billedFrom)
  }
  return store.unbilledUsage.since(from)
}
