// The customer half's way to ask for one object and to believe the answer only when it is that object.
import type { Stripe } from 'stripe'
import { ProcessorError } from '../processor-error.ts'
import type { WriteOptions } from '../processor.ts'
import { replyFlaw } from './context.ts'
import type { StripeContext } from './context.ts'
import type { Request } from './kinds/kind.ts'

interface Named {
  readonly id: string
  readonly object: string
}

/** What the answer must be; `id` is null when only the answer says it. */
interface Expected {
  readonly object: string
  readonly id: string | null
}

/** One write under the caller's idempotency key. */
export function writeOne<T extends Named>(
  context: StripeContext,
  request: Request<T>,
  expected: Expected,
  { idempotencyKey, signal }: WriteOptions,
): Promise<Stripe.Response<T>> {
  return context.caller.call({
    operation: request.operation,
    access: 'write',
    signal,
    send: () => request.send({ idempotencyKey }),
    flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
  })
}

/** null when Stripe does not know the object of the path. */
export function readOne<T extends Named>(
  context: StripeContext,
  request: Request<T>,
  expected: Expected,
  signal: AbortSignal,
): Promise<Stripe.Response<T> | null> {
  return context.caller.callIfPresent({
    operation: request.operation,
    access: 'read',
    signal,
    send: () => request.send({}),
    flaw: (answer) => replyFlaw(answer, expected.object, expected.id),
  })
}

/** Fails with `broken` when members that every such object has are missing or make no sense. */
export function understood<T extends Named, R>(object: T, translate: (object: T) => R): R {
  try {
    return translate(object)
  } catch (error) {
    if (error instanceof ProcessorError) throw error
    const why = error instanceof Error ? error.message : 'unknown'
    throw new ProcessorError('broken', `Stripe’s ${object.object} ${object.id} could not be read: ${why}.`)
  }
}
