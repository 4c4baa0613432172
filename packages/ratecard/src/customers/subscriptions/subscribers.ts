// Reads subscriptions, upcoming invoices and entitlements of tenants, and records usage. Never changes a subscription at the processor.
import type { Principal } from '../../api/customers/sessions.ts'
import type { FeatureQuestion } from '../../api/customers/tenants.ts'
import { bind } from '../../base/bind.ts'
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
    mayAsk: createConfirmations(deps.wallClock),
  }
  const usage = { ...deps, usageErrors: createRecentUsageErrors(deps) }
  return {
    ...bind(deps, {
      tenantSubscriptions: readSubscriptions,
      listGrants,
      putGrant,
      removeGrant,
      upcomingInvoices: readUpcomingInvoices,
    }),
    ...bind(entitlements, { tenantEntitlements: readEntitlements, unbilledUsage: readUnbilledUsage, recordUsage }),
    ...bind(usage, { droppedUsage: readDroppedUsage, droppedUsageOf: readDroppedUsageOf }),
    sessionEntitlements: async (principal: Principal) => readEntitlements(entitlements, deps.tenantIdOf(principal)),
    checkFeatures: async (questions: readonly FeatureQuestion[], principal: Principal) =>
      checkFeatures(entitlements, deps.tenantIdOf(principal), questions),
    checkFeature: async (question: FeatureQuestion, principal: Principal) =>
      checkFeature(entitlements, deps.tenantIdOf(principal), question),
  }
}
