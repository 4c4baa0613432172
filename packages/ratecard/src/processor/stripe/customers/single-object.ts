// Reads and writes of single objects for the customer part of the adapter. A reply is accepted only if it is the expected object.
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import { replyFlaw, type StripeContext } from '../catalog/context.ts'
import type { ListRequest, Reply, Request } from '../kinds/kind.ts'
import { listAll } from '../connection/pages.ts'
import type { UntrustedReply } from '../connection/reading.ts'

interface IdentifiedReply {
  readonly id: string
  readonly object: string
}

/** Kind and id that a reply must have. `id` is null if the id is not known in advance, e.g. for a creation. */
interface ExpectedObject {
  readonly object: string
  readonly id: string | null
}

/** Sends one write with the caller's idempotency key. */
export function writeOne<T extends IdentifiedReply>(
  context: StripeContext,
  request: Request<T>,
  expected: ExpectedObject,
  { idempotencyKey, signal }: WriteOptions,
): Promise<UntrustedReply<T>> {
  return asUntrusted(
    context.caller.call({
      operation: request.operation,
      access: 'write',
      signal,
      send: () => request.send({ idempotencyKey }),
      flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
    }),
  )
}

/** Reads one object; null if it does not exist. */
export function readOne<T extends IdentifiedReply>(
  context: StripeContext,
  request: Request<T>,
  expected: ExpectedObject,
  signal: AbortSignal,
): Promise<UntrustedReply<T> | null> {
  return asUntrusted(
    context.caller.callIfPresent({
      operation: request.operation,
      access: 'read',
      signal,
      send: () => request.send({}),
      flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
    }),
  )
}

/** Returns every object of a list, without duplicates. */
export function readAll<T extends Reply>(
  context: StripeContext,
  object: string,
  request: ListRequest<T>,
  signal: AbortSignal,
): Promise<UntrustedReply<T>[]> {
  return asUntrusted(listAll(context.caller, object, request, { signal }))
}

/** Returns a reply with a type in which every member may be null or missing, because only its kind and id were checked. */
function asUntrusted<Answer>(answer: Promise<unknown>): Promise<Answer> {
  return answer as Promise<Answer>
}

/** Translates a reply. Throws `broken` if `translate` finds a required member missing or malformed. */
export function translateReply<T extends { readonly id: string; readonly object: string }, R>(
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
