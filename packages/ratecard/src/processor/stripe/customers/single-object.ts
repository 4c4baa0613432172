// The customer half's way to ask for one object and to believe the answer only when it is that object.
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import { replyFlaw } from '../catalog/context.ts'
import type { StripeContext } from '../catalog/context.ts'
import type { ListRequest, Reply, Request } from '../kinds/kind.ts'
import { listAll } from '../connection/pages.ts'
import type { UntrustedReply } from '../connection/reading.ts'

interface IdentifiedReply {
  readonly id: string
  readonly object: string
}

/** What the answer must be; `id` is null when only the answer says it. */
interface ExpectedObject {
  readonly object: string
  readonly id: string | null
}

/** One write under the caller's idempotency key. */
export function writeOne<T extends IdentifiedReply>(
  context: StripeContext,
  request: Request<T>,
  expected: ExpectedObject,
  { idempotencyKey, signal }: WriteOptions,
): Promise<UntrustedReply<T>> {
  return untrusted(
    context.caller.call({
      operation: request.operation,
      access: 'write',
      signal,
      send: () => request.send({ idempotencyKey }),
      flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
    }),
  )
}

/** null when Stripe does not know the object of the path. */
export function readOne<T extends IdentifiedReply>(
  context: StripeContext,
  request: Request<T>,
  expected: ExpectedObject,
  signal: AbortSignal,
): Promise<UntrustedReply<T> | null> {
  return untrusted(
    context.caller.callIfPresent({
      operation: request.operation,
      access: 'read',
      signal,
      send: () => request.send({}),
      flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
    }),
  )
}

/** Every object of a list, each once. */
export function readAll<T extends Reply>(
  context: StripeContext,
  object: string,
  request: ListRequest<T>,
  signal: AbortSignal,
): Promise<UntrustedReply<T>[]> {
  return untrusted(listAll(context.caller, object, request, { signal }))
}

/** From here on nothing but what was checked, its kind and id, is believed. */
function untrusted<Answer>(answer: Promise<unknown>): Promise<Answer> {
  return answer as Promise<Answer>
}

/** Fails with `broken` when members that every such object has are missing or make no sense. */
export function understood<T extends { readonly id: string; readonly object: string }, R>(
  object: T,
  translate: (object: T) => R,
): R {
  try {
    return translate(object)
  } catch (error) {
    if (error instanceof ProcessorError) throw error
    const why = error instanceof Error ? error.message : 'unknown'
    throw new ProcessorError('broken', `Stripe’s ${object.object} ${object.id} could not be read: ${why}.`)
  }
}
