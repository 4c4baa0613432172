// One step, one write, read back from its answer.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { ResolvedStep } from '../../catalog/steps.ts'
import { ProcessorError } from '../processor-error.ts'
import type { Performed, WriteOptions } from '../processor.ts'
import { adapterOf, observe, replyFlaw, surroundings } from './context.ts'
import type { StripeContext } from './context.ts'
import type { Deletion, KindAdapter, Request } from './kinds/kind.ts'
import { firstMismatch } from './mismatch.ts'

/** A step that writes. */
export type WritingStep = Exclude<ResolvedStep, { readonly op: 'record' }>

export async function performStep(
  context: StripeContext,
  step: WritingStep,
  options: WriteOptions,
): Promise<Performed> {
  const adapter = adapterOf(context, step.kind)
  const request = requestOf(adapter, step)
  if ('deletes' in request) return performDeletion(context, adapter.object, request.deletes, request.id, options)
  const id = step.op === 'create' ? step.id : step.processorId
  const reply = await context.caller.call({
    ...writeOf(request, options),
    flaw: (answer) => replyFlaw(answer, adapter.object, id),
  })
  const observed = observe(adapter, reply, surroundings(context))
  const requestId = requestIdOf(reply)
  const mismatch = firstMismatch(step, observed)
  if (mismatch !== null)
    throw new ProcessorError(
      'broken',
      `Stripe accepted the ${step.kind} ${step.configId}, but its ${mismatch} is not what was written.`,
      requestId === null ? {} : { request_id: requestId },
    )
  return {
    processorId: observed.processorId,
    observed,
    secret: step.op === 'create' ? secretOf(reply) : null,
    requestId,
  }
}

/** Deleting what is already gone is done. */
export async function performDeletion(
  context: StripeContext,
  object: string,
  request: Request<Deletion>,
  id: ProcessorId,
  options: WriteOptions,
): Promise<Performed> {
  const reply = await context.caller.callIfPresent({
    ...writeOf(request, options),
    flaw: (answer) => replyFlaw(answer, object, id) ?? (answer.deleted ? null : 'it is not deleted'),
  })
  return {
    processorId: id,
    observed: null,
    secret: null,
    requestId: reply === null ? null : requestIdOf(reply),
  }
}

function requestOf(adapter: KindAdapter, step: WritingStep): ReturnType<KindAdapter['archive']> {
  switch (step.op) {
    case 'create':
      return adapter.create(step)
    case 'update': {
      const frozen = Object.keys(step.set).find((field) => !adapter.updatable.includes(field))
      if (frozen !== undefined) throw new TypeError(`The ${frozen} of a ${step.kind} cannot be changed in place.`)
      return adapter.update(step)
    }
    case 'archive':
      return adapter.archive(step.processorId)
  }
}

function writeOf<T>(request: Request<T>, { idempotencyKey, signal }: WriteOptions) {
  const options: Stripe.RequestOptions = { idempotencyKey }
  return { operation: request.operation, access: 'write' as const, signal, send: () => request.send(options) }
}

function secretOf(reply: object): string | null {
  return 'secret' in reply && typeof reply.secret === 'string' ? reply.secret : null
}

/** Absent when a proxy in between swallowed the header, whatever the SDK's types say. */
function requestIdOf(reply: { readonly lastResponse: { readonly requestId?: string } }): string | null {
  return reply.lastResponse.requestId ?? null
}
