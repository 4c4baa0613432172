// Checks whether usage of a meter is billed. The processor counts usage of any customer, but bills it only to customers with an item for
// the meter.
import type { Clock } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { LiveSubscription } from '../../../processor/customer-half.ts'
import type { SubscriberDeps } from '../deps.ts'
import { liveSubscriptions } from '../subscriptions.ts'
import { meteredAllowances } from '../features/entitlements.ts'
import type { FeatureSourceDeps } from '../features/feature-sources.ts'
import type { TenantHoldings } from '../../../store/records/features.ts'

/** A meter of the applied configuration. */
export interface AppliedMeter {
  readonly id: string
  /** Current processor id. An item on an earlier meter with another event name does not bill new usage. */
  readonly processor_id?: string | undefined
}

const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/**
 * True if one of the subscriptions has not ended and has an item for the meter. A paused subscription counts, because it may be resumed.
 */
export function hasItemFor(
  meter: AppliedMeter,
  subscriptions: readonly Pick<LiveSubscription, 'status' | 'items'>[],
): boolean {
  return subscriptions.some(
    ({ status, items }) =>
      !ended.has(status) && items.some(({ price }) => price.meter !== null && price.meter === meter.processor_id),
  )
}

/** Minimum time (ms) between two reads of the processor about one tenant, and most reads in a second about all. */
const sameTenantMs = 5_000
const mostPerSecond = 5

/** Returns a function that tells whether the processor may be asked about a tenant now. Otherwise reports of usage would use up its limit of requests. */
export function createConfirmations({ now }: Clock): (tenantId: string) => boolean {
  const asked = new Map<string, number>()
  return (tenantId) => {
    for (const [id, at] of asked) if (now() - at >= sameTenantMs) asked.delete(id)
    const within = [...asked.values()].filter((at) => now() - at < 1000)
    if (asked.has(tenantId) || within.length >= mostPerSecond) return false
    asked.set(tenantId, now())
    return true
  }
}

/** Deps of {@link isBilled}; `mayAsk` is that of {@link createConfirmations}. */
export type BilledDeps = FeatureSourceDeps & { readonly mayAsk: (tenantId: string) => boolean }

/**
 * Returns whether usage of the meter is billed to the tenant. The mirror knows an item, or the processor says that there is none; a tenant may have
 * bought one a moment ago, which the mirror does not know. null: not known yet, or nothing to bill, because the meter only counts an allowance of the
 * tenant's plan.
 */
export async function isBilled(deps: BilledDeps, meter: AppliedMeter, tenant: TenantHoldings): Promise<boolean | null> {
  const known = mirroredItem(deps, meter, tenant)
  if (known !== false) return known
  if (await isAllowance(deps, meter, tenant)) return null
  if (tenant.customer === null) return false
  if (!deps.mayAsk(tenant.tenantId)) return null
  try {
    return hasItemFor(meter, await liveSubscriptions(deps, { processorCustomerId: tenant.customer }))
  } catch (error) {
    // The report itself needs no answer of the processor here: without one, it is not known.
    if (error instanceof ServiceError) return null
    throw error
  }
}

/** True if the tenant has an allowance that the meter counts, e.g. of a free plan. */
export async function isAllowance(
  deps: FeatureSourceDeps,
  meter: AppliedMeter,
  tenant: TenantHoldings,
): Promise<boolean> {
  const allowances = await meteredAllowances(deps, tenant, meter.id)
  return allowances.some(({ limit }) => limit !== null && limit !== 0)
}

/**
 * Throws `meter_not_subscribed` if the tenant has no item for the meter. If the mirror (the local copy of subscriptions) has no item, the
 * items are read from the processor. The mirror may be some minutes old, and the usage of a tenant that has just subscribed would be lost.
 */
export async function requireItem(deps: SubscriberDeps, meter: AppliedMeter, tenant: TenantHoldings): Promise<void> {
  if (mirroredItem(deps, meter, tenant) === true) return
  if (hasItemFor(meter, await liveSubscriptions(deps, { processorCustomerId: tenant.customer }))) return
  throw new ServiceError(
    'meter_not_subscribed',
    `The tenant "${tenant.tenantId}" has no subscription to a price of the meter "${meter.id}", so this usage would not be paid for.`,
    { hint: 'Sell the tenant a price of the meter, or leave out "strict" to record the usage anyway.' },
  )
}

/** Returns null if the mirror is off or not complete. */
function mirroredItem(
  { mirror }: SubscriberDeps,
  meter: AppliedMeter,
  { mirror: progress, subscriptions }: TenantHoldings,
): boolean | null {
  return mirror.statusOf(progress).asOf === null ? null : hasItemFor(meter, subscriptions)
}
