// Replaces the signing secret of a webhook without losing an event (a rotation). A new endpoint is created beside the old one. Both send
// signed events until the overlap ends and the old one is deactivated. A rotation is a journalled job of two steps and runs under the lease
// of pushes, so that no push sees a half-done rotation. See docs/decisions/16-webhooks-of-the-document-and-of-the-service.md for the reasons.
import { openAct } from '../../acts/act.ts'
import { desiredCatalog } from '../../catalog/desired.ts'
import { configId } from '../../catalog/resource.ts'
import type { DesiredResource, MappingEntry, ObservedResource, ProcessorId } from '../../catalog/resource.ts'
import { toRfc3339 } from '../../base/clock.ts'
import { presentId } from '../../document/rules/previous-ids.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { pushLease } from '../../acts/lease.ts'
import { failureText, idempotencyKey, stateAfter, stopIfDraining } from '../../acts/journal/run-steps.ts'
import { asServiceError, isUnknownObject, readForPush } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import { bindAccount } from '../account.ts'
import { currentDocument } from '../plan-against-live.ts'
import type { SyncDeps } from '../deps.ts'
import { settleEarlierWrites } from '../recover.ts'
import { settleLateRotations, switchingOff } from './late-rotations.ts'
import { inputOf, type RotationInput } from './retiring.ts'
import type { Lease } from '../run.ts'
import type { RotationRequest, WebhookRotation } from '../../api/push/webhooks.ts'

/** Delay (ms) after a failed attempt to switch the old endpoint off. */
const retryDelayMs = 10 * 60_000

/**
 * Starts a rotation. Throws `webhook_not_found`, `config_not_found`, `push_in_progress`, or `conflict` if the endpoint does not exist or is
 * inactive.
 */
export async function rotateWebhook(deps: SyncDeps, asked: string, request: RotationRequest): Promise<WebhookRotation> {
  return deps.store.exclusively(pushLease, async (lease) => {
    await bindAccount(deps, lease.signal)
    await settleEarlierWrites(deps, lease)
    const present = await findEndpoint(deps, asked, lease.signal)
    const id = present.webhook.configId
    await cancelEarlierRotations(deps, id, lease)
    const jobId = await openRotation(deps, present, request, lease)
    const made = await makeEndpoint(deps, { jobId, present, request }, lease)
    if (request.overlapMs === 0) await switchOff(deps, jobId, lease)
    return {
      id,
      url: present.webhook.fields.url,
      processorId: made.endpoint,
      secret: made.secret,
      previous: { processorId: present.endpoint, liveUntil: made.until },
      jobId,
    }
  })
}

interface LiveEndpoint {
  readonly webhook: DesiredResource<'webhook'>
  readonly endpoint: ProcessorId
  readonly revision: number
  /** Endpoints that an earlier rotation created and whose secret is lost, because the response to their creation never arrived. */
  readonly lost: readonly ProcessorId[]
}

async function findEndpoint(deps: SyncDeps, asked: string, signal: AbortSignal): Promise<LiveEndpoint> {
  const version = await deps.store.versions.current()
  const document = currentDocument(version)
  if (version === null || document === null)
    throw new ServiceError('config_not_found', 'No configuration is applied.', {
      hint: 'Push one with `ratecard billing push`.',
    })
  const id = presentId(document, 'webhook', asked)
  const webhook = desiredCatalog(document).webhook.find(({ configId: own }) => own === id)
  const mappings = await deps.store.mappings.byConfigId('webhook', configId(id))
  const endpoint = mappings.at(-1)?.processorId
  if (webhook === undefined || endpoint === undefined)
    throw new ServiceError('webhook_not_found', `The configuration has no webhook "${asked}".`, {
      hint: 'List the ids with `ratecard billing webhook secret`.',
    })
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal, attachments: false }))
  requireLive(
    id,
    snapshot.webhook.find((one) => one.processorId === endpoint),
  )
  return { webhook, endpoint, revision: version.revision, lost: lostOnes(id, snapshot.webhook, mappings) }
}

