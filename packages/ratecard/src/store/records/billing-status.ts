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
 * Priority of statuses for a tenant with several subscriptions. Debts come first, because they need an action; then running subscriptions
 * (paid, trial, free); then those that do not run. E.g. a tenant that pays is `active` although another checkout was abandoned.
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

/** Returns the status that counts, among `free` for free subscriptions and the processor's statuses for others. */
export function mostUrgentStatus(statuses: Iterable<string | null>): BillingStatus {
  const found = new Set(statuses)
  return priority.find((status) => found.has(status)) ?? 'none'
}
