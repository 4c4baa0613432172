import { mostUrgentStatus, type BillingStatus } from '../../store/records/billing-status.ts'

/**
 * Returns the billing status of a tenant. `home` is the place of its subscriptions: `local` for free ones, which exist only in this store
 * and always run, and `processor` for all others.
 */
export function billingStatus(
  subscriptions: readonly { readonly home: 'processor' | 'local'; readonly status: string }[],
): BillingStatus {
  return mostUrgentStatus(subscriptions.map(({ home, status }) => (home === 'local' ? 'free' : status)))
}
