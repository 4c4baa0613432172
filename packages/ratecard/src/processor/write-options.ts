export interface WriteOptions {
  /** Derived from push id, step number and attempt: a retry after a crash must meet the same key, or the processor makes a second object. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** Timeout (ms) of one attempt at a call of the processor. */
export const attemptTimeoutMs = 30_000

/** Time (ms) after which a call is not retried any more, whatever its attempts came to. */
export const retryForMs = 60_000

/**
 * Time (ms) after which a write that was sent has reached its end, whoever sent it: the retries, and the last attempt. It exceeds the
 * 80 s that the Stripe SDK waits by default. A write without an answer can still be carried out until then, and a graceful stop may
 * have to wait as long: `TimeoutStopSec` of systemd, `stop_grace_period` of Compose and `terminationGracePeriodSeconds` of
 * Kubernetes must exceed it.
 */
export const longestWriteMs = retryForMs + attemptTimeoutMs
