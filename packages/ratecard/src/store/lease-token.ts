/**
 * Proof that a process holds a lease. Each journal write carries the token, so that a replica that has lost its lease cannot write another
 * step.
 */
export interface LeaseToken {
  readonly name: string
  /** Fencing number: it grows each time another holder gets the lease. */
  readonly fence: number
}
