export interface WriteOptions {
  /** Derived from push id, step number and attempt: a retry after a crash must meet the same key, or the processor makes a second object. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}
