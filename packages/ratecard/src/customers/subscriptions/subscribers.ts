// Reads subscriptions, upcoming invoices and entitlements of tenants, and records usage. Never changes a subscription at the processor.
import type { TenantOperations } from '../../api/service/tenants.ts'
import type { SubscriberDeps } from './deps.ts'
import { readDroppedUsage, readDroppedUsageOf } from './usage/dropped-usage.ts'
import { checkFeature, checkFeatures, readEntitlements } from './features/entitlements.ts'
import { createFeatureHistory } from './features/feature-history.ts'
import { listGrants, putGrant, removeGrant } from './features/grants.ts'
import { createRecentUsageErrors } from './usage/recent-usage-errors.ts'
import { readSubscriptions } from './subscriptions.ts'
import { readUpcomingInvoices } from './upcoming-invoices.ts'
import { createConfirmations } from './usage/billed-usage.ts'
import { readUnbilledUsage } from './usage/unbilled-usage.ts'
import { recordUsage } from './usage/usage.ts'

export function createSubscribers(deps: SubscriberDeps & { readonly pastDueGraceMs: number }) {
  const entitlements = {
    ...deps,
    featureHistory: createFeatureHistory(deps.store.versions),
    mayAsk: createConfirmations(deps.clock),
  }
  const usage = { ...deps, usageErrors: createRecentUsageErrors(deps) }
  return {
    tenantSubscriptions: (id) => readSubscriptions(deps, id),
    tenantEntitlements: (id) => readEntitlements(entitlements, id),
    sessionEntitlements: async (principal) => readEntitlements(entitlements, deps.tenantIdOf(principal)),
    checkFeatures: async (questions, principal) => checkFeatures(entitlements, deps.tenantIdOf(principal), questions),
    checkFeature: async (question, principal) => checkFeature(entitlements, deps.tenantIdOf(principal), question),
    listGrants: (id) => listGrants(deps, id),
    putGrant: (place, grant, caller) => putGrant(deps, place, grant, caller),
    removeGrant: (place, caller) => removeGrant(deps, place, caller),
    upcomingInvoices: (id) => readUpcomingInvoices(deps, id),
    droppedUsage: (query) => readDroppedUsage(usage, query),
    droppedUsageOf: (id) => readDroppedUsageOf(usage, id),
    unbilledUsage: () => readUnbilledUsage(entitlements),
    recordUsage: (usage, principal) => recordUsage(entitlements, usage, principal),
  } satisfies Partial<TenantOperations>
}
