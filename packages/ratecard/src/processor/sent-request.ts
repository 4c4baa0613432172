import type { ProcessorErrorKind } from './processor-error.ts'

/** One attempt of a request to the processor, for counters. Each retry is counted as well. */
export interface SentRequest {
  /** Reads count toward the processor's read allocation, e.g. 10,000 reads in 30 days. */
  readonly access: 'read' | 'write'
  readonly outcome: 'ok' | ProcessorErrorKind
}
