import type { ProcessorId } from '../../../catalog/resource.ts'
import type { ActiveEntitlement } from '../../customer-half.ts'
import type { StripeContext } from '../catalog/context.ts'
import { idOf } from '../kinds/kind.ts'
import { listAll } from '../connection/pages.ts'

/** Returns the features that a customer may use now, through any of its subscriptions. */
export async function readEntitlements(
  { stripe, caller }: StripeContext,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly ActiveEntitlement[]> {
  const found = await listAll(
    caller,
    'entitlements.active_entitlement',
    {
      operation: 'GET /v1/entitlements/active_entitlements',
      page: (paging, options) =>
        stripe.entitlements.activeEntitlements.list({ customer, ...paging, expand: ['data.feature'] }, options),
    },
    { signal },
  )
  return found.map(({ feature, lookup_key: lookupKey }) => ({
    feature: idOf(feature),
    name: typeof feature === 'string' ? lookupKey : feature.name,
  }))
}
