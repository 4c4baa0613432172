// Billing status of a tenant.
export const billingStatuses = [
  'none',
  'free',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'incomplete',
  'paused',
] as const

export type BillingStatus = (typeof billingStatuses)[number]

/**
 * Statuses in descending priority, for a tenant with several subscriptions. Debts come first, because they need an action. Then come
 * running subscriptions (paid, trial, free), then subscriptions that do not run. E.g. a paying tenant is `active` even if another checkout
 * was abandoned.
 */
const priority = [
  'unpaid',
  'past_due',
  'active',
  'trialing',
  'free',
  'paused',
  'incomplete',
] as const satisfies readonly BillingStatus[]

/** Returns the most urgent status. `statuses` are the processor's statuses, and `free` for free subscriptions. */
export function mostUrgentStatus(statuses: Iterable<string | null>): BillingStatus {
  const found = new Set(statuses)
  return priority.find((status) => found.has(status)) ?? 'none'
}
