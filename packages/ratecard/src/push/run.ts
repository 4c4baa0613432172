// Turns a plan into a version. Writes the journal, executes the steps, and makes the version current in one transaction. Customers get the
// earlier version until that transaction, so a failed push changes nothing for them.
import { ServiceError } from '../base/errors/service-error.ts'
import { reportText } from '../catalog/change-report.ts'
import type { PlannedChange } from '../catalog/change.ts'
import type { Plan } from '../catalog/plan/plan-changes.ts'
import { resourceKey } from '../catalog/resource.ts'
import type { Step } from '../catalog/steps.ts'
import type { Violation } from '../catalog/policies/decide.ts'
import { keyOf, type By } from '../store/records/actor.ts'
import { yieldToRequests } from '../base/event-loop.ts'
import { StepFailure, applySteps, type Results } from './apply.ts'
import type { SyncDeps } from './deps.ts'
import type { StoredPlan } from './lookup/stored-plan.ts'
import type { AffectedSubscriber, PriceImpact } from '../api/push/pushes.ts'
import type { LeaseToken } from '../store/lease-token.ts'
import type { MappingChange, NewVersion, VersionRecord } from '../store/records/configuration.ts'
import type { PushRecord } from '../store/records/journal.ts'

export interface PushRun {
  readonly kind: PushRecord['kind']
  /** JSON text of the document; null for a reset. */
  readonly document: string | null
  readonly checksum: string
  readonly version: string
  readonly author: string | null
  readonly by: By | null
  readonly message: string | null
  readonly baseRevision: number | null
  /** Fingerprint of the plan. It is stored, so that a resumed push can return it too. */
  readonly fingerprint?: string
  readonly impact?: readonly PriceImpact[]
  /** Number of distinct tenants in the impact. */
  readonly tenants?: number
  readonly who?: readonly AffectedSubscriber[]
  /** Policies that the plan broke when it was approved. */
  readonly violations?: readonly Violation[]
  readonly summary?: string
  /** Ids of the policies that were overridden. */
  readonly overrides?: readonly string[]
  readonly movedAlong?: readonly string[]
}

/** An open push with its parsed plan. The plan is parsed only once, because parsing one of 1,000 products × 5 prices takes 20 ms. */
export interface OpenPush {
  readonly push: PushRecord
  readonly plan: StoredPlan
}

export interface Lease {
  readonly token: LeaseToken
  readonly signal: AbortSignal
}

export interface RunResult {
  readonly version: VersionRecord
  readonly results: Results
}

export async function openPush(deps: SyncDeps, run: PushRun, plan: Plan, lease: Lease): Promise<OpenPush> {
  const stored: StoredPlan = {
    changes: plan.changes,
    bindings: plan.bindings,
    renames: plan.renames,
    checksum: run.checksum,
    ...(run.fingerprint === undefined ? {} : { fingerprint: run.fingerprint }),
    ...(run.impact === undefined ? {} : { impact: run.impact }),
    ...(run.tenants === undefined ? {} : { tenants: run.tenants }),
    ...(run.who === undefined ? {} : { who: run.who }),
    ...(run.violations === undefined ? {} : { violations: run.violations }),
    ...(run.summary === undefined ? {} : { summary: run.summary }),
    ...(run.overrides === undefined || run.overrides.length === 0 ? {} : { overrides: run.overrides }),
    ...(run.movedAlong === undefined || run.movedAlong.length === 0 ? {} : { movedAlong: run.movedAlong }),
  }
  const { changes, ...rest } = stored
  const changeTexts = await textsOf(changes)
  const push = await deps.store.pushes.open(
    {
      id: deps.newId(),
      kind: run.kind,
      document: run.document,
      version: run.version,
      author: run.author,
      ...keyOf(run.by),
      message: run.message,
      plan: `{"changes":[${changeTexts.join()}],${JSON.stringify(rest).slice(1)}`,
      baseRevision: run.baseRevision,
      steps: await textsOf(plan.steps),
      createdAt: deps.clock.now(),
    },
    lease.token,
  )
  deps.onProgress(push.id)
  // The embedded database commits on this thread, which takes 30 ms for a journal of 7,000 steps. So let waiting requests run first.
  await yieldToRequests()
  return { push, plan: stored }
}

