import type { ProcessorWords } from '../errors/service-error.ts'

/**
 * - `rejected`: understood and refused; nothing happened.
 * - `unauthorized`: the key is wrong or lacks a permission; nothing happened.
 * - `rate_limited`, `unavailable`: not accepted, nothing happened, may be tried again.
 * - `timeout`, `unknown_outcome`: sent, no (whole) answer: it may have happened.
 * - `broken`: the answer makes no sense.
 */
export type ProcessorErrorKind =
  'rejected' | 'unauthorized' | 'rate_limited' | 'unavailable' | 'timeout' | 'unknown_outcome' | 'broken'

export class ProcessorError extends Error {
  override readonly name = 'ProcessorError'
  readonly kind: ProcessorErrorKind
  /** The processor's own words, unchanged. */
  readonly original: ProcessorWords

  /** The processor said it before, under the same idempotency key: what is so now it did not look at. */
  readonly repeated: boolean

  /** What to do at the processor, where that is known. */
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

  /** Whether the write may have happened although we have no answer. */
  get outcomeUnknown(): boolean {
    return this.kind === 'timeout' || this.kind === 'unknown_outcome' || this.kind === 'broken'
  }
}
