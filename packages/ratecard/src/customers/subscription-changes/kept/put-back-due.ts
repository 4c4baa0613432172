// Puts schedules back that were taken off for a change that was never made. Every replica looks for them; the tenant's lease ensures that
// only one of them acts.
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { SwapDeps } from '../../item-swaps/deps.ts'
import { settleLateSwaps } from '../../item-swaps/late-swaps.ts'
import type { JobRecord } from '../../../store/records/journal.ts'
import { withTenantLease } from '../../../acts/lease.ts'
import { completeInterrupted, putBackEveryMs, putBackSchedules, unfinishedSetAsides } from '../run-change.ts'

/**
 * Puts all schedules back that are due. The failure of one that cannot be put back is passed to `report`. It is tried again after five
 * minutes, unless it would fail again (e.g. because a promotion code has expired).
 */
export async function putBackDue(deps: SwapDeps, report: (error: unknown) => void): Promise<void> {
  const now = deps.clock.now()
  const due = (await unfinishedSetAsides(deps)).filter((job) => dueAt(job) <= now)
  if (due.length === 0) return
  await deps.assertAccount('write')
  for (const { subject } of due) {
    if (deps.shutdown.aborted) return
    await putBackOf(deps, subject, report).catch((error: unknown) => {
      // Another process changes the tenant now, or its last write may still take effect.
      if (!(error instanceof ServiceError) || error.code !== 'tenant_busy') report(error)
    })
  }
}

/** A job whose process died is left to a retry of its request for some minutes. */
const dueAt = ({ resumesAt, updatedAt }: JobRecord) => resumesAt ?? updatedAt + putBackEveryMs

function putBackOf(deps: SwapDeps, tenantId: string, report: (error: unknown) => void): Promise<void> {
  return withTenantLease(deps, tenantId, async (held) => {
    const tenant = await deps.store.tenants.find(tenantId)
    await settleLateSwaps(deps, { tenantId, customer: tenant?.processorCustomerId ?? null }, held)
    await completeInterrupted(deps, tenantId, held)
    for (const refusal of await putBackSchedules(deps, tenantId, held)) report(refusal)
  })
}
