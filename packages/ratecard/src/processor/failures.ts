// Maps failures of the processor to the error codes of the service.
import type { ProblemCode } from '../base/errors/codes.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import { abortReason } from './abort.ts'
import { ProcessorError, type ProcessorErrorKind } from './processor-error.ts'

const codeOf: Readonly<Record<ProcessorErrorKind, ProblemCode>> = {
  rejected: 'processor_rejected',
  unauthorized: 'processor_unauthorized',
  rate_limited: 'processor_rate_limited',
  unavailable: 'processor_unavailable',
  timeout: 'processor_timeout',
  unknown_outcome: 'processor_timeout',
  broken: 'processor_broken',
}

/**
 * Hints after a call of unknown outcome. For a call of a push, the next push finds the outcome itself; any other call must be retried with
 * the same idempotency key.
 */
const afterTimeout = {
  push: 'Push again. The new push first looks up the outcome, so that nothing is done twice.',
  call: 'The request may have been carried out. Retry with the same Idempotency-Key or identifier, so that nothing is done twice.',
} as const
type CallKind = keyof typeof afterTimeout

const hintOf = (kind: ProcessorErrorKind, call: CallKind) =>
  ({
    rejected: undefined,
    broken: undefined,
    unauthorized: 'Check STRIPE_SECRET_KEY and its permissions.',
    rate_limited: 'Try again in a minute.',
    unavailable: 'Try again when the processor is reachable.',
    timeout: afterTimeout[call],
    unknown_outcome: afterTimeout[call],
  })[kind]

/** Converts a ProcessorError to a ServiceError; returns every other error unchanged. */
export function asServiceError(error: unknown, call: CallKind): unknown {
  if (!(error instanceof ProcessorError)) return error
  return new ServiceError(codeOf[error.kind], error.message, {
    hint: error.hint ?? hintOf(error.kind, call),
    processor: error.original,
    ...(error.kind === 'rate_limited' || error.kind === 'unavailable' ? { retryAfter: 30 } : {}),
    cause: error,
  })
}

/** Runs a read of the processor for a push; its failures become ServiceErrors. */
export async function readForPush<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asServiceError(error, 'push')
  }
}

/**
 * Runs one call of the customer part of the processor port and converts its failures to ServiceErrors. `signal` must be the call's own
 * signal: if it aborted the call before the request was sent, the error is `shutting_down`.
 */
export async function askProcessor<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted && error === abortReason(signal) && !(error instanceof ServiceError))
      throw new ServiceError('shutting_down', 'This replica is shutting down.', { retryAfter: 1, cause: error })
    throw asServiceError(error, 'call')
  }
}

/** True if the processor's response about an object is malformed or a refusal, so that another attempt would have the same result. */
export function isUnreadable(error: unknown): boolean {
  // An adapter throws a TypeError for a member of the wrong type.
  if (error instanceof TypeError) return true
  return error instanceof ProcessorError && (error.kind === 'broken' || error.kind === 'rejected')
}

/** True if the processor refused the request because the object does not exist. */
export function isUnknownObject(error: unknown): error is ProcessorError {
  return error instanceof ProcessorError && error.kind === 'rejected' && error.original.code === 'resource_missing'
}

/**
 * Sends a write that is safe to send twice. The processor replays a failure under the same key for about a day, even if its cause was fixed
 * meanwhile. So, after a replayed refusal or a server error (`api_error`), the write is retried once with a new key. A refused write
 * changed nothing. If the processor does not accept the retry (e.g. because of its rate limit), the outcome of the first attempt stands.
 */
export async function despiteKeptFailure<T>(
  send: (idempotencyKey: string) => Promise<T>,
  key: string,
  freshKey: () => string,
): Promise<T> {
  try {
    return await send(key)
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error
    const keptRefusal = error.repeated && error.kind === 'rejected'
    if (error.original.type !== 'api_error' && !keptRefusal) throw error
    try {
      return await send(freshKey())
    } catch (retried) {
      const notAccepted = retried instanceof ProcessorError && !retried.outcomeUnknown && retried.kind !== 'rejected'
      throw error.outcomeUnknown && notAccepted ? error : retried
    }
  }
}
