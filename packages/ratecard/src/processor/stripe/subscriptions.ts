import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { Desk } from './desk.ts'
import { listAll } from './pages.ts'

/** Ended for good: they meter and bill nothing any more. */
const ended: ReadonlySet<Stripe.Subscription.Status> = new Set(['canceled', 'incomplete_expired'])

export async function countLiveSubscriptions(
  { stripe, caller }: Desk,
  price: ProcessorId,
  signal: AbortSignal,
): Promise<number> {
  const subscriptions = await listAll(
    caller,
    'subscription',
    {
      operation: 'GET /v1/subscriptions',
      page: (paging, options) => stripe.subscriptions.list({ ...paging, price }, options),
    },
    { signal },
  )
  return subscriptions.filter((subscription) => !ended.has(subscription.status)).length
}
