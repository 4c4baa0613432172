// Executes the steps of a push in the order of its journal, without planning again. Each step is written to the journal before it is sent
// and after its response. If the outcome of a step is unknown, the object is looked up before anything is retried.
import { ServiceError } from '../base/errors/service-error.ts'
import { resourceKey, type ProcessorId, type ResourceKind } from '../catalog/resource.ts'
import type { Binding } from '../catalog/plan/plan-changes.ts'
import { resolveStep } from '../catalog/resolve-step.ts'
import type { ResolvedStep, Step } from '../catalog/steps.ts'
import {
  attemptStep,
  failureText,
  idempotencyKey,
  runSteps,
  stateAfter,
  stopIfDraining,
} from '../acts/journal/run-steps.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { PerformedStep } from '../processor/processor.ts'
import { cancelCheck } from './cancel.ts'
import { yieldToRequests } from '../base/event-loop.ts'
import type { SyncDeps } from './deps.ts'
import { asServiceError } from '../processor/failures.ts'
import type { LeaseToken } from '../store/lease-token.ts'
import type { StepRecord } from '../store/records/journal.ts'

/**
 * Number of concurrent writes within a phase, whose steps change different objects. E.g. 8 concurrent writes of 250 ms each make 32
 * requests a second.
 */
const concurrency = 8

type Succeeded = Parameters<SyncDeps['store']['pushes']['succeed']>[2]

export interface ApplyContext {
  readonly pushId: string
  readonly token: LeaseToken
  readonly bindings: readonly Binding[]
  /** Aborts when the lease is lost; no further step is sent then. */
  readonly signal: AbortSignal
  /**
   * Called for each archive that the processor refused; then the push continues. A reset uses this. Without this callback the push stops at
   * the first refusal.
   */
  readonly onRefused?: (step: Step, error: ServiceError) => void
}

/** Processor ids by kind and configuration id. Contains the objects that existed before, and those that this push created. */
export type Results = Map<string, ProcessorId>

/** Executes all pending steps in order. If it throws, the journal has the state of each step. */
export async function applySteps(deps: SyncDeps, context: ApplyContext): Promise<Results> {
  const records = await deps.store.pushes.steps(context.pushId)
  const results: Results = new Map(
    context.bindings.map((binding) => [resourceKey(binding.kind, binding.configId), binding.processorId]),
  )
  const steps: Pending[] = []
  for (const record of records) {
    const step = JSON.parse(record.step) as Step
    steps.push({ record, step })
    if (record.state === 'succeeded' && step.op !== 'archive' && record.processorId !== null)
      results.set(resourceKey(step.kind, step.configId), record.processorId as ProcessorId)
    await yieldToRequests()
  }
  const pending = steps.filter(({ record }) => record.state !== 'succeeded')
  const checkCancelled = cancelCheck(deps, context.pushId)
  for (const phase of phasesOf(pending)) await runPhase(deps, context, phase, results, checkCancelled)
  return results
}

interface Pending {
  readonly record: StepRecord
  readonly step: Step
}

/**
 * Groups consecutive steps into phases, whose steps run concurrently. Each step of a meter or promotion code is a phase of its own, because
 * one step may free the name that the next step uses.
 */
function phasesOf(pending: readonly Pending[]): Pending[][] {
  const phases: Pending[][] = []
  let last = ''
  for (const item of pending) {
    const { step } = item
    const alone = step.kind === 'meter' || step.kind === 'promotion_code'
    const name = `${step.op === 'archive' ? 'archive' : isDefault(step) ? 'default' : 'write'}:${step.kind}`
    const phase = phases.at(-1)
    if (phase !== undefined && name === last && !alone) phase.push(item)
    else phases.push([item])
    last = name
  }
  return phases
}

function isDefault(step: Step): boolean {
  return step.op === 'update' && step.kind === 'product' && 'defaultPrice' in step.set
}

async function runPhase(
  deps: SyncDeps,
  context: ApplyContext,
  phase: readonly Pending[],
  results: Results,
  checkCancelled: () => Promise<void>,
): Promise<void> {
  await runSteps(phase, concurrency, async (item) => {
    stopIfDraining(deps, 'the push was')
    context.signal.throwIfAborted()
    await checkCancelled()
    await runStep(deps, context, item, results)
  })
}

