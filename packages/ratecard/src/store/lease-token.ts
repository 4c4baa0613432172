/** Proof of holding a lease. Each journal write carries the token, so that a replica that lost its lease cannot write another step. */
export interface LeaseToken {
  readonly name: string
  /** Increases with each new holder. */
  readonly fence: number
}
