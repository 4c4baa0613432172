// Negotiated prices, migrations and jobs in their form on the wire.
import { toRfc3339 } from '../clock.ts'
import type { Coverage, EnterpriseOutcome, JobReport, JobSummary, MigrationPlan } from '../service-tenants.ts'

export function enterpriseOutcomeToWire(outcome: EnterpriseOutcome) {
  return {
    tenant_id: outcome.tenantId,
    ...(outcome.dryRun ? { dry_run: true as const } : {}),
    prices_swapped: outcome.pricesSwapped,
    swaps: outcome.swaps.map(({ subscription, item, from, to, effective }) => ({
      subscription,
      item,
      from,
      to,
      effective,
    })),
    skipped: outcome.skipped.map(({ subscription, item, price, reason, detail }) => ({
      subscription,
      item,
      price,
      reason,
      ...(detail === undefined ? {} : { detail }),
    })),
    left_on_other_deal: outcome.leftOnOtherDeal,
    checkouts_closed: outcome.checkoutsClosed,
  }
}

export function coverageToWire(coverage: Coverage) {
  return {
    templates: coverage.templates,
    enterprise_ids: coverage.enterpriseIds,
    rows: coverage.rows.map(({ basePriceId, cells }) => ({
      base_price_id: basePriceId,
      cells: cells.map(({ target, priceId }) => ({ target, price_id: priceId })),
    })),
    gaps: coverage.gaps,
    without_base: coverage.withoutBase,
  }
}

export function jobToWire(job: JobSummary) {
  return {
    id: job.id,
    kind: job.kind,
    subject: job.subject,
    state: job.state,
    resumes_at: job.resumesAt === null ? null : toRfc3339(job.resumesAt),
    author: job.author,
    message: job.message,
    created_at: toRfc3339(job.createdAt),
    updated_at: toRfc3339(job.updatedAt),
    finished_at: job.finishedAt === null ? null : toRfc3339(job.finishedAt),
    steps_total: job.stepsTotal,
    steps_done: job.stepsDone,
  }
}

export function jobReportToWire(job: JobReport) {
  return {
    ...jobToWire(job),
    input: job.input,
    error: job.error,
    steps: job.steps.map(({ index, state, attempts, step, result, error }) => ({
      index,
      state,
      attempts,
      step,
      result,
      error,
    })),
  }
}

export function migrationPlanToWire(plan: MigrationPlan) {
  return {
    price_id: plan.priceId,
    lines: plan.lines.map((line) => ({
      tenant_id: line.tenantId,
      customer: line.customer,
      subscription: line.subscription,
      item: line.item,
      from_processor_price_id: line.fromProcessorPriceId,
      to_processor_price_id: line.toProcessorPriceId,
      quantity: line.quantity,
      currency: line.currency,
      monthly_before: line.monthlyBefore,
      monthly_after: line.monthlyAfter,
      effective: line.effective,
      effective_at: toRfc3339(line.effectiveAt),
      skipped: line.skipped,
    })),
    totals: plan.totals.map(({ currency, subscriptions, before, after }) => ({
      currency,
      subscriptions,
      before,
      after,
    })),
  }
}
