// An interrupted push is resolved before anything new is planned: what became of its steps of unknown outcome is looked up and
// written down. It is then abandoned; only resume finishes an old push, for a corrected document must not first publish the wrong one.
import { ServiceError } from '../errors/service-error.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import type { LeaseToken, PushRecord, StepRecord } from '../store/store.ts'
import { discardUnverifiable } from './apply.ts'
import type { SyncDeps } from './deps.ts'
import { asServiceError } from '../processor/failures.ts'

export async function resolveInterruptedPushes(deps: SyncDeps, token: LeaseToken, signal: AbortSignal): Promise<void> {
  for (const push of await deps.store.pushes.unresolved()) {
    await resolveSteps(deps, push, token, signal, 'abandon')
    if (push.state === 'running' || push.state === 'interrupted')
      await deps.store.pushes.end(push.id, 'abandoned', push.error, token)
    deps.onProgress(push.id)
  }
}

/** Looks up every step that was sent and not answered. Fails with `push_unfinished` when the processor cannot be asked. */
export async function resolveSteps(
  deps: SyncDeps,
  push: PushRecord,
  token: LeaseToken,
  signal: AbortSignal,
  intent: 'abandon' | 'resume',
): Promise<void> {
  for (const record of await deps.store.pushes.steps(push.id)) {
    if (record.state !== 'begun' && record.state !== 'unknown') continue
    try {
      await resolveOne(deps, push, record, token, signal, intent)
    } catch (error) {
      const failure = asServiceError(error, 'push')
      throw new ServiceError(
        'push_unfinished',
        `The outcome of step ${String(record.index + 1)} of push ${push.id} could not be looked up.`,
        {
          hint: 'Try again when the processor can be reached.',
          extra: { push_id: push.id },
          ...(failure instanceof ServiceError ? { processor: failure.processor } : {}),
          cause: error,
        },
      )
    }
  }
}

/** Stripe keeps the answer of an idempotency key at least 24 hours; an hour is left for clocks that disagree. */
const keyLifeMs = 23 * 60 * 60 * 1000

async function resolveOne(
  deps: SyncDeps,
  push: PushRecord,
  record: StepRecord,
  token: LeaseToken,
  signal: AbortSignal,
  intent: 'abandon' | 'resume',
): Promise<void> {
  const { pushes } = deps.store
  const step = JSON.parse(record.resolved ?? record.step) as ResolvedStep
  if (step.op === 'record') {
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  const found = await deps.processor.locate(step, signal)
  if (found === null) {
    // Not there, but perhaps still on its way: whoever resumes sends it under the same key once more while that is remembered.
    const remembered = record.beganAt !== null && deps.clock.now() - record.beganAt < keyLifeMs
    const state = intent === 'resume' && remembered ? 'unknown' : 'pending'
    await pushes.settle(push.id, record.index, state, record.error, token)
    return
  }
  if (step.op === 'create' && step.kind === 'webhook') {
    await discardUnverifiable(deps, { pushId: push.id, signal }, record, found.processorId)
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  await pushes.succeed(push.id, record.index, { processorId: found.processorId, requestId: found.requestId }, token)
}
