// A push: validates the document, reads the live state, plans, writes the journal, applies the steps and stores the version. Only one push
// runs at a time per account.
import { ServiceError } from '../base/errors/service-error.ts'
import { changeReport } from '../catalog/change-report.ts'
import { detailsOf } from '../catalog/detail.ts'
import type { Plan } from '../catalog/plan/plan-changes.ts'
import { resourceKey } from '../catalog/resource.ts'
import { bindAccount } from './account.ts'
import { planAgainstLive } from './plan-against-live.ts'
import { pushLease } from '../acts/lease.ts'
import type { SyncDeps } from './deps.ts'
import { yieldToRequests } from '../base/event-loop.ts'
import { requireValid, type ValidDocument } from './document-jobs.ts'
import { impactAge, impactMember } from './checks/impact.ts'
import { requireApproval } from './checks/meters-in-use.ts'
import { settleEarlierWrites } from './recover.ts'
import { finishPush, openPush, type Lease, type PushRun } from './run.ts'
import { checkVersion } from './version.ts'
import { requireWrittenForm } from './written-form.ts'
import type { GivenDocument } from '../api/push/config.ts'
import type { PushOptions, PushOutcome } from '../api/push/pushes.ts'

export interface PushRequest extends PushOptions {
  /** Target revision of a rollback. Items that were renamed since then get their former ids back. */
  readonly rollbackTo?: number
}

export async function pushConfig(deps: SyncDeps, document: GivenDocument, request: PushRequest): Promise<PushOutcome> {
  const checked = await requireValid(deps, document)
  if (request.written !== undefined) await requireWrittenForm(deps, request.written, checked.text)
  return request.dryRun === true
    ? planPush(deps, checked, request)
    : deps.store.exclusively(pushLease, (lease) => pushUnderLease(deps, { kind: 'push', ...checked }, request, lease))
}

export interface PushInput extends ValidDocument {
  readonly kind: 'push' | 'rollback'
}

export async function planPush(deps: SyncDeps, document: ValidDocument, request: PushRequest): Promise<PushOutcome> {
  const { config, warnings } = document
  const signal = deps.shutdown
  await bindAccount(deps, signal, 'look')
  const planned = await planAgainstLive(deps, document, request, signal)
  const { current, plan, impact, approvals, cautions, unchanged, checksum, fingerprint, summary } = planned
  refuseStale(fingerprint, request)
  const versionIssues =
    unchanged || request.rollbackTo !== undefined
      ? []
      : checkVersion(deps, { version: config.version, checksum }, current)
  await yieldToRequests()
  return {
    status: 'planned',
    version: config.version,
    revision: current?.revision ?? null,
    pushId: null,
    summary,
    changes: changeReport(plan.changes),
    details: detailsOf(plan.changes, () => null),
    warnings: [...warnings, ...versionIssues, ...plan.issues, ...cautions, ...approvals],
    violations: unchanged ? [] : await deps.guard.violations(planned.facts, request.override),
    impact: impact.prices,
    who: [...impact.who],
    ...impactAge(impact),
    writes: writesOf(plan),
    plan: fingerprint,
  }
}

export async function pushUnderLease(
  deps: SyncDeps,
  subject: PushInput,
  request: PushRequest,
  lease: Lease,
): Promise<PushOutcome> {
  const { config } = subject
  await bindAccount(deps, lease.signal)
  await settleEarlierWrites(deps, lease)
  const planned = await planAgainstLive(deps, subject, request, lease.signal)
  const { current, plan, impact, approvals, cautions, movedAlong, unchanged, checksum, fingerprint, summary } = planned
  refuseStale(fingerprint, request)
  // An unchanged document writes nothing, so no policy holds it.
  const { violations, overrides } = unchanged
    ? { violations: [], overrides: [] }
    : await deps.guard.allow(planned.facts, request.override ?? [])
  requireApproval(approvals, request.approveImpact === true, { impact: impactMember(impact) })
  const changes = changeReport(plan.changes)
  if (unchanged) {
    // The document is unchanged, but its written form (the document before variables were expanded) may be new, e.g. if variables were
    // renamed.
    if (request.written !== undefined && typeof current?.pushId === 'string')
      await deps.store.writtenForms.assign(current.pushId, request.written)
    return {
      status: 'unchanged',
      version: config.version,
      revision: current?.revision ?? null,
      pushId: null,
      summary,
      changes,
      details: [],
      warnings: [...subject.warnings, ...plan.issues],
      violations,
      impact: [],
      who: [],
      writes: 0,
      plan: fingerprint,
    }
  }
  const versionIssues =
    subject.kind === 'rollback' ? [] : checkVersion(deps, { version: config.version, checksum }, current)
  const run: PushRun = {
    kind: subject.kind,
    document: subject.text,
    checksum,
    version: config.version,
    author: request.author,
    by: request.by,
    message:
      request.message ??
      (request.rollbackTo === undefined ? null : `Rollback to revision ${String(request.rollbackTo)}`),
    baseRevision: current?.revision ?? null,
    fingerprint,
    impact: impact.prices,
    tenants: impact.tenants,
    who: impact.who,
    violations,
    summary,
    overrides,
    movedAlong,
  }
  const opened = await openPush(deps, run, plan, lease)
  const { push } = opened
  if (request.written !== undefined) await deps.store.writtenForms.assign(push.id, request.written)
  request.onOpen?.(push.id)
  const { version, results } = await finishPush(deps, opened, lease)
  return {
    status: 'applied',
    version: version.version,
    revision: version.revision,
    pushId: push.id,
    summary,
    changes,
    details: detailsOf(plan.changes, (kind, id) => results.get(resourceKey(kind, id)) ?? null),
    warnings: [...subject.warnings, ...versionIssues, ...plan.issues, ...cautions, ...approvals],
    violations,
    impact: impact.prices,
    who: [...impact.who],
    ...impactAge(impact),
    writes: writesOf(plan),
    plan: fingerprint,
  }
}

function refuseStale(fingerprint: string, { expectPlan }: PushRequest): void {
  if (expectPlan === undefined || expectPlan === fingerprint) return
  throw new ServiceError(
    'plan_stale',
    'The price list or the processor changed since this plan was made. Nothing was written.',
    {
      hint: 'Plan again to see what is different, then apply the new plan.',
    },
  )
}

function writesOf(plan: Plan): number {
  return plan.steps.filter((step) => step.op !== 'record').length
}
