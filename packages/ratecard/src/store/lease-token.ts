/** Proof of holding a lease. Each journal write carries it, so that a replica that lost its lease cannot write one more step. */
export interface LeaseToken {
  readonly name: string
  /** Grows with each holder. */
  readonly fence: number
}
