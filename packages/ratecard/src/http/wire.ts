// Results of the service in their form on the wire: snake_case, times as RFC 3339 in UTC. Nothing else crosses that border.
import { toRfc3339 } from '../clock.ts'
import type { Issue } from '../errors/issue.ts'
import type {
  Conversion,
  Cost,
  Detail,
  DriftReport,
  Finding,
  Page,
  Pulled,
  PushEvent,
  PushOutcome,
  PushReport,
  PushStep,
  PushSummary,
  ResetReport,
  ServedConfig,
  Validation,
  WebhookListing,
} from '../service.ts'
import { priceImpactToWire } from './impact-wire.ts'

const timeOrNull = (epochMs: number | null) => (epochMs === null ? null : toRfc3339(epochMs))

export function servedConfigToWire(served: ServedConfig) {
  return {
    id: served.id,
    version: served.version,
    revision: served.revision,
    created_at: toRfc3339(served.createdAt),
    updated_at: toRfc3339(served.updatedAt),
    config: served.config,
  }
}

export function issueToWire(issue: Issue) {
  return {
    code: issue.code,
    pointer: issue.pointer,
    severity: issue.severity,
    detail: issue.detail,
    ...(issue.hint === undefined ? {} : { hint: issue.hint }),
  }
}

export function validationToWire(validation: Validation) {
  return {
    valid: validation.valid,
    errors: validation.errors.map(issueToWire),
    warnings: validation.warnings.map(issueToWire),
  }
}

export function detailToWire(detail: Detail) {
  return {
    kind: detail.kind,
    config_id: detail.configId,
    action: detail.action,
    because: detail.because,
    // JSON has no undefined; a field that is absent is null here.
    fields: detail.fields.map(({ field, before, after, origin }) => ({
      field,
      before: before ?? null,
      after: after ?? null,
      origin,
    })),
    processor_id_before: detail.processorIdBefore,
    processor_id_after: detail.processorIdAfter,
    display: { before: detail.display.before, after: detail.display.after },
  }
}

export function pushOutcomeToWire(outcome: PushOutcome) {
  return {
    status: outcome.status,
    version: outcome.version,
    revision: outcome.revision,
    push_id: outcome.pushId,
    changes: outcome.changes,
    details: outcome.details.map(detailToWire),
    warnings: outcome.warnings.map(issueToWire),
    impact: outcome.impact.map(priceImpactToWire),
    writes: outcome.writes,
    plan: outcome.plan,
  }
}

export function pushSummaryToWire(push: PushSummary) {
  return {
    id: push.id,
    kind: push.kind,
    state: push.state,
    version: push.version,
    revision: push.revision,
    author: push.author,
    message: push.message,
    created_at: toRfc3339(push.createdAt),
    updated_at: toRfc3339(push.updatedAt),
    finished_at: timeOrNull(push.finishedAt),
    steps_total: push.stepsTotal,
    steps_done: push.stepsDone,
  }
}

export function pushStepToWire(step: PushStep) {
  return {
    index: step.index,
    op: step.op,
    kind: step.kind,
    config_id: step.configId,
    state: step.state,
    attempts: step.attempts,
    processor_id: step.processorId,
    request_id: step.requestId,
    error: step.error,
  }
}

export function pushReportToWire(push: PushReport) {
  return { ...pushSummaryToWire(push), error: push.error, steps: push.steps.map(pushStepToWire) }
}

export function pushEventToWire(event: PushEvent) {
  const progress = { push_id: event.pushId, steps_done: event.stepsDone, steps_total: event.stepsTotal }
  return event.type === 'state'
    ? { ...progress, state: event.state }
    : { ...progress, step: pushStepToWire(event.step) }
}

export function paginationToWire(page: Page, total: number, shown: number) {
  return { total, limit: page.limit, offset: page.offset, has_more: page.offset + shown < total }
}

export function pulledToWire(pulled: Pulled) {
  return {
    document: pulled.document,
    unrepresented: pulled.unrepresentable.map(({ kind, processorId, reason }) => ({
      kind,
      processor_id: processorId,
      reason,
    })),
  }
}

export function driftToWire(drift: DriftReport) {
  return {
    in_sync: drift.inSync,
    revision: drift.revision,
    version: drift.version,
    differences: drift.differences.map(detailToWire),
    unmanaged: drift.unmanaged.map(({ kind, processorId, name }) => ({ kind, processor_id: processorId, name })),
  }
}

export function resetToWire(reset: ResetReport) {
  return {
    archived: reset.archived,
    errors: reset.errors.map(({ kind, configId, detail }) => ({ kind, config_id: configId, detail })),
    revision: reset.revision,
  }
}

export function conversionToWire(conversion: Conversion) {
  return {
    config_id: conversion.configId,
    processor_id: conversion.processorId,
    item_type: conversion.itemType,
    history_count: conversion.historyCount,
    current: conversion.current,
  }
}

export function webhookToWire(webhook: WebhookListing) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    processor_id: webhook.processorId,
    secret: webhook.secret,
    secret_known: webhook.secretKnown,
    created_at: timeOrNull(webhook.createdAt),
  }
}

export function costToWire(cost: Cost) {
  return {
    price_id: cost.priceId,
    quantity: cost.quantity,
    currency: cost.currency,
    billing_scheme: cost.billingScheme,
    ...(cost.tiersMode === null ? {} : { tiers_mode: cost.tiersMode }),
    amount: cost.amount,
    amount_decimal: cost.amountDecimal,
    effective_unit_amount: cost.effectiveUnitAmount === null ? null : minorUnits(cost.effectiveUnitAmount),
    formatted: cost.formatted,
    breakdown: cost.breakdown.map((line) => ({
      up_to: line.upTo ?? ('inf' as const),
      quantity: line.quantity,
      unit_amount: minorUnits(line.unitAmount),
      flat_amount: minorUnits(line.flatAmount),
      amount: minorUnits(line.amount),
    })),
  }
}

export function findingToWire(finding: Finding) {
  return {
    check: finding.check,
    status: finding.status,
    detail: finding.detail,
    ...(finding.hint === undefined ? {} : { hint: finding.hint }),
  }
}

/** Whole minor units as an integer, fractions as exact decimal text: never a float, and plain amounts add up without parsing. */
function minorUnits(canonical: string): number | string {
  const whole = Number(canonical)
  return Number.isSafeInteger(whole) && String(whole) === canonical ? whole : canonical
}
