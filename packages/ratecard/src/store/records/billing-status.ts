// Billing status of a tenant.
import type { ProcessorId } from '../../catalog/resource.ts'

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

/**
 * Standing of a customer: stored sums by which lists of tenants are filtered and sorted. customers/mirror/sums/standing.ts recomputes it after each
 * change of the customer's objects.
 */
export interface CustomerStanding {
  readonly customer: ProcessorId
  /** Most urgent status of the customer's subscriptions at the processor; null if none of them is live. */
  readonly billingStatus: string | null
  /** Exact monthly recurring revenue (MRR) by currency: canonical decimals in minor units. */
  readonly monthly: Readonly<Record<string, string>>
  /** Sum of the customer's open invoices, by currency. */
  readonly owed: Readonly<Record<string, number>>
  /** Sum of the customer's uncollectible invoices, by currency. */
  readonly writtenOff: Readonly<Record<string, number>>
}
