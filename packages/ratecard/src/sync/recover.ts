// An interrupted push is resolved before anything new is planned: what became of its steps of unknown outcome is looked up and
// written down. It is then abandoned; only resume finishes an old push, for a corrected document must not first publish the wrong one.
import { ServiceError } from '../errors/service-error.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import type { LeaseToken, PushRecord, StepRecord } from '../store/store.ts'
import { idempotencyKey } from './apply.ts'
import type { SyncDeps } from './deps.ts'
import { asServiceError } from './problems.ts'

export async function resolveInterruptedPushes(deps: SyncDeps, token: LeaseToken, signal: AbortSignal): Promise<void> {
  for (const push of await deps.store.pushes.unresolved()) {
    await resolveSteps(deps, push, token, signal)
    if (push.state === 'running' || push.state === 'interrupted')
      await deps.store.pushes.end(push.id, 'abandoned', push.error, token)
    deps.onProgress(push.id)
  }
}

/** Looks up every step that was sent and not answered. Fails with `push_unfinished` when the processor cannot be asked. */
export async function resolveSteps(deps: SyncDeps, push: PushRecord, token: LeaseToken, signal: AbortSignal): Promise<void> {
  for (const record of await deps.store.pushes.steps(push.id)) {
    if (record.state !== 'begun' && record.state !== 'unknown') continue
    try {
      await resolveOne(deps, push, record, token, signal)
    } catch (error) {
      const failure = asServiceError(error)
      throw new ServiceError('push_unfinished', `The outcome of step ${String(record.index + 1)} of push ${push.id} could not be looked up.`, {
        hint: 'Try again when the processor can be reached.',
        extra: { push_id: push.id },
        ...(failure instanceof ServiceError ? { processor: failure.processor } : {}),
        cause: error,
      })
    }
  }
}

async function resolveOne(deps: SyncDeps, push: PushRecord, record: StepRecord, token: LeaseToken, signal: AbortSignal): Promise<void> {
  const { pushes } = deps.store
  const step = JSON.parse(record.resolved ?? record.step) as ResolvedStep
  if (step.op === 'record') {
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  const found = await deps.processor.locate(step, signal)
  if (found === null) {
    await pushes.settle(push.id, record.index, 'pending', record.error, token)
    return
  }
  if (step.op === 'create' && step.kind === 'webhook') {
    // Its secret was in the lost answer and is never told again: an endpoint that nobody can verify is of no use.
    await deps.processor.discardWebhook(found.processorId, {
      idempotencyKey: `${idempotencyKey(push.id, record.index, record.attempts)}-discard`,
      signal,
    })
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  await pushes.succeed(push.id, record.index, { processorId: found.processorId, requestId: found.requestId }, token)
}
