import type { By } from '../../store/records/actor.ts'

export interface Actor {
  /** Name that the caller gave, which is not verified. */
  readonly author: string | null
  /** Service key that made the request; null for the service itself. */
  readonly by: By | null
  readonly message: string | null
}

/** The caller of a change, as the audit trail stores it. */
export interface Caller {
  readonly author: string | null
  /** Reason of the change as the caller gave it; stored with jobs. */
  readonly message?: string | null
  /** Service key that made the request; null for a session, and for the service itself. */
  readonly by: By | null
  readonly requestId: string | null
}

export interface Overriding {
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
}

/**
 * Caller of a change of discounts, or of a new credit. If the caller retries with the same Idempotency-Key, it gets the result of the first
 * attempt.
 */
export interface KeyedCaller extends Caller {
  readonly idempotencyKey: string | null
}
