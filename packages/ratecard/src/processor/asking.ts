import type { ProblemCode } from '../errors/codes.ts'
import { ServiceError } from '../errors/service-error.ts'
import { abortReason } from './abort.ts'
import { ProcessorError } from './processor-error.ts'
import type { ProcessorErrorKind } from './processor-error.ts'

const codeOf: Readonly<Record<ProcessorErrorKind, ProblemCode>> = {
  rejected: 'processor_rejected',
  unauthorized: 'processor_unauthorized',
  rate_limited: 'processor_rate_limited',
  unavailable: 'processor_unavailable',
  timeout: 'processor_timeout',
  unknown_outcome: 'processor_timeout',
  broken: 'processor_broken',
}

const hintOf: Partial<Record<ProcessorErrorKind, string>> = {
  unauthorized: 'Check STRIPE_SECRET_KEY and its permissions.',
  rate_limited: 'Try again in a minute.',
  unavailable: 'Try again when the processor is reachable.',
  timeout: 'It may have happened. Try again with the same Idempotency-Key or identifier: nothing is done twice.',
  unknown_outcome:
    'It may have happened. Try again with the same Idempotency-Key or identifier: nothing is done twice.',
}

/**
 * One call of the customer's half of the port, with its failures as ServiceErrors. `signal` is the one that the call was
 * given: when it stopped the call before anything happened, the service is shutting down.
 */
export async function askProcessor<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProcessorError)
      throw new ServiceError(codeOf[error.kind], error.message, {
        hint: hintOf[error.kind],
        processor: error.original,
        ...(error.kind === 'rate_limited' || error.kind === 'unavailable' ? { retryAfter: 30 } : {}),
        cause: error,
      })
    if (signal.aborted && error === abortReason(signal) && !(error instanceof ServiceError))
      throw new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1, cause: error })
    throw error
  }
}

/** Whether the processor refused because it has no such object. */
export function isUnknownObject(error: unknown): boolean {
  return error instanceof ProcessorError && error.kind === 'rejected' && error.original.code === 'resource_missing'
}

/**
 * Sends a write that is harmless to send anew. The processor repeats even its own failures for a key, for about a day: without
 * a fresh key the caller's repeats, under the same Idempotency-Key or identifier, could not succeed until then.
 */
export async function despiteKeptFailure<T>(
  send: (idempotencyKey: string) => Promise<T>,
  key: string,
  freshKey: () => string,
): Promise<T> {
  try {
    return await send(key)
  } catch (error) {
    if (!(error instanceof ProcessorError) || error.original.type !== 'api_error') throw error
    return send(freshKey())
  }
}
