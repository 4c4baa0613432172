import type { LiveSubscription } from '../customer-half.ts'
import type { Desk } from './desk.ts'
import { hasEnded } from './live-subscription.ts'
import type { SaidSubscription } from './live-subscription.ts'
import { listSome } from './pages.ts'
import { translated } from './subscriptions.ts'

/** Subscriptions of the account that have not ended, newest first, from this many list pages at most. */
export async function someSubscriptions(
  desk: Desk,
  pages: number,
  signal: AbortSignal,
): Promise<{ readonly subscriptions: readonly LiveSubscription[]; readonly complete: boolean }> {
  const { found, complete } = await listSome(
    desk.caller,
    'subscription',
    {
      operation: 'GET /v1/subscriptions',
      page: (paging, options) => desk.stripe.subscriptions.list(paging, options),
    },
    pages,
    { signal },
  )
  const subscriptions: LiveSubscription[] = []
  for (const one of found as SaidSubscription[])
    if (!hasEnded(one)) subscriptions.push(await translated(desk, one, signal))
  return { subscriptions, complete }
}
