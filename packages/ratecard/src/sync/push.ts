// A push: validate, look at the live processor, plan, journal, apply, record. One at a time for an account.
import type { BillingConfig } from '../config/schema.ts'
import { checksum } from '../config/canonical.ts'
import { validateConfig } from '../config/validate.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Issue } from '../errors/issue.ts'
import { changeReport } from '../catalog/change-report.ts'
import type { ChangeReport } from '../catalog/change-report.ts'
import { catalogFingerprint } from '../catalog/desired.ts'
import { detailsOf } from '../catalog/detail.ts'
import type { Detail } from '../catalog/detail.ts'
import { planChanges, planFingerprint, planIsEmpty } from '../catalog/plan.ts'
import type { Plan } from '../catalog/plan.ts'
import { resourceKey } from '../catalog/resource.ts'
import type { VersionRecord } from '../store/store.ts'
import { bindAccount } from './account.ts'
import { pushLease } from './deps.ts'
import type { SyncDeps } from './deps.ts'
import { metersInUse, requireApproval } from './meters-in-use.ts'
import { asking } from './problems.ts'
import { resolveInterruptedPushes } from './recover.ts'
import { finishPush, openPush } from './run.ts'
import type { Lease, Run } from './run.ts'
import { checkVersion } from './version.ts'

export interface PushRequest {
  readonly author: string | null
  readonly message: string | null
  readonly dryRun?: boolean
  readonly force?: boolean
  /** Go on although live subscriptions would lose usage. */
  readonly approveImpact?: boolean
  /** Fingerprint of a plan that was shown before: another plan is refused with `plan_stale`. */
  readonly expectPlan?: string
  readonly onOpen?: (pushId: string) => void
}

export interface PushResult {
  readonly status: 'applied' | 'unchanged' | 'planned'
  readonly version: string
  readonly revision: number | null
  readonly pushId: string | null
  readonly changes: ChangeReport
  readonly details: readonly Detail[]
  readonly warnings: readonly Issue[]
  readonly writes: number
  /** Fingerprint of the plan, to be given back with `expectPlan`. */
  readonly plan: string
}

/** Throws ServiceError `config_invalid` with every issue; warnings come back. */
export function requireValid(document: unknown): {
  readonly config: BillingConfig
  readonly warnings: readonly Issue[]
} {
  const { config, errors, warnings } = validateConfig(document)
  if (config === null)
    throw new ServiceError(
      'config_invalid',
      `${String(errors.length)} ${errors.length === 1 ? 'problem' : 'problems'} in the configuration.`,
      { issues: [...errors, ...warnings] },
    )
  return { config, warnings }
}

export async function pushConfig(deps: SyncDeps, document: unknown, request: PushRequest): Promise<PushResult> {
  const { config, warnings } = requireValid(document)
  return request.dryRun === true
    ? planPush(deps, config, warnings, request)
    : deps.store.exclusively(pushLease, (lease) =>
        pushUnderLease(deps, { kind: 'push', config, document, warnings }, request, lease),
      )
}

export interface Subject {
  readonly kind: 'push' | 'rollback'
  readonly config: BillingConfig
  /** As the caller sent it. */
  readonly document: unknown
  readonly warnings: readonly Issue[]
}

interface Considered {
  readonly current: VersionRecord | null
  readonly plan: Plan
  /** What the plan does to live subscriptions. */
  readonly impact: readonly Issue[]
  readonly unchanged: boolean
}

/** Reads the live state and plans against it; writes nothing. */
async function consider(
  deps: SyncDeps,
  config: BillingConfig,
  force: boolean,
  signal: AbortSignal,
): Promise<Considered> {
  const current = await deps.store.versions.current()
  const previous = currentDocument(current)
  const snapshot = await asking(() => deps.processor.snapshot({ signal }))
  const plan = planChanges({ config, previous, snapshot, mappings: await deps.store.mappings.all(), force })
  const sameContent = previous !== null && catalogFingerprint(previous) === catalogFingerprint(config)
  const impact = await metersInUse(deps, { plan, snapshot, config }, signal)
  const unchanged = sameContent && current?.version === config.version && planIsEmpty(plan)
  return { current, plan, impact, unchanged }
}

