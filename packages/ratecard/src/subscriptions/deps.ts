import type { Clock } from '../clock.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import type { Processor, ProcessorAccount } from '../processor/processor.ts'
import type { Principal } from '../service/tenants.ts'
import type { Store } from '../store/store.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { TenantRecord } from '../store/tenant-store.ts'

/** What reading subscriptions and recording usage needs. */
export interface SubscriberDeps {
  readonly store: Pick<Store, 'versions' | 'mappings' | 'localSubscriptions'>
  readonly processor: Pick<
    Processor,
    'subscriptions' | 'entitlements' | 'scheduledPrices' | 'upcomingInvoice' | 'recordUsage' | 'usageErrors'
  >
  readonly clock: Clock
  readonly newId: () => string
  /** Aborts when the process drains. */
  readonly shutdown: AbortSignal
  /** The configuration as it is applied now, items with their current processor ids; `config_not_found` without one. */
  readonly applied: () => Promise<{ readonly config: BillingConfig }>
  /** The prices of what is applied now, former ones by their present name. */
  readonly priceBook: () => Promise<PriceBook>
  /** The account that this environment is bound to; refuses another one. */
  readonly account: () => Promise<ProcessorAccount>
  /** `tenant_not_found` when there is none. */
  readonly findTenant: (id: string) => Promise<TenantRecord>
  readonly tenantOf: (principal: Principal) => Promise<TenantRecord>
  /** Made when the tenant has none yet. */
  readonly customerOf: (tenant: TenantRecord) => Promise<ProcessorId>
}
