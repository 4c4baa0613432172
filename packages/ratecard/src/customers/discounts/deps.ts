import type { BillingConfig } from '../../document/schema/schema.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'

/** Dependencies of the functions that change discounts. */
export interface DiscountDeps extends SwapDeps {
  /** Returns the applied configuration, with the current processor ids of its items. Throws `config_not_found` if there is none. */
  readonly applied: () => Promise<{ readonly config: BillingConfig }>
}
