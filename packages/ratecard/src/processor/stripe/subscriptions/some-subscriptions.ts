import type { LiveSubscription } from '../../customer-half.ts'
import type { StripeContext } from '../catalog/context.ts'
import { hasEnded, type SubscriptionReply } from './live-subscription.ts'
import { listSome } from '../connection/pages.ts'
import { translateSubscription } from './subscriptions.ts'

/** Returns subscriptions of the account that have not ended, newest first, from at most `pages` list pages. */
export async function someSubscriptions(
  context: StripeContext,
  pages: number,
  signal: AbortSignal,
): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }> {
  const { found, complete } = await listSome(
    context.caller,
    'subscription',
    {
      operation: 'GET /v1/subscriptions',
      page: (paging, options) => context.stripe.subscriptions.list(paging, options),
    },
    pages,
    { signal },
  )
  const subscriptions: LiveSubscription[] = []
  for (const one of found as SubscriptionReply[])
    if (!hasEnded(one)) subscriptions.push(await translateSubscription(context, one, signal))
  return { subscriptions, complete }
}
