import { mostUrgentStatus } from '../store/records/billing-status.ts'
import type { BillingStatus } from '../store/records/billing-status.ts'

/** Billing status of a tenant. `home` distinguishes free subscriptions (stored only here, always running) from those of the processor. */
export function billingStatus(
  subscriptions: readonly { readonly home: 'processor' | 'local'; readonly status: string }[],
): BillingStatus {
  return mostUrgentStatus(subscriptions.map(({ home, status }) => (home === 'local' ? 'free' : status)))
}
