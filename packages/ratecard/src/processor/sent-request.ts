import type { ProcessorErrorKind } from './processor-error.ts'

/** One attempt of a request to the processor, for counters. A retry is a separate attempt. */
export interface SentRequest {
  /** Reads count toward the processor's read allocation, e.g. 10,000 reads in 30 days. */
  readonly access: 'read' | 'write'
  readonly outcome: 'ok' | ProcessorErrorKind
}
