// Performs one step with one write, and verifies the response against the step.
import type { ResolvedStep } from '../../../catalog/steps.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { PerformedStep, WriteOptions } from '../../processor.ts'
import { isAttachmentStep, performAttachment, type AttachmentStep } from './attachments.ts'
import { adapterOf, observeObject, replyFlaw, readContext, type StripeContext } from './context.ts'
import type { KindAdapter } from '../kinds/kind.ts'
import { firstMismatch } from './mismatch.ts'
import { performDeletion, requestIdOf, writeOf } from '../connection/perform-request.ts'

/** A step that writes. */
export type WritingStep = Exclude<ResolvedStep, { readonly op: 'record' }>
/** A step that writes a whole object. Attaching and detaching a feature are not such steps. */
export type ObjectStep = Exclude<WritingStep, AttachmentStep>

export async function performStep(
  context: StripeContext,
  step: WritingStep,
  options: WriteOptions,
): Promise<PerformedStep> {
  if (isAttachmentStep(step)) return performAttachment(context, step, options)
  const adapter = adapterOf(context, step.kind)
  const request = requestOf(adapter, step)
  if ('deletes' in request) return performDeletion(context, adapter.object, request.deletes, request.id, options)
  const id = step.op === 'create' ? step.id : step.processorId
  const reply = await context.caller.call({
    ...writeOf(request, options),
    flaw: (answer) => replyFlaw(answer, adapter.object, id),
  })
  const observed = observeObject(adapter, reply, readContext(context))
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

function requestOf(adapter: KindAdapter, step: ObjectStep): ReturnType<KindAdapter['archive']> {
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

function secretOf(reply: object): string | null {
  return 'secret' in reply && typeof reply.secret === 'string' ? reply.secret : null
}
