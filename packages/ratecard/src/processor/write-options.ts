export interface WriteOptions {
  /**
   * Derived from push id, step number and attempt: a retry after a crash must send the same key, otherwise the processor creates a second
   * object.
   */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** Timeout (ms) of one attempt at a call of the processor. */
export const attemptTimeoutMs = 30_000

/** Time (ms) after which a call is no longer retried, no matter how its attempts ended. */
export const retryForMs = 60_000

/**
 * Maximum time (ms) until a sent write is over, no matter which process sent it: the retries plus the last attempt. It exceeds the 80 s
 * that the Stripe SDK waits by default. A write without a response can still be carried out until then, and a graceful shutdown may have to
 * wait as long: `TimeoutStopSec` of systemd, `stop_grace_period` of Compose and `terminationGracePeriodSeconds` of Kubernetes must exceed
 * it.
 */
export const maxWriteMs = retryForMs + attemptTimeoutMs
