// Database operations on credits: payments whose credits are not granted yet, and credit grants with their balances. Both are part of the
// mirror, whose feed writes them.
import type { ProcessorId } from '../catalog/resource.ts'
import type { MirroredCreditGrant } from '../processor/mirrored.ts'
import type { MirrorPaidRow } from './records/mirror.ts'

/** A paid invoice or purchase whose credits are not granted yet. */
export type PaidObject = Pick<MirrorPaidRow, 'kind' | 'id' | 'marked'>

/** A credit grant with what is left of it, without regard to its dates. */
export interface StoredCreditGrant extends MirroredCreditGrant {
  readonly remaining: number
  /** What the processor took at its end, because it was not used. */
  readonly lapsed: number
}

export interface CreditStore {
  /** Returns payments whose credits are not granted yet. Leaves out payments whose next attempt is later than `now`. */
  paid(now: number, limit: number): Promise<readonly PaidObject[]>
  /**
   * Returns the time of the earliest next attempt to grant the credits of a payment; 0 if a payment was not tried yet. Returns null if no
   * payment is waiting.
   */
  nextPaidAt(): Promise<number | null>
  /** Removes payments from the queue in one transaction. A payment that was stored again since it was read stays. */
  settlePaid(paid: readonly PaidObject[]): Promise<void>
  /** Sets the time of the next attempt. */
  postponePaid(paid: PaidObject, retryAt: number): Promise<void>
  /** Returns the customer's credit grants, oldest first. */
  grantsOf(customer: ProcessorId): Promise<readonly StoredCreditGrant[]>
}
