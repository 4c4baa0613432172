// Ends negotiated prices at their end date. Every replica looks for due deals, and a lease ensures that only one replica ends them. If no
// replica ran at the end date, the deal is ended at the next start.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { applyToTenant, SupersededError } from './apply-pricing.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

const lease = 'deal-ends'

/**
 * Ends all deals whose end date has come by the service's clock, one after the other. A deal that cannot be ended now (e.g. because the
 * processor is unavailable) is passed to `report`, stays due, and is retried the next time.
 */
export async function endDueDeals(deps: SwapDeps, report: (error: unknown) => void): Promise<void> {
  const due = await deps.store.tenants.dealsDue(deps.clock.now())
  if (due.length === 0) return
  await deps.assertAccount('write')
  await deps.store.tryExclusively(lease, async ({ signal }) => {
    for (const { id, endsAt } of due) {
      if (signal.aborted || deps.shutdown.aborted) return
      await endDeal(deps, id, endsAt).catch(report)
    }
  })
}

async function endDeal(deps: SwapDeps, tenantId: string, endsAt: number): Promise<void> {
  const tenant = await deps.store.tenants.find(tenantId)
  const changed = (current: TenantRecord) =>
    current.enterpriseEndsAt !== endsAt || current.enterpriseThen !== tenant?.enterpriseThen
  try {
    await applyToTenant(
      deps,
      tenantId,
      { kind: 'none', to: tenant?.enterpriseThen ?? 'base' },
      {
        ...{ author: null, by: null, requestId: null, message: 'The deal ended.', isEnd: true },
        unless: (current) => (changed(current) ? 'The deal was changed in the meantime.' : null),
      },
    )
  } catch (error) {
    if (error instanceof SupersededError) return
    if (error instanceof ServiceError && error.code === 'tenant_not_found') return
    throw error
  }
}
