// A push: validate, read the live state, plan, journal, apply, record. One runs at a time per account.
import { ServiceError } from '../../errors/service-error.ts'
import type { Issue } from '../../errors/issue.ts'
import { changeReport } from '../../catalog/change-report.ts'
import type { ChangeReport } from '../../catalog/change-report.ts'
import { detailsOf } from '../../catalog/detail.ts'
import type { Detail } from '../../catalog/detail.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import { resourceKey } from '../../catalog/resource.ts'
import type { GivenDocument, PriceImpact } from '../../service/service.ts'
import type { By } from '../../store/records/actor.ts'
import { bindAccount } from '../account.ts'
import { planAgainstLive } from './plan-against-live.ts'
import { pushLease } from '../../journal/leases.ts'
import type { SyncDeps } from '../deps.ts'
import { requireValid } from './document-jobs.ts'
import type { ValidDocument } from './document-jobs.ts'
import { impactAge, impactMember } from '../checks/impact.ts'
import { requireApproval } from '../checks/meters-in-use.ts'
import { settleEarlierWrites } from './recover.ts'
import { finishPush, openPush } from './run.ts'
import type { Lease, PushRun } from './run.ts'
import { checkVersion } from './version.ts'
import { requireWrittenForm } from './written-form.ts'

export interface PushRequest {
  readonly author: string | null
  readonly by: By | null
  readonly message: string | null
  readonly dryRun?: boolean
  readonly force?: boolean
  /** Approves the plan's impact on live subscriptions, e.g. lost usage of a deactivated meter. */
  readonly approveImpact?: boolean
  /** Fingerprint of a plan that was shown before. If the plan differs now, the push is refused with `plan_stale`. */
  readonly expectPlan?: string
  /** Id of the stored written form of the document: see {@link keepWritten}. */
  readonly written?: string
  readonly onOpen?: (pushId: string) => void
  /** Target revision of a rollback: items renamed since then get their former ids back. */
  readonly rollbackTo?: number
}

export interface PushResult {
  readonly status: 'applied' | 'unchanged' | 'planned'
  readonly version: string
  readonly revision: number | null
  readonly pushId: string | null
  readonly changes: ChangeReport
  readonly details: readonly Detail[]
  readonly warnings: readonly Issue[]
  /** One entry for each price that the plan archives or replaces. */
  readonly impact: readonly PriceImpact[]
  readonly asOf?: number
  readonly stale?: true
  readonly writes: number
  /** Fingerprint of the plan, for `expectPlan`. */
  readonly plan: string
}

export async function pushConfig(deps: SyncDeps, document: GivenDocument, request: PushRequest): Promise<PushResult> {
  const checked = await requireValid(deps, document)
  if (request.written !== undefined) await requireWrittenForm(deps, request.written, checked.text)
  return request.dryRun === true
    ? planPush(deps, checked, request)
    : deps.store.exclusively(pushLease, (lease) => pushUnderLease(deps, { kind: 'push', ...checked }, request, lease))
}

export interface PushInput extends ValidDocument {
  readonly kind: 'push' | 'rollback'
}

export async function planPush(deps: SyncDeps, document: ValidDocument, request: PushRequest): Promise<PushResult> {
  const { config, warnings } = document
  const signal = deps.shutdown
  await bindAccount(deps, signal, 'look')
  const { current, plan, impact, approvals, cautions, unchanged, fingerprint } = await planAgainstLive(
    deps,
    document,
    request,
    signal,
  )
  refuseStale(fingerprint, request)
  const versionIssues = unchanged || request.rollbackTo !== undefined ? [] : checkVersion(deps, config, current)
  return {
    status: 'planned',
    version: config.version,
    revision: current?.revision ?? null,
    pushId: null,
    changes: changeReport(plan.changes),
    details: detailsOf(plan.changes, () => null),
    warnings: [...warnings, ...versionIssues, ...plan.issues, ...cautions, ...approvals],
    impact: impact.prices,
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
): Promise<PushResult> {
  const { config } = subject
  await bindAccount(deps, lease.signal)
  await settleEarlierWrites(deps, lease)
  const { current, plan, impact, approvals, cautions, movedAlong, unchanged, checksum, fingerprint } =
    await planAgainstLive(deps, subject, request, lease.signal)
  refuseStale(fingerprint, request)
  requireApproval(approvals, request.approveImpact === true, { impact: impactMember(impact) })
  const changes = changeReport(plan.changes)
  if (unchanged) {
    // Unchanged content may have a new written form (e.g. other variables).
    if (request.written !== undefined && typeof current?.pushId === 'string')
      await deps.store.writtenForms.assign(current.pushId, request.written)
    return {
      status: 'unchanged',
      version: config.version,
      revision: current?.revision ?? null,
      pushId: null,
      changes,
      details: [],
      warnings: [...subject.warnings, ...plan.issues],
      impact: [],
      writes: 0,
      plan: fingerprint,
    }
  }
  const versionIssues = subject.kind === 'rollback' ? [] : checkVersion(deps, config, current)
  const run: PushRun = {
    kind: subject.kind,
    document: subject.text,
    checksum,
    version: config.version,
    author: request.author,
    by: request.by,
    message: request.message,
    baseRevision: current?.revision ?? null,
    fingerprint,
    impact: impact.prices,
    movedAlong,
  }
  const push = await openPush(deps, run, plan, lease)
  if (request.written !== undefined) await deps.store.writtenForms.assign(push.id, request.written)
  request.onOpen?.(push.id)
  const { version, results } = await finishPush(deps, push, lease)
  return {
    status: 'applied',
    version: version.version,
    revision: version.revision,
    pushId: push.id,
    changes,
    details: detailsOf(plan.changes, (kind, id) => results.get(resourceKey(kind, id)) ?? null),
    warnings: [...subject.warnings, ...versionIssues, ...plan.issues, ...cautions, ...approvals],
    impact: impact.prices,
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