function requireLive(id: string, live: ObservedResource<'webhook'> | undefined): void {
  if (live?.active === true) return
  const what = live === undefined ? 'no longer exists at the processor' : 'is switched off at the processor'
  throw new ServiceError('conflict', `The endpoint of the webhook "${id}" ${what}, so it cannot be rotated.`, {
    hint: 'See `ratecard billing drift`, and push to create it again.',
  })
}

/**
 * Returns live endpoints with the ownership mark of this webhook that have no mapping. The response to their creation was lost; otherwise
 * the mapping and the secret would have been stored together.
 */
function lostOnes(
  id: string,
  live: readonly ObservedResource<'webhook'>[],
  mappings: readonly MappingEntry[],
): readonly ProcessorId[] {
  const known = new Set(mappings.map((entry) => entry.processorId))
  return live.filter((one) => one.mark === id && !known.has(one.processorId)).map((one) => one.processorId)
}

/**
 * Cancels earlier rotations that stopped before they created a new endpoint. Such a rotation has changed nothing, so the new rotation
 * replaces it.
 */
async function cancelEarlierRotations(deps: SyncDeps, id: string, lease: Lease): Promise<void> {
  for (const job of await deps.store.jobs.unfinished('webhook_rotation', id)) {
    if (job.stepsDone > 0) continue
    const error = { detail: 'It was interrupted before it had a new endpoint, and another rotation replaced it.' }
    await deps.store.jobs.end(job.id, 'cancelled', JSON.stringify(error), lease.token)
  }
}

async function openRotation(
  deps: SyncDeps,
  present: LiveEndpoint,
  request: RotationRequest,
  lease: Lease,
): Promise<string> {
  const id = deps.newId()
  const { webhook, endpoint } = present
  const input = {
    webhook_id: webhook.configId,
    overlap_seconds: Math.round(request.overlapMs / 1000),
    switch_off: endpoint,
  } satisfies RotationInput
  const steps = [
    { op: 'create', webhook_id: webhook.configId, beside: endpoint },
    { op: 'switch_off', webhook_id: webhook.configId, processor_id: endpoint },
  ]
  const opened = { id, kind: 'webhook_rotation', subject: webhook.configId, input, steps, caller: request } as const
  await openAct(deps, { record: (step) => step }, opened, lease)
  return id
}

/**
 * Executes the first step. After its response, one transaction saves the secret, maps the webhook to the new endpoint and sets the job to
 * wait for the end of the overlap. So after a crash either all of these changes exist or none.
 */
async function makeEndpoint(
  deps: SyncDeps,
  {
    jobId,
    present,
    request,
  }: { readonly jobId: string; readonly present: LiveEndpoint; readonly request: RotationRequest },
  { token, signal }: Lease,
) {
  const { jobs } = deps.store
  const { attempts } = await jobs.begin(jobId, 0, token)
  const key = idempotencyKey('job', jobId, 0, attempts)
  try {
    stopIfDraining(deps)
    for (const [index, endpoint] of present.lost.entries())
      await deps.processor.discardWebhook(endpoint, { idempotencyKey: `${key}-discard-${String(index)}`, signal })
    const { webhook } = present
    const { configId: id, fields } = webhook
    const step = { op: 'create', kind: 'webhook', configId: id, fields, id: null, carried: 0 } as const
    const made = await deps.processor.perform(step, { idempotencyKey: key, signal })
    if (made.secret === null)
      throw new ProcessorError('broken', `The endpoint ${made.processorId} was made without a secret.`)
    const until = deps.clock.now() + request.overlapMs
    await jobs.rotated(
      jobId,
      { webhookId: id, endpoint: made.processorId, secret: made.secret, revision: present.revision, until },
      token,
    )
    deps.onApplied()
    return { endpoint: made.processorId, secret: made.secret, until }
  } catch (error) {
    const failure = asServiceError(error, 'call')
    const state = error instanceof ProcessorError ? stateAfter(error) : 'unknown'
    const words = failureText(failure)
    // The journal itself may have caused the failure. An error of these writes must not hide the original failure.
    await jobs.settle(jobId, 0, { state, result: null, error: words }, token).catch(() => undefined)
    await jobs.end(jobId, 'failed', words, token).catch(() => undefined)
    if (!(failure instanceof ServiceError)) throw failure
    throw new ServiceError(failure.code, `${failure.message} The old endpoint is live, with the secret it had.`, {
      hint: 'Rotate again: an endpoint whose response was lost is removed first.',
      processor: failure.processor,
      retryAfter: failure.retryAfter,
      extra: { job_id: jobId },
      cause: error,
    })
  }
}

