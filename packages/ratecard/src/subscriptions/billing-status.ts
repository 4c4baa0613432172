import type { BillingStatus } from '../service/tenants.ts'

/**
 * What is told of a tenant with several subscriptions. Debts come first, because somebody must act on them; then what runs, paid
 * before tried before free; then what does not run. So a tenant that pays is `active` although another purchase of it was
 * abandoned half-way.
 */
const order = ['unpaid', 'past_due', 'active', 'trialing', 'free', 'paused', 'incomplete'] as const

/** `home` tells free subscriptions (kept here alone, always running) from those of the processor. */
export function billingStatus(
  subscriptions: readonly { readonly home: 'processor' | 'local'; readonly status: string }[],
): BillingStatus {
  const found = new Set(subscriptions.map(({ home, status }) => (home === 'local' ? 'free' : status)))
  return order.find((status) => found.has(status)) ?? 'none'
}
