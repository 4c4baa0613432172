// The part of the processor port that makes credit grants.
import type { ProcessorId } from '../catalog/resource.ts'
import type { WriteOptions } from './write-options.ts'

/** Maximum number of prices that a credit can be limited to. */
export const maxCreditPrices = 20

export interface NewCreditGrant {
  readonly customer: ProcessorId
  readonly currency: string
  /** Minor units, at least 1. */
  readonly amount: number
  /** Category of the credit. `promotional` credits (given away) are used up before `paid` ones. */
  readonly category: 'paid' | 'promotional'
  /** Name in the processor's dashboard. */
  readonly name: string
  /** Metered prices that the credit pays for, at most {@link maxCreditPrices}; null for all. */
  readonly prices: readonly ProcessorId[] | null
  readonly expiresAt: number | null
  /** Identifies the reason of the grant (e.g. a payment), so that a grant whose response was lost is found again. */
  readonly source: string
}

export interface CreditProcessor {
  /** Makes a credit grant and returns its id. */
  createCreditGrant(grant: NewCreditGrant, options: WriteOptions): Promise<string>
  /** Returns the id of the customer's credit grant with this source; null if there is none. */
  findCreditGrant(customer: ProcessorId, source: string, signal: AbortSignal): Promise<string | null>
}
