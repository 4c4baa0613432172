// Code shared by all writes: sends the request and reads the result.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { PerformedStep, WriteOptions } from '../../processor.ts'
import { replyFlaw, type StripeContext } from '../catalog/context.ts'
import type { Deletion, Request } from '../kinds/kind.ts'

/** Sends a deletion. An object that no longer exists counts as deleted. */
export async function performDeletion(
  context: StripeContext,
  object: string,
  request: Request<Deletion>,
  id: ProcessorId,
  options: WriteOptions,
): Promise<PerformedStep> {
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

export function writeOf<T>(request: Request<T>, { idempotencyKey, signal }: WriteOptions) {
  const options: Stripe.RequestOptions = { idempotencyKey }
  return { operation: request.operation, access: 'write' as const, signal, send: () => request.send(options) }
}

/** Returns the request id. Returns null if a proxy in between removed the header, which the SDK's types do not foresee. */
export function requestIdOf(reply: { readonly lastResponse: { readonly requestId?: string } }): string | null {
  return reply.lastResponse.requestId ?? null
}
