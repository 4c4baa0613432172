// Checks whether usage of a meter is billed. The processor counts usage of any customer, but bills it only to customers with an item for
// the meter.
import { processorId } from '../catalog/resource.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { LiveSubscription } from '../processor/customer-half.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { SubscriberDeps } from './deps.ts'
import { liveSubscriptions } from './subscriptions.ts'

/** A meter of the applied configuration. */
export interface AppliedMeter {
  readonly id: string
  /** Current processor id. Items on a former meter with another event name do not bill new usage. */
  readonly processor_id?: string | undefined
}

const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/** True if one of the subscriptions has not ended and has an item for the meter. A paused subscription counts: it may be resumed. */
export function hasItemFor(
  meter: AppliedMeter,
  subscriptions: readonly Pick<LiveSubscription, 'status' | 'items'>[],
): boolean {
  return subscriptions.some(
    ({ status, items }) =>
      !ended.has(status) && items.some(({ price }) => price.meter !== null && price.meter === meter.processor_id),
  )
}

/**
 * Returns false if the tenant has no item for the meter, as of the mirror. Returns true without a complete mirror, because a request to the
 * processor for each report would use up its read allocation.
 */
export async function isBilled(deps: SubscriberDeps, meter: AppliedMeter, tenant: TenantRecord): Promise<boolean> {
  return (await mirroredItem(deps, meter, tenant)) !== false
}

/**
 * Throws `meter_not_subscribed` if the tenant has no item for the meter. Before a report is refused, the items are read from the processor,
 * because the mirror may be some minutes behind, and the usage of a tenant that subscribed a minute ago would be lost.
 */
export async function requireItem(deps: SubscriberDeps, meter: AppliedMeter, tenant: TenantRecord): Promise<void> {
  if ((await mirroredItem(deps, meter, tenant)) === true) return
  if (hasItemFor(meter, await liveSubscriptions(deps, tenant))) return
  throw new ServiceError(
    'meter_not_subscribed',
    `The tenant "${tenant.id}" has no subscription to a price of the meter "${meter.id}", so nobody would pay for this usage.`,
    { hint: 'Sell it a price of the meter, or leave "strict" out to record the usage all the same.' },
  )
}

/** Returns null if the mirror is off or not complete. */
async function mirroredItem(
  { mirror, store }: SubscriberDeps,
  meter: AppliedMeter,
  { processorCustomerId: customer }: TenantRecord,
): Promise<boolean | null> {
  const { asOf } = await mirror.status()
  if (asOf === null) return null
  return customer !== null && hasItemFor(meter, await store.mirror.subscriptionsOf(processorId(customer)))
}
