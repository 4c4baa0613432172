// Applies a template again to all its tenants, e.g. after its prices changed. Each tenant is one step, which does the same as applying the
// template to that tenant. A tenant that got another template or other prices meanwhile is skipped.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ChangeFacts } from '../../catalog/policies/decide.ts'
import { byOf } from '../../store/records/actor.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { startJob, type DoStep } from '../../acts/jobs/run-job.ts'
import { SupersededError, applyToTenant, requirePrices } from './apply-pricing.ts'
import type { Caller, Overriding } from '../../api/notation/callers.ts'
import type { JobRecord } from '../../store/records/journal.ts'

export async function moveTemplate(deps: SwapDeps, template: string, caller: Caller & Overriding): Promise<JobRecord> {
  await deps.assertAccount('write')
  requirePrices(await deps.priceBook(), { kind: 'template', template })
  const tenants = await deps.store.tenants.idsOnTemplate(template)
  const { overrides } = await deps.guard.allow(
    templateFacts(tenants.length, caller.message ?? null),
    caller.override ?? [],
  )
  const input = {
    enterprise_template: template,
    key_id: caller.by?.keyId ?? null,
    ...(overrides.length === 0 ? {} : { overrides }),
  }
  return startJob(
    deps,
    {
      kind: 'template_move',
      subject: template,
      input,
      caller,
      steps: tenants.map((tenantId) => ({ tenant_id: tenantId })),
    },
    movingTenants(deps, template, caller),
  )
}

/**
 * Returns the facts that policies are checked against: the number of tenants, the time, and whether there is a message. There are no
 * amounts, because the items that move are found later, tenant by tenant.
 */
function templateFacts(tenants: number, message: string | null): ChangeFacts {
  return { items: [], prices: [], affected: [], tenants, message }
}

function movingTenants(deps: SwapDeps, template: string, caller: Caller): DoStep {
  return async (step) => {
    const tenantId = String(step['tenant_id'])
    try {
      const { pricesSwapped, swaps, skipped, leftOnOtherDeal } = await applyToTenant(
        deps,
        tenantId,
        { kind: 'template', template },
        {
          ...caller,
          unless: (tenant) =>
            tenant.enterpriseTemplate === template ? null : 'The tenant left the template while the job was running.',
        },
      )
      const counts = { prices_swapped: pricesSwapped, left_on_other_deal: leftOnOtherDeal }
      return { state: 'succeeded', result: { tenant_id: tenantId, ...counts, swaps, skipped } }
    } catch (error) {
      const reason =
        error instanceof SupersededError
          ? error.message
          : error instanceof ServiceError && error.code === 'tenant_not_found'
            ? 'The tenant was removed while the job was running.'
            : null
      if (reason === null) throw error
      return { state: 'skipped', result: { tenant_id: tenantId, reason } }
    }
  }
}

/** Returns the step function of a resumed job. The audit trail names the caller who started the job as the author of its changes. */
export function resumedMove(deps: SwapDeps, job: JobRecord): DoStep {
  return movingTenants(deps, job.subject, {
    author: job.author,
    message: job.message,
    by: byOf(job),
    requestId: job.requestId,
  })
}