export function currentDocument(current: VersionRecord | null): BillingConfig | null {
  return current === null || current.document === null ? null : (JSON.parse(current.document) as BillingConfig)
}

async function planPush(
  deps: SyncDeps,
  config: BillingConfig,
  warnings: readonly Issue[],
  request: PushRequest,
): Promise<PushResult> {
  const signal = deps.shutdown
  await bindAccount(deps, signal, 'look')
  const { current, plan, impact, unchanged } = await consider(deps, config, request.force === true, signal)
  refuseImpossible(plan)
  const versionIssues = unchanged ? [] : checkVersion(deps, config, current)
  return {
    status: 'planned',
    version: config.version,
    revision: current?.revision ?? null,
    pushId: null,
    changes: changeReport(plan.changes),
    details: detailsOf(plan.changes, () => null),
    warnings: [...warnings, ...versionIssues, ...plan.issues, ...impact],
    writes: writesOf(plan),
    plan: planFingerprint(plan),
  }
}

export async function pushUnderLease(
  deps: SyncDeps,
  subject: Subject,
  request: PushRequest,
  lease: Lease,
): Promise<PushResult> {
  const { config } = subject
  await bindAccount(deps, lease.signal)
  await resolveInterruptedPushes(deps, lease.token, lease.signal)
  const { current, plan, impact, unchanged } = await consider(deps, config, request.force === true, lease.signal)
  refuseImpossible(plan)
  refuseStale(plan, request)
  requireApproval(impact, request.approveImpact === true)
  const changes = changeReport(plan.changes)
  if (unchanged)
    return {
      status: 'unchanged',
      version: config.version,
      revision: current?.revision ?? null,
      pushId: null,
      changes,
      details: [],
      warnings: [...subject.warnings, ...plan.issues],
      writes: 0,
      plan: planFingerprint(plan),
    }
  const versionIssues = subject.kind === 'rollback' ? [] : checkVersion(deps, config, current)
  const run: Run = {
    kind: subject.kind,
    document: JSON.stringify(subject.document),
    checksum: checksum(config),
    version: config.version,
    author: request.author,
    message: request.message,
    baseRevision: current?.revision ?? null,
  }
  const push = await openPush(deps, run, plan, lease)
  request.onOpen?.(push.id)
  const { version, results } = await finishPush(deps, push, lease)
  return {
    status: 'applied',
    version: version.version,
    revision: version.revision,
    pushId: push.id,
    changes,
    details: detailsOf(plan.changes, (kind, id) => results.get(resourceKey(kind, id)) ?? null),
    warnings: [...subject.warnings, ...versionIssues, ...plan.issues, ...impact],
    writes: writesOf(plan),
    plan: planFingerprint(plan),
  }
}

function refuseStale(plan: Plan, { expectPlan }: PushRequest): void {
  if (expectPlan === undefined || expectPlan === planFingerprint(plan)) return
  throw new ServiceError(
    'plan_stale',
    'The saved plan no longer fits: the processor or the configuration changed since. Nothing was written.',
    {
      hint: 'Plan again, look at the difference, and apply the new plan.',
    },
  )
}

function writesOf(plan: Plan): number {
  return plan.steps.filter((step) => step.op !== 'record').length
}

function refuseImpossible(plan: Plan): void {
  const errors = plan.issues.filter((issue) => issue.severity === 'error')
  if (errors.length === 0) return
  const drift = errors.every((issue) => issue.code === 'drift')
  if (drift)
    throw new ServiceError(
      'processor_drift',
      `${String(errors.length)} managed ${errors.length === 1 ? 'field was' : 'fields were'} changed at the processor.`,
      {
        hint: 'Overwrite with --force (`?force=true`), or take the live values into the document with `ratecard billing pull`.',
        issues: plan.issues,
      },
    )
  throw new ServiceError(
    'plan_refused',
    `${String(errors.length)} ${errors.length === 1 ? 'change is' : 'changes are'} impossible at the processor. Nothing was written.`,
    { issues: plan.issues },
  )
}