async function runStep(
  deps: SyncDeps,
  context: ApplyContext,
  { record, step }: Pending,
  results: Results,
): Promise<void> {
  const resolved = resolveStep(step, (kind: ResourceKind, id) => results.get(resourceKey(kind, id)))
  const succeeded = (performed: PerformedStep | null) =>
    recordSuccess(deps, context, record, resolved, performed, results)
  return attemptStep({
    begin: () => deps.store.pushes.begin(context.pushId, record.index, JSON.stringify(resolved), context.token),
    send: async (begun) => (resolved.op === 'record' ? null : performOrFind(deps, context, resolved, begun)),
    succeeded,
    failed: (error, begun) => settleFailure(deps, context, begun, step, error),
  })
}

async function recordSuccess(
  deps: SyncDeps,
  context: ApplyContext,
  record: StepRecord,
  resolved: ResolvedStep,
  performed: PerformedStep | null,
  results: Results,
): Promise<void> {
  const processorId = performed?.processorId ?? processorIdOf(resolved)
  const secret = performed?.secret ?? null
  await deps.store.pushes.succeed(
    context.pushId,
    record.index,
    {
      processorId,
      requestId: performed?.requestId ?? null,
      ...(secret === null ? {} : { secret }),
      ...archivedObject(deps, resolved),
    },
    context.token,
  )
  if (resolved.op !== 'archive' && processorId !== null)
    results.set(resourceKey(resolved.kind, resolved.configId), processorId)
  deps.onProgress(context.pushId)
}

/** Returns the last state of an object for the journal, if archiving deletes the object at the processor. Empty for any other step. */
export function archivedObject({ clock }: Pick<SyncDeps, 'clock'>, step: ResolvedStep): Pick<Succeeded, 'archived'> {
  if (step.op !== 'archive' || step.last === null) return {}
  const { kind, configId, processorId, last } = step
  return { archived: { kind, configId, processorId, object: JSON.stringify(last), archivedAt: clock.now() } }
}

/**
 * Deletes a webhook endpoint whose secret is lost, because the response with it was lost. The processor never returns the secret again, so
 * deliveries of the endpoint could not be verified.
 */
export async function discardUnverifiable(
  deps: Pick<SyncDeps, 'processor'>,
  { pushId, signal }: { readonly pushId: string; readonly signal: AbortSignal },
  record: StepRecord,
  endpoint: ProcessorId,
): Promise<void> {
  const key = `${idempotencyKey('push', pushId, record.index, record.attempts)}-discard`
  await deps.processor.discardWebhook(endpoint, { idempotencyKey: key, signal })
}

function processorIdOf(step: ResolvedStep): ProcessorId | null {
  return step.op === 'create' ? step.id : step.processorId
}

async function performOrFind(
  deps: SyncDeps,
  context: ApplyContext,
  step: ResolvedStep,
  begun: StepRecord,
): Promise<PerformedStep> {
  try {
    return await deps.processor.perform(step, {
      idempotencyKey: idempotencyKey('push', context.pushId, begun.index, begun.attempts),
      signal: context.signal,
    })
  } catch (error) {
    if (!(error instanceof ProcessorError) || !error.outcomeUnknown) throw error
    // The adapter has already retried the step under its idempotency key. So look up the object once. A new webhook is not looked up,
    // because its secret cannot be read afterwards; the caller creates it again.
    const found = await deps.processor.locate(step, context.signal).catch(() => null)
    if (found === null || (step.op === 'create' && step.kind === 'webhook')) throw error
    return found
  }
}

async function settleFailure(
  deps: SyncDeps,
  context: ApplyContext,
  begun: StepRecord,
  step: Step,
  error: unknown,
): Promise<void> {
  const failure = asServiceError(error, 'push')
  const outcome = error instanceof ProcessorError ? stateAfter(error) : 'unknown'
  const refused = outcome === 'failed' && failure instanceof ServiceError
  const goOn = refused ? context.onRefused : undefined
  const state = goOn === undefined ? outcome : 'skipped'
  await deps.store.pushes.settle(context.pushId, begun.index, state, failureText(failure), context.token)
  deps.onProgress(context.pushId)
  if (refused && goOn !== undefined) {
    goOn(step, failure)
    return
  }
  throw new StepFailure(step, begun.index, failure)
}

/** Error of a step that did not succeed; `reason` is the error that caused it. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly step: Step
  readonly index: number
  readonly reason: unknown

  constructor(step: Step, index: number, reason: unknown) {
    super(`${step.op} ${step.kind} ${step.configId}`, { cause: reason })
    this.step = step
    this.index = index
    this.reason = reason
  }
}
