// Operations on negotiated prices: apply and remove them, list which base prices have one, and apply a template again to all its tenants.
import type { Caller, Overriding } from '../../api/notation/callers.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { summaryOf } from '../../acts/jobs/jobs.ts'
import { applyEnterprise } from './apply-pricing.ts'
import { coverageOf } from './coverage.ts'
import { moveTemplate } from './move-template.ts'

export const enterprise = {
  applyEnterprise,
  enterpriseCoverage: async (deps: SwapDeps) => coverageOf(await deps.priceBook()),
  /** Starts a job that applies a template again to every tenant that has it. Resolves when the job is in the journal. */
  moveTemplate: async (deps: SwapDeps, template: string, caller: Caller & Overriding) =>
    summaryOf(deps, await moveTemplate(deps, template, caller)),
}
