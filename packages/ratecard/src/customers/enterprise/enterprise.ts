// Operations on negotiated prices: apply and remove them, list which base prices have one, and apply a template again to all its tenants.
import type { TenantOperations } from '../../api/service/tenants.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { summaryOf } from '../../acts/jobs/jobs.ts'
import { applyEnterprise } from './apply-pricing.ts'
import { coverageOf } from './coverage.ts'
import { moveTemplate } from './move-template.ts'

export type Enterprise = Pick<TenantOperations, 'applyEnterprise' | 'enterpriseCoverage' | 'moveTemplate'>

export function createEnterprise(deps: SwapDeps): Enterprise {
  return {
    applyEnterprise: (tenantId, target, options) => applyEnterprise(deps, tenantId, target, options),
    enterpriseCoverage: async () => coverageOf(await deps.priceBook()),
    moveTemplate: async (template, caller) => summaryOf(deps, await moveTemplate(deps, template, caller)),
  }
}
