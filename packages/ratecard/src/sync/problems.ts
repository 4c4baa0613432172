// Processor failures in the service's own table of errors.
import { ServiceError } from '../errors/service-error.ts'
import type { ServiceErrorOptions } from '../errors/service-error.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { ProcessorErrorKind } from '../processor/processor-error.ts'
import type { ProblemCode } from '../errors/codes.ts'

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
  timeout: 'Push again: what happened is looked up first, nothing is done twice.',
  unknown_outcome: 'Push again: what happened is looked up first, nothing is done twice.',
}

/** Anything thrown by the port as a ServiceError; what is not the processor's passes unchanged. */
export function asServiceError(error: unknown, options: Pick<ServiceErrorOptions, 'extra'> = {}): unknown {
  if (!(error instanceof ProcessorError)) return error
  return new ServiceError(codeOf[error.kind], error.message, {
    hint: hintOf[error.kind],
    processor: error.original,
    ...(error.kind === 'rate_limited' || error.kind === 'unavailable' ? { retryAfter: 30 } : {}),
    ...options,
    cause: error,
  })
}

/** Runs a read of the processor, with its failures as ServiceErrors. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asServiceError(error)
  }
}
