// What tenants are subscribed to, will be billed, and have used. Reads and reports; never changes a subscription.
import type { TenantOperations } from '../service/tenants.ts'
import type { SubscriberDeps } from './deps.ts'
import { readSubscriptions } from './subscriptions.ts'
import { readUpcomingInvoices } from './upcoming-invoices.ts'
import { recordUsage } from './usage.ts'

export type Subscribers = Pick<TenantOperations, 'tenantSubscriptions' | 'upcomingInvoices' | 'recordUsage'>

export function createSubscribers(deps: SubscriberDeps): Subscribers {
  return {
    tenantSubscriptions: (id) => readSubscriptions(deps, id),
    upcomingInvoices: (id) => readUpcomingInvoices(deps, id),
    recordUsage: (usage, principal) => recordUsage(deps, usage, principal),
  }
}
