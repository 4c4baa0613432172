import type { BillingStatus } from '../service/tenants.ts'

/**
 * Priority of statuses for a tenant with several subscriptions. Debts come first, because they need an action; then running subscriptions
 * (paid, trial, free); then those that do not run. E.g. a tenant that pays is `active` although another checkout was abandoned.
 */
const order = ['unpaid', 'past_due', 'active', 'trialing', 'free', 'paused', 'incomplete'] as const

/** Billing status of a tenant. `home` distinguishes free subscriptions (stored only here, always running) from those of the processor. */
export function billingStatus(
  subscriptions: readonly { readonly home: 'processor' | 'local'; readonly status: string }[],
): BillingStatus {
  const found = new Set(subscriptions.map(({ home, status }) => (home === 'local' ? 'free' : status)))
  return order.find((status) => found.has(status)) ?? 'none'
}
