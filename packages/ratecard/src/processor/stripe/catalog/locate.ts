// Finds out whether a step of unknown outcome was executed. The object is searched by a natural key, e.g. its lookup key or event name. It
// counts as the step's result only if it has the values of the step.
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { ArchiveStep, CreateStep, UpdateStep } from '../../../catalog/steps.ts'
import type { PerformedStep } from '../../processor.ts'
import { adapterOf, isDeleted, observeObject, replyFlaw, readContext, type StripeContext } from './context.ts'
import { isAttachmentStep, locateAttachment } from './attachments.ts'
import type { KindAdapter, Reply, Request } from '../kinds/kind.ts'
import { listAll } from '../connection/pages.ts'
import type { WritingStep } from './perform.ts'
import { firstMismatch } from './mismatch.ts'

/** Returns the result of a step that happened; null if it did not. */
export async function locateStep(
  context: StripeContext,
  step: WritingStep,
  signal: AbortSignal,
): Promise<PerformedStep | null> {
  if (isAttachmentStep(step)) return locateAttachment(context, step, signal)
  const adapter = adapterOf(context, step.kind)
  if (step.op === 'create') return locateCreation(context, adapter, step, signal)
  const object = await readOne(context, adapter, adapter.retrieve(step.processorId), signal)
  if (object !== null) return firstMatching(context, adapter, step, [object])
  // An object that no longer exists counts as archived: e.g. archiving a coupon deletes it.
  return step.op === 'archive' ? locatedStep(step.processorId, null) : null
}

async function locateCreation(
  context: StripeContext,
  adapter: KindAdapter,
  step: CreateStep<ProcessorId>,
  signal: AbortSignal,
): Promise<PerformedStep | null> {
  const request = adapter.search(step)
  if ('page' in request)
    return firstMatching(context, adapter, step, await listAll(context.caller, adapter.object, request, { signal }))
  const object = await readOne(context, adapter, request, signal)
  return object === null ? null : firstMatching(context, adapter, step, [object])
}

async function readOne(
  context: StripeContext,
  adapter: KindAdapter,
  request: Request<Reply>,
  signal: AbortSignal,
): Promise<Reply | null> {
  const reply = await context.caller.callIfPresent({
    operation: request.operation,
    access: 'read',
    signal,
    send: () => request.send({}),
    flaw: (answer) => replyFlaw(answer, adapter.object, null),
  })
  return reply === null || isDeleted(reply) ? null : reply
}

function firstMatching(
  context: StripeContext,
  adapter: KindAdapter,
  step: CreateStep<ProcessorId> | UpdateStep<ProcessorId> | ArchiveStep,
  objects: readonly Reply[],
): PerformedStep | null {
  const around = readContext(context)
  for (const object of objects) {
    const observed = observeObject(adapter, object, around)
    if (firstMismatch(step, observed) === null) return locatedStep(observed.processorId, observed)
  }
  return null
}

/**
 * Returns the result of a step that has turned out to have happened. Request id and webhook secret are missing, because they were in the
 * lost response.
 */
function locatedStep(id: string, observed: PerformedStep['observed']): PerformedStep {
  return { processorId: processorId(id), observed, secret: null, requestId: null }
}
