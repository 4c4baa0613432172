import type { ProcessorId } from '../../catalog/resource.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import type { ItemMove } from '../item-swaps/swap-step.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { CustomerAct } from '../../api/server/limits.ts'
import type { Store } from '../../store/store.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantSubscription } from '../../api/customers/tenants.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/** Dependencies of the functions that change subscriptions for a customer. */
export interface ChangeDeps extends SwapDeps {
  readonly store: SwapDeps['store'] & Pick<Store, 'facts'>
  /** Returns the applied configuration, with the current processor ids of its items. Throws `config_not_found` if there is none. */
  readonly applied: () => Promise<{ readonly config: BillingConfig }>
  readonly tenantOf: (principal: Principal) => Promise<TenantRecord>
  /** Returns a subscription in the form of the API. Works for ended subscriptions too. */
  readonly shownSubscription: (tenantId: string, subscription: string) => Promise<TenantSubscription>
  /**
   * Returns, by price, the other price that an item of the subscription would have under the tenant's present deal. `coming` has the prices
   * to start from, by price of the item, where they are not those of the items.
   */
  readonly pricesUnderDeal: (
    tenant: TenantRecord,
    from: { readonly subscription: LiveSubscription; readonly coming: ReadonlyMap<ProcessorId, ProcessorId> },
  ) => Promise<
    ReadonlyMap<ProcessorId, { readonly price: ProcessorId; readonly move: ItemMove; readonly archived: boolean }>
  >
  /** Ends a subscription to a free price. Such a subscription exists only in this service. */
  readonly cancelFree: (tenantId: string, subscription: string, caller: Caller) => Promise<void>
  /** Acts that tenants' sessions are allowed to do. */
  readonly customersMay: readonly CustomerAct[]
  /** Maximum quantity of a price that a tenant's session may change to. */
  readonly sessionMaxQuantity: number
}
