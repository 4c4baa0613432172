// Converts every failure of the SDK to a ProcessorError, and decides whether the call may be retried.
import { Stripe } from 'stripe'
import type { ProcessorWords } from '../../../base/errors/service-error.ts'
import { ProcessorError } from '../../processor-error.ts'
import { NotAnObject, TransportFailure } from './connection.ts'

export type ReadOrWrite = 'read' | 'write'

/**
 * Rule for retrying a failed attempt.
 * - `never`: a retry would fail in the same way.
 * - `later`: the request was not accepted. Nothing happened, or another call with the same key is still running.
 * - `unsent`: no connection was made, so nothing happened.
 * - `doubtful`: the outcome is unknown, because the request may have been executed.
 */
export type RetryRule = 'never' | 'later' | 'unsent' | 'doubtful'

export interface FailedAttempt {
  readonly error: ProcessorError
  readonly repeat: RetryRule
}

/**
 * Returns the ProcessorError and the retry rule of a failure. `access` matters if the response was lost: a read can be retried, but a write
 * may have been executed.
 */
export function sortFailure(error: unknown, access: ReadOrWrite, secretKey: string): FailedAttempt {
  if (error instanceof ProcessorError) return { error, repeat: 'never' }
  if (error instanceof Stripe.errors.StripeConnectionError) return sortConnectionFailure(error, access)
  if (!(error instanceof Stripe.errors.StripeError)) return brokenAnswer(error)
  const words = wordsOf(error, secretKey)
  const cause = exceptionOf(error)
  if (cause instanceof NotAnObject) return sortNotAnObject(cause, access, error.requestId)
  const message = words.message ?? ''
  if (isGarbledAnswer(error)) return lostAnswer('Stripe’s response was not JSON.', access, words)
  const sorted = sortStatus(error.statusCode ?? 0, error.type, message, access, words)
  if (error.headers?.['idempotent-replayed'] !== 'true') return sorted
  const { kind } = sorted.error
  return { ...sorted, error: new ProcessorError(kind, message, words, undefined, true) }
}

/**
 * Returns the ProcessorError and the retry rule of a response that has an error status but lacks Stripe’s `error` member. The SDK treats
 * such a response as a success.
 */
export function sortBareStatus(status: number, access: ReadOrWrite, requestId: string | undefined): FailedAttempt {
  const words = requestId === undefined ? {} : { request_id: requestId }
  return sortStatus(status, 'bare', `Stripe answered ${status} without saying why.`, access, words)
}

function sortStatus(
  status: number,
  type: string,
  message: string,
  access: ReadOrWrite,
  words: ProcessorWords,
): FailedAttempt {
  if (status === 429 || type === 'StripeRateLimitError') return failedAttempt('rate_limited', message, words, 'later')
  if (status === 401 || status === 403) return failedAttempt('unauthorized', message, words, 'never')
  if (status === 409)
    return failedAttempt(access === 'write' ? 'unknown_outcome' : 'unavailable', message, words, 'later')
  if (status >= 500) return lostAnswer(message, access, words)
  if (type !== 'bare' && status >= 400) return failedAttempt('rejected', message, words, 'never')
  return failedAttempt('broken', message, words, 'never')
}

function sortConnectionFailure(error: Stripe.errors.StripeConnectionError, access: ReadOrWrite): FailedAttempt {
  const detail: unknown = error.detail
  const words = error.requestId === undefined ? {} : { request_id: error.requestId }
  if (detail instanceof TransportFailure) {
    if (detail.stage === 'connect')
      return failedAttempt('unavailable', `Stripe could not be reached: ${detail.message}`, words, 'unsent')
    if (detail.timedOut) return failedAttempt('timeout', 'Stripe did not answer in time.', words, 'doubtful')
  }
  if (detail instanceof Error && 'code' in detail && detail.code === Stripe.HttpClient.TIMEOUT_ERROR_CODE)
    return failedAttempt('timeout', 'Stripe’s response was not complete in time.', words, 'doubtful')
  return lostAnswer('The connection to Stripe broke before the response was complete.', access, words)
}

function lostAnswer(message: string, access: ReadOrWrite, words: ProcessorWords): FailedAttempt {
  return failedAttempt(access === 'write' ? 'unknown_outcome' : 'unavailable', message, words, 'doubtful')
}

function brokenAnswer(error: unknown): FailedAttempt {
  const name = error instanceof Error ? error.name : typeof error
  return failedAttempt('broken', `Stripe’s response could not be parsed (${name}).`, {}, 'never')
}

function sortNotAnObject(
  { message, status }: NotAnObject,
  access: ReadOrWrite,
  requestId: string | undefined,
): FailedAttempt {
  if (status >= 400) return sortBareStatus(status, access, requestId)
  const words = requestId === undefined ? {} : { request_id: requestId }
  return failedAttempt('broken', `Stripe’s answer ${message}.`, words, 'never')
}

/** Returns the exception that the SDK caught while it read the body of a response; undefined if there was none. */
function exceptionOf({ raw }: Stripe.errors.StripeError): unknown {
  return typeof raw === 'object' && raw !== null && 'exception' in raw ? raw.exception : undefined
}

/** True for the error that the SDK throws if a body arrived completely but is not JSON. Such an error has no status. */
function isGarbledAnswer(error: Stripe.errors.StripeError): boolean {
  return error.type === 'StripeAPIError' && error.statusCode === undefined
}

function failedAttempt(
  kind: ProcessorError['kind'],
  message: string,
  words: ProcessorWords,
  repeat: RetryRule,
): FailedAttempt {
  return { error: new ProcessorError(kind, message, words), repeat }
}

// The SDK's error itself never becomes a `cause`, because causes are logged, and it contains headers and raw bodies.
function wordsOf(error: Stripe.errors.StripeError, secretKey: string): ProcessorWords {
  return {
    type: error.rawType,
    code: error.code,
    message: withoutSecrets(error.message, secretKey),
    param: error.param,
    request_id: error.requestId,
  }
}

/** Redacts keys and webhook secrets. Stripe masks keys in its messages, but a proxy between this service and Stripe may not. */
export function withoutSecrets(text: string, secretKey: string): string {
  return text.replaceAll(secretKey, '[key]').replace(/\b((sk|rk)_(live|test)|whsec)_[A-Za-z0-9]{8,}/g, '[key]')
}

/** True if Stripe's error means that the object in the request's path does not exist. */
export function isMissing(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeError) return error.statusCode === 404 && error.code === 'resource_missing'
  return false
}
