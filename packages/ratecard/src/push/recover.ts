// Ends an interrupted push before the next plan. Its steps of unknown outcome are retried under their own idempotency keys and their
// results are stored, so that none of them can take effect later. Then the push is abandoned. Only an explicit resume finishes an old push.
// Otherwise, a push of a corrected document would first publish the wrong document.
import { ServiceError } from '../base/errors/service-error.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import { foundAt, isUnanswered, knowsKey, lateForMs, retryWrite } from '../acts/journal/late-writes.ts'
import { idempotencyKey } from '../acts/journal/run-steps.ts'
import type { PerformedStep } from '../processor/processor.ts'
import { maxWriteMs } from '../processor/write-options.ts'
import { archivedObject, discardUnverifiable } from './apply.ts'
import type { SyncDeps } from './deps.ts'
import { asServiceError } from '../processor/failures.ts'
import { settleLateRotations } from './webhooks/late-rotations.ts'
import type { Lease } from './run.ts'
import type { PushHead, StepRecord } from '../store/records/journal.ts'

/**
 * Finds the outcome of the late writes of earlier rotations and pushes. A late write is a request without a response, which the processor
 * may still execute. Runs under the lease of pushes, before any plan or write.
 */
export async function settleEarlierWrites(deps: SyncDeps, lease: Lease): Promise<void> {
  await settleLateRotations(deps, lease)
  for (const push of await deps.store.pushes.unresolved()) {
    await resolveSteps(deps, push, lease, maxWriteMs)
    if (push.state !== 'failed') await deps.store.pushes.end(push.id, 'abandoned', push.error, lease.token)
    deps.onProgress(push.id)
  }
}

/**
 * Finds the outcome of every step that was sent without a response. A step is retried for `againForMs` milliseconds after its sender
 * stopped waiting; later it is only looked up. Throws `push_unfinished` if the processor may still execute a step, and if it is
 * unreachable.
 */
export async function resolveSteps(deps: SyncDeps, push: PushHead, lease: Lease, againForMs: number): Promise<void> {
  for (const record of await deps.store.pushes.steps(push.id)) {
    if (!isUnanswered(record)) continue
    try {
      await resolveOne(deps, push, record, { ...lease, againForMs })
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'push_unfinished') throw error
      const failure = asServiceError(error, 'push')
      throw new ServiceError(
        'push_unfinished',
        `The outcome of step ${String(record.index + 1)} of push ${push.id} could not be looked up.`,
        {
          hint: 'Try again when the processor can be reached.',
          extra: { push_id: push.id },
          ...(failure instanceof ServiceError ? { processor: failure.processor, retryAfter: failure.retryAfter } : {}),
          cause: error,
        },
      )
    }
  }
}

interface Resolving extends Lease {
  readonly againForMs: number
}

async function resolveOne(deps: SyncDeps, push: PushHead, record: StepRecord, lease: Resolving): Promise<void> {
  const { pushes } = deps.store
  const { token, signal } = lease
  const step = JSON.parse(record.resolved ?? record.step) as ResolvedStep
  if (step.op === 'record') {
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  const found = foundAt(record, deps.clock.now())
  if (found !== record) await pushes.settle(push.id, record.index, 'unknown', record.error, token)
  const performed = (await answerOf(deps, push, found, lease)) ?? (await deps.processor.locate(step, signal))
  if (performed === null) {
    await pushes.settle(push.id, record.index, 'pending', record.error, token)
    return
  }
  const { processorId, requestId, secret } = performed
  if (step.op === 'create' && step.kind === 'webhook' && secret === null) {
    await discardUnverifiable(deps, { pushId: push.id, signal }, record, processorId)
    await pushes.settle(push.id, record.index, 'pending', null, token)
    return
  }
  await pushes.succeed(
    push.id,
    record.index,
    { processorId, requestId, ...(secret === null ? {} : { secret }), ...archivedObject(deps, step) },
    token,
  )
}

/**
 * Retries the step under its idempotency key and returns the processor's result. Returns null if the step has no result and the processor
 * can no longer execute it.
 */
async function answerOf(
  deps: SyncDeps,
  push: PushHead,
  record: StepRecord,
  { token, signal, againForMs }: Resolving,
): Promise<PerformedStep | null> {
  const now = deps.clock.now()
  if (record.resolved === null || now >= (record.endedAt ?? now) + againForMs) return null
  const step = JSON.parse(record.resolved) as ResolvedStep
  const key = idempotencyKey('push', push.id, record.index, record.attempts)
  const what = `Step ${String(record.index + 1)} of push ${push.id}`
  return retryWrite(() => deps.processor.perform(step, { idempotencyKey: key, signal }), {
    ...{ what, forMs: lateForMs(record, now), sendable: knowsKey(record, now) },
    code: 'push_unfinished',
    extra: { push_id: push.id },
    sentAnew: () => deps.store.pushes.settle(push.id, record.index, 'unknown', record.error, token),
  })
}
