import type { ProcessorErrorKind } from './processor-error.ts'

export interface WriteOptions {
  /**
   * Idempotency key, derived from push id, step number and attempt, so that a retry after a crash sends the same key. With another key the
   * processor would create a second object.
   */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** Timeout (ms) of one attempt of a call to the processor. */
export const attemptTimeoutMs = 30_000

/** Time (ms) from the first attempt after which a call is no longer retried. */
export const retryForMs = 60_000

/**
 * Maximum time (ms) from sending a write until its outcome is final: all retries plus the last attempt. It is longer than the 80 s that the
 * Stripe SDK waits by default. Until then, a write without a response may still be executed, and a graceful shutdown may have to wait that
 * long. So `TimeoutStopSec` of systemd, `stop_grace_period` of Compose and `terminationGracePeriodSeconds` of Kubernetes must be longer.
 */
export const maxWriteMs = retryForMs + attemptTimeoutMs

/** One attempt of a request to the processor, for counters. A retry is a separate attempt. */
export interface SentRequest {
  /** Reads count toward the processor's read allocation, e.g. 10,000 reads in 30 days. */
  readonly access: 'read' | 'write'
  readonly outcome: 'ok' | ProcessorErrorKind
}
