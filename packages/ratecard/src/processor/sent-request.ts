import type { ProcessorErrorKind } from './processor-error.ts'

/** One request to the processor, for counters. Retries count each. */
export interface SentRequest {
  /** Reads count toward the processor's read allocation. */
  readonly access: 'read' | 'write'
  readonly outcome: 'ok' | ProcessorErrorKind
}
