import type { Customers } from '../tenants/customer-link.ts'
import type { Clock } from '../../base/clock.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { Processor, ProcessorAccount } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/** Dependencies of the functions that read subscriptions and record usage. */
export interface SubscriberDeps {
  readonly store: Pick<
    Store,
    | 'versions'
    | 'mappings'
    | 'localSubscriptions'
    | 'mirror'
    | 'grants'
    | 'holdings'
    | 'credits'
    | 'usage'
    | 'unbilledUsage'
  >
  /** State of the mirror: whether it is complete, and how old it is. */
  readonly mirror: Pick<Mirror, 'status' | 'statusOf'>
  readonly processor: Pick<
    Processor,
    | 'subscription'
    | 'subscriptions'
    | 'entitlements'
    | 'scheduledPrices'
    | 'customerState'
    | 'schedulePhases'
    | 'upcomingInvoice'
    | 'recordUsage'
    | 'usageErrors'
  >
  readonly clock: Clock
  /** Real time, for rate limits; see {@link Clocks}. */
  readonly wallClock: Clock
  readonly newId: () => string
  /** Aborts when the process shuts down. */
  readonly shutdown: AbortSignal
  /** Returns the applied configuration, with the current processor ids of its items. Throws `config_not_found` if there is none. */
  readonly applied: () => Promise<{ readonly config: BillingConfig }>
  /**
   * Returns the prices of the applied configuration, with the current ids of renamed prices. `sequence` is the store's change sequence if
   * the caller has just read it.
   */
  readonly priceBook: (sequence?: number) => Promise<PriceBook>
  /** Returns the processor account that this environment is bound to. Throws if the key belongs to another account. */
  readonly account: () => Promise<ProcessorAccount>
  /** Finds a tenant; throws `tenant_not_found`. */
  readonly findTenant: (id: string) => Promise<TenantRecord>
  /** Returns the id of a principal's tenant. Throws `request_invalid` for a service key that names no tenant. */
  readonly tenantIdOf: (principal: Principal) => string
  readonly tenantOf: (principal: Principal) => Promise<TenantRecord>
  /** Returns the tenant's customer at the processor; creates the customer if there is none yet. */
  readonly customerOf: (tenant: Pick<TenantRecord, 'id' | 'processorCustomerId'>) => Promise<ProcessorId>
  /** Runs work for the tenant's customer. Throws `customer_deleted` if the processor refuses it because the customer was deleted. */
  readonly livingFor: Customers['livingFor']
}
