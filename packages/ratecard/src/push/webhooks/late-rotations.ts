// Late writes of webhook rotations. A late write is a request without a response, which the processor may still execute. A push finds their
// outcome before it plans. Otherwise an endpoint with an unknown secret could appear after the push, or a late write could deactivate an
// endpoint that the push has reactivated.
import { desiredCatalog } from '../../catalog/desired.ts'
import { configId, processorId, type ProcessorId } from '../../catalog/resource.ts'
import type { ResolvedStep } from '../../catalog/steps.ts'
import { foundAt, knowsKey, lateForMs, retryWrite } from '../../acts/journal/late-writes.ts'
import { idempotencyKey } from '../../acts/journal/run-steps.ts'
import { isUnknownObject } from '../../processor/failures.ts'
import type { SyncDeps } from '../deps.ts'
import { currentDocument } from '../plan-against-live.ts'
import { inputOf } from './retiring.ts'
import type { Lease } from '../run.ts'
import type { UnansweredStep } from '../../store/records/journal.ts'

/**
 * Finds the outcome of all late writes of rotations; the caller holds the lease of pushes. Throws `push_unfinished` with a `Retry-After` if
 * the processor may still execute one of them.
 */
export async function settleLateRotations(deps: SyncDeps, { token, signal }: Lease): Promise<void> {
  const { jobs } = deps.store
  for (const { job, step } of await jobs.unanswered(['webhook_rotation'])) {
    if (job.state === 'done' || job.state === 'cancelled') continue
    const { error } = step
    const sentAnew = () => jobs.settle(job.id, step.index, { state: 'unknown', result: null, error }, token)
    const now = deps.clock.now()
    const found = foundAt(step, now)
    if (found !== step) await sentAnew()
    if (lateForMs(found, now) > 0) await settleLateStep(deps, { job, step: found, sentAnew }, signal)
    await jobs.settle(job.id, step.index, { state: 'pending', result: null, error }, token)
  }
}

/**
 * Retries the write under its own idempotency key, so that it cannot take effect later. If the write created an endpoint, deletes it,
 * because no caller received its secret.
 */
async function settleLateStep(
  deps: SyncDeps,
  { job, step, sentAnew }: UnansweredStep & { readonly sentAnew: () => Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const what = `Step ${String(step.index + 1)} of the rotation ${job.id}`
  const now = deps.clock.now()
  const late = {
    ...{ what, forMs: lateForMs(step, now), sendable: knowsKey(step, now), sentAnew },
    code: 'push_unfinished',
    extra: { job_id: job.id },
  } as const
  const key = idempotencyKey('job', job.id, step.index, step.attempts)
  const sent =
    step.index === 0 ? await creationOf(deps, job.subject) : switchingOff(job.subject, inputOf(job).switch_off)
  const made = await retryWrite(() => sendStep(deps, sent, { idempotencyKey: key, signal }), late)
  if (made === null || sent.op !== 'create') return
  await retryWrite(() => deps.processor.discardWebhook(made, { idempotencyKey: `${key}-discard`, signal }), late)
}

/** Sends the step. Returns null if the endpoint no longer exists, because then the step can have no effect. */
async function sendStep(
  { processor }: SyncDeps,
  step: ResolvedStep,
  options: Parameters<SyncDeps['processor']['perform']>[1],
): Promise<ProcessorId | null> {
  try {
    return (await processor.perform(step, options)).processorId
  } catch (error) {
    if (isUnknownObject(error)) return null
    throw error
  }
}

/**
 * Returns the first step of the rotation, which creates the new endpoint. It is computed from the current document. That is still the
 * document of the rotation, because every push finds the outcome of late writes first.
 */
async function creationOf(deps: SyncDeps, id: string): Promise<ResolvedStep> {
  const document = currentDocument(await deps.store.versions.current())
  const webhook = document === null ? undefined : desiredCatalog(document).webhook.find((one) => one.configId === id)
  if (webhook === undefined) throw new Error(`The rotated webhook "${id}" is not in the current configuration`)
  const { fields } = webhook
  return { op: 'create', kind: 'webhook', configId: webhook.configId, fields, id: null, carried: 0 }
}

/** Returns the second step of a rotation, which switches the old endpoint off. */
export function switchingOff(id: string, endpoint: string): ResolvedStep {
  const about = { kind: 'webhook', configId: configId(id), processorId: processorId(endpoint) } as const
  return { op: 'archive', ...about, last: null }
}
