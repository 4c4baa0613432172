import type { ProcessorWords } from '../base/errors/service-error.ts'

/**
 * Kind of a failed call of the processor.
 * - `rejected`: the processor understood and refused the request; nothing happened.
 * - `unauthorized`: the key is wrong or lacks a permission; nothing happened.
 * - `rate_limited`, `unavailable`: the request was not accepted. Nothing happened, and it may be retried.
 * - `timeout`, `unknown_outcome`: the request was sent, but no complete response arrived. It may have been executed.
 * - `broken`: the response is malformed.
 */
export type ProcessorErrorKind =
  'rejected' | 'unauthorized' | 'rate_limited' | 'unavailable' | 'timeout' | 'unknown_outcome' | 'broken'

export class ProcessorError extends Error {
  override readonly name = 'ProcessorError'
  readonly kind: ProcessorErrorKind
  /** The processor's own error (type, code, message), unchanged. */
  readonly original: ProcessorWords

  /** True if the processor replayed a failure that it had stored for the same idempotency key, without checking the present state. */
  readonly repeated: boolean

  /** Next step for the operator at the processor, if known. */
  readonly hint: string | undefined

  constructor(
    kind: ProcessorErrorKind,
    message: string,
    original: ProcessorWords = {},
    cause?: unknown,
    repeated = false,
    hint?: string,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.original = original
    this.repeated = repeated
    this.hint = hint
  }

  /** True if a write may have been executed although there is no valid response. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unknown_outcome' || this.kind === 'broken'
  }
}
