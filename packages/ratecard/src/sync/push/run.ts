// Turns a plan into a version: writes the journal, performs the steps, and makes the version current in one transaction. A failed push
// changes nothing for customers: the earlier version and its mappings are served until that transaction.
import { ServiceError } from '../../errors/service-error.ts'
import { reportText } from '../../catalog/change-report.ts'
import type { PlannedChange } from '../../catalog/change.ts'
import type { Binding, Plan } from '../../catalog/plan/plan-changes.ts'
import type { Rename } from '../../catalog/renames.ts'
import { resourceKey } from '../../catalog/resource.ts'
import type { Step } from '../../catalog/steps.ts'
import type { PriceImpact } from '../../service/service.ts'
import type { LeaseToken, MappingChange, NewVersion, PushRecord, VersionRecord } from '../../store/store.ts'
import { keyOf } from '../../store/records/actor.ts'
import type { By } from '../../store/records/actor.ts'
import { yieldToRequests } from '../../event-loop.ts'
import { StepFailure, applySteps } from './apply.ts'
import type { Results } from './apply.ts'
import type { SyncDeps } from '../deps.ts'

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
  /** Fingerprint of the plan. It is stored, so that a resume of the push can return it too. */
  readonly fingerprint?: string
  readonly impact?: readonly PriceImpact[]
  readonly movedAlong?: readonly string[]
}

export interface StoredPlan {
  readonly changes: readonly PlannedChange[]
  readonly bindings: readonly Binding[]
  readonly renames: readonly Rename[]
  readonly checksum: string
  readonly fingerprint?: string
  readonly impact?: readonly (Omit<PriceImpact, 'generations'> & Partial<Pick<PriceImpact, 'generations'>>)[]
  /**
   * Ids of migration jobs that wait for a date and whose target price this push replaces. The author of the push has approved that their
   * subscribers move to the replacement instead; see price-migrations/move-step.ts.
   */
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
  // The embedded engine commits on this thread: the journal of 7,000 steps takes 30 ms. So let waiting requests run first.
  await yieldToRequests()
  return { push, plan: stored }
}

/** Serializes changes or steps as JSON texts. For 1,000 products × 5 prices this takes 20 ms, so it lets other requests run in between. */
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
    changes: reportText(stored.changes),
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

/** Ends the journal of a push that stopped midway. Returns a problem with the number of finished steps and the cause. */
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
      ? 'Correct the cause and push again. The earlier version is still served.'
      : 'Push again, or finish it with `ratecard billing resume`. The earlier version is still served.',
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
    // The lease was lost or the store is unreachable. The journal stays open, and the next push resolves the steps.
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