/**
 * Serializes changes or steps to JSON texts. For 1,000 products with 5 prices each this takes 20 ms, so other requests may run in between.
 */
async function textsOf(items: readonly unknown[]): Promise<string[]> {
  const texts: string[] = []
  for (const item of items) {
    texts.push(JSON.stringify(item))
    await yieldToRequests()
  }
  return texts
}

/** Performs the pending steps of an open push and makes its version current. */
export async function finishPush(
  deps: SyncDeps,
  { push, plan: stored }: OpenPush,
  lease: Lease,
  onRefused?: (step: Step, error: ServiceError) => void,
): Promise<RunResult> {
  let results: Results
  try {
    results = await applySteps(deps, {
      pushId: push.id,
      token: lease.token,
      bindings: stored.bindings,
      signal: lease.signal,
      ...(onRefused === undefined ? {} : { onRefused }),
    })
  } catch (error) {
    throw await stopPush(deps, push, lease, error)
  }
  const version: NewVersion = {
    version: push.version,
    kind: push.kind,
    document: push.document,
    checksum: stored.checksum,
    author: push.author,
    keyId: push.keyId,
    keyName: push.keyName,
    message: push.message,
    changes: reportText(stored.changes, stored.overrides),
    createdAt: deps.clock.now(),
    pushId: push.id,
  }
  const record = await deps.store.pushes.close(
    push.id,
    version,
    mappingsOf(stored.changes, results),
    lease.token,
    stored.renames,
  )
  deps.cancelled.forget(push.id)
  deps.onApplied()
  deps.onProgress(push.id)
  await yieldToRequests()
  return { version: record, results }
}

function mappingsOf(changes: readonly PlannedChange[], results: Results): MappingChange[] {
  const mappings: MappingChange[] = []
  for (const { action, kind, configId, processorIdAfter } of changes) {
    if (action === 'keep' || action === 'archive') continue
    const id = processorIdAfter ?? results.get(resourceKey(kind, configId))
    if (id === undefined) throw new Error(`No step made ${kind} "${configId}"`)
    mappings.push({ kind, configId, processorId: id })
  }
  return mappings
}

/** Ends the journal of a push that stopped midway. Returns a problem (an API error) with the number of finished steps and the cause. */
async function stopPush(deps: SyncDeps, push: PushRecord, lease: Lease, error: unknown): Promise<unknown> {
  const reason = error instanceof StepFailure ? error.reason : error
  const failure = reason instanceof ServiceError ? reason : null
  const refused = failure?.code === 'processor_rejected' || failure?.code === 'processor_unauthorized'
  const state = refused ? 'failed' : 'interrupted'
  const steps = await deps.store.pushes.steps(push.id)
  const done = steps.filter((step) => step.state === 'succeeded').length
  const extra = {
    push_id: push.id,
    push_state: state,
    steps_done: done,
    steps_total: steps.length,
    ...(error instanceof StepFailure
      ? {
          failed_step: { index: error.index, op: error.step.op, kind: error.step.kind, config_id: error.step.configId },
        }
      : {}),
  }
  const problem = new ServiceError(failure?.code ?? 'internal', describe(error, failure, done, steps.length), {
    hint: refused
      ? 'Fix the cause and push again. Until then the earlier version is served.'
      : 'Push again, or finish the push with `ratecard billing resume`. Until then the earlier version is served.',
    processor: failure?.processor,
    retryAfter: failure?.retryAfter,
    extra,
    cause: reason,
  })
  const words = JSON.stringify({
    code: problem.code,
    detail: problem.message,
    hint: problem.hint,
    processor: problem.processor,
    ...extra,
  })
  try {
    await deps.store.pushes.end(push.id, state, words, lease.token)
  } catch (ending) {
    // The lease was lost or the store is unreachable. The journal stays open, and the next push finds the outcome of its steps.
    if (!(ending instanceof ServiceError)) throw ending
  }
  deps.cancelled.forget(push.id)
  deps.onProgress(push.id)
  return problem
}

function describe(error: unknown, failure: ServiceError | null, done: number, total: number): string {
  const where =
    error instanceof StepFailure ? ` at ${error.step.op} of ${error.step.kind} "${error.step.configId}"` : ''
  const why = failure === null ? '' : ` ${failure.message}`
  return `The push stopped${where}, after ${String(done)} of ${String(total)} steps.${why}`
}