/**
 * Deactivates all old endpoints whose overlap has ended. Every replica calls this regularly, and the lease lets only one of them act. The
 * next call continues with jobs that cannot be finished now, because a push is running or their process died midway. Rejects on any other
 * failure.
 */
export async function endOverlaps(deps: SyncDeps): Promise<void> {
  const failures: unknown[] = []
  for (const job of await deps.store.jobs.unfinished('webhook_rotation')) {
    if (!isDue(job, deps.clock.now()) || deps.shutdown.aborted) continue
    try {
      await deps.store.tryExclusively(pushLease, async (lease) => {
        await bindAccount(deps, lease.signal)
        await settleLateRotations(deps, lease)
        await switchOff(deps, job.id, lease)
      })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not every webhook endpoint could be switched off.')
}

/**
 * True if the new endpoint exists and the overlap has ended. `resumesAt` is null if the process died while it was deactivating the old
 * endpoint.
 */
function isDue({ stepsDone, resumesAt }: JobRecord, now: number): boolean {
  return stepsDone > 0 && (resumesAt === null || resumesAt <= now)
}

/** Executes the second step, which deactivates the old endpoint; the caller holds the lease of pushes. */
async function switchOff(deps: SyncDeps, jobId: string, { token, signal }: Lease): Promise<void> {
  const { jobs } = deps.store
  const job = await jobs.find(jobId)
  if (job === null || job.state === 'done' || job.state === 'cancelled' || !isDue(job, deps.clock.now())) return
  stopIfDraining(deps)
  if (job.state !== 'running') await jobs.resume(jobId, token)
  if (job.stepsDone === job.stepsTotal) {
    // The step is already done: the process that switched the endpoint off died before it could end the job.
    await jobs.end(jobId, 'done', null, token)
    return
  }
  const { switch_off: endpoint } = inputOf(job)
  // A push may have renamed the webhook, so take its id from the job's subject, which every push keeps current.
  const id = job.subject
  const { attempts } = await jobs.begin(jobId, 1, token)
  try {
    const outcome = await performSwitchOff(
      deps,
      { id, endpoint, key: idempotencyKey('job', jobId, 1, attempts) },
      signal,
    )
    await jobs.settle(jobId, 1, { ...outcome, error: null }, token)
    await jobs.end(jobId, 'done', null, token)
  } catch (error) {
    const until = deps.clock.now() + retryDelayMs
    const words = failureText(asServiceError(error, 'call'), { next_try: toRfc3339(until) })
    const state = error instanceof ProcessorError && error.outcomeUnknown ? 'unknown' : 'pending'
    await jobs.settle(jobId, 1, { state, result: null, error: words, waitsUntil: until }, token)
    await jobs.wait(jobId, until, words ?? JSON.stringify({ detail: 'Something went wrong on our side.' }), token)
    throw asServiceError(error, 'call')
  }
}

async function performSwitchOff(
  deps: SyncDeps,
  { id, endpoint, key }: { readonly id: string; readonly endpoint: string; readonly key: string },
  signal: AbortSignal,
): Promise<{ readonly state: 'succeeded' | 'skipped'; readonly result: string }> {
  const current = (await deps.store.mappings.byConfigId('webhook', configId(id))).at(-1)?.processorId
  const about = { processor_id: endpoint }
  if (current === endpoint)
    return { state: 'skipped', result: JSON.stringify({ ...about, reason: 'The webhook is on this endpoint again.' }) }
  try {
    await deps.processor.perform(switchingOff(id, endpoint), { idempotencyKey: key, signal })
  } catch (error) {
    // An endpoint that no longer exists counts as switched off.
    if (!isUnknownObject(error)) throw error
  }
  return { state: 'succeeded', result: JSON.stringify(about) }
}
