// Whether a step of unknown outcome happened: found by natural key, and only believed when the object is what the step wanted.
import { processorId } from '../../catalog/resource.ts'
import type { ArchiveStep, CreateStep, UpdateStep } from '../../catalog/steps.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { Performed } from '../processor.ts'
import { adapterOf, isDeleted, observe, replyFlaw, surroundings } from './desk.ts'
import type { Desk } from './desk.ts'
import type { KindAdapter, Reply, Request } from './kinds/kind.ts'
import { listAll } from './pages.ts'
import type { WritingStep } from './perform.ts'
import { firstMismatch } from './written.ts'

/** null: the step did not happen. */
export async function locateStep(desk: Desk, step: WritingStep, signal: AbortSignal): Promise<Performed | null> {
  const adapter = adapterOf(desk, step.kind)
  if (step.op === 'create') return locateCreation(desk, adapter, step, signal)
  const object = await readOne(desk, adapter, adapter.retrieve(step.processorId), signal)
  if (object !== null) return firstFit(desk, adapter, step, [object])
  // What is gone altogether is stopped as well.
  return step.op === 'archive' ? located(step.processorId, null) : null
}

async function locateCreation(
  desk: Desk,
  adapter: KindAdapter,
  step: CreateStep<ProcessorId>,
  signal: AbortSignal,
): Promise<Performed | null> {
  const request = adapter.search(step)
  if ('page' in request)
    return firstFit(desk, adapter, step, await listAll(desk.caller, adapter.object, request, { signal }))
  const object = await readOne(desk, adapter, request, signal)
  return object === null ? null : firstFit(desk, adapter, step, [object])
}

async function readOne(
  desk: Desk,
  adapter: KindAdapter,
  request: Request<Reply>,
  signal: AbortSignal,
): Promise<Reply | null> {
  const reply = await desk.caller.callIfPresent({
    operation: request.operation,
    access: 'read',
    signal,
    send: () => request.send({}),
    flaw: (answer) => replyFlaw(answer, adapter.object, null),
  })
  return reply === null || isDeleted(reply) ? null : reply
}

function firstFit(
  desk: Desk,
  adapter: KindAdapter,
  step: CreateStep<ProcessorId> | UpdateStep<ProcessorId> | ArchiveStep,
  objects: readonly Reply[],
): Performed | null {
  const around = surroundings(desk)
  for (const object of objects) {
    const observed = observe(adapter, object, around)
    if (firstMismatch(step, observed) === null) return located(observed.processorId, observed)
  }
  return null
}

/** The request that did it is not known, nor the secret of a webhook. */
function located(id: string, observed: Performed['observed']): Performed {
  return { processorId: processorId(id), observed, secret: null, requestId: null }
}
