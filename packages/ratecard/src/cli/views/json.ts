// What `--json` prints: one document, in the names of the wire, so that scripts read the command line and the API alike.
import type * as client from '@ratecard/client'
import type { Problem } from '../failure.ts'
import type { ViewedIssue } from './issues.ts'

export function jsonIssue(issue: ViewedIssue) {
  return {
    code: issue.code,
    pointer: issue.pointer,
    severity: issue.severity,
    detail: issue.detail,
    ...(issue.hint === undefined ? {} : { hint: issue.hint }),
    ...(issue.path === undefined ? {} : { file: issue.path, line: issue.line, column: issue.column }),
  }
}

export function jsonProblem(problem: Problem) {
  return {
    error: {
      code: problem.code,
      title: problem.title,
      ...(problem.status === undefined ? {} : { status: problem.status }),
      detail: problem.detail,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      ...(problem.requestId === undefined || problem.requestId === null ? {} : { instance: problem.requestId }),
      ...(problem.errors === undefined || problem.errors.length === 0 ? {} : { errors: problem.errors.map(jsonIssue) }),
      ...(problem.processor === undefined || problem.processor === null ? {} : { processor: problem.processor }),
      ...problem.extra,
    },
  }
}

export function jsonDetail(detail: client.Detail) {
  return {
    kind: detail.kind,
    config_id: detail.configId,
    action: detail.action,
    because: detail.because,
    fields: detail.fields,
    processor_id_before: detail.processorIdBefore,
    processor_id_after: detail.processorIdAfter,
    display: detail.display,
  }
}

export function jsonOutcome(outcome: client.PushOutcome) {
  return {
    status: outcome.status,
    version: outcome.version,
    revision: outcome.revision,
    push_id: outcome.pushId,
    changes: outcome.changes,
    details: outcome.details.map(jsonDetail),
    warnings: outcome.warnings,
    impact: outcome.impact.map(jsonImpact),
    writes: outcome.writes,
    plan: outcome.plan,
  }
}

function jsonImpact(impact: client.PriceImpact) {
  return {
    price_id: impact.priceId,
    processor_price_id: impact.processorPriceId,
    action: impact.action,
    subscriptions: impact.subscriptions,
    subscriptions_without_tenant: impact.subscriptionsWithoutTenant,
    tenants: impact.tenants,
    monthly: impact.monthly,
    usage_based: impact.usageBased,
  }
}

const jsonBy = (by: client.By | null) => (by === null ? null : { key_id: by.keyId, key_name: by.keyName })

export function jsonHistoryEntry(entry: client.HistoryEntry) {
  return {
    revision: entry.revision,
    version: entry.version,
    kind: entry.kind,
    created_at: entry.createdAt,
    author: entry.author,
    by: jsonBy(entry.by),
    message: entry.message,
    checksum: entry.checksum,
    push_id: entry.pushId,
    changes: entry.changes,
  }
}

export function jsonPagination(pagination: client.Pagination) {
  const { total, limit, offset, hasMore } = pagination
  return { total, limit, offset, has_more: hasMore }
}

export function jsonDifference(difference: client.DocumentDifference) {
  return {
    kind: difference.kind,
    config_id: difference.configId,
    change: difference.change,
    fields: difference.fields,
    display: difference.display,
  }
}

export function jsonDrift(drift: client.DriftReport) {
  return {
    in_sync: drift.inSync,
    revision: drift.revision,
    version: drift.version,
    differences: drift.differences.map(jsonDetail),
    unmanaged: drift.unmanaged.map(({ kind, processorId, name }) => ({ kind, processor_id: processorId, name })),
  }
}

export function jsonReset(reset: client.ResetReport) {
  return {
    archived: reset.archived,
    errors: reset.errors.map(({ kind, configId, detail }) => ({ kind, config_id: configId, detail })),
    revision: reset.revision,
  }
}

export function jsonPush(push: client.PushSummary) {
  return {
    id: push.id,
    kind: push.kind,
    state: push.state,
    version: push.version,
    revision: push.revision,
    author: push.author,
    by: jsonBy(push.by),
    message: push.message,
    created_at: push.createdAt,
    updated_at: push.updatedAt,
    finished_at: push.finishedAt,
    steps_total: push.stepsTotal,
    steps_done: push.stepsDone,
  }
}

export function jsonPushReport(push: client.PushReport) {
  return {
    ...jsonPush(push),
    error: push.error,
    steps: push.steps.map((step) => ({
      index: step.index,
      op: step.op,
      kind: step.kind,
      config_id: step.configId,
      state: step.state,
      attempts: step.attempts,
      processor_id: step.processorId,
      request_id: step.requestId,
      error: step.error,
    })),
  }
}

export function jsonWebhook(webhook: client.WebhookListing) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    processor_id: webhook.processorId,
    secret: webhook.secret,
    secret_known: webhook.secretKnown,
    created_at: webhook.createdAt,
  }
}

export function jsonKey(key: client.ServiceKey) {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scope: key.scope,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}
