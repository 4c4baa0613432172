import type { BillingConfig } from '../../document/schema/schema.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { Clock } from '../../base/clock.ts'
import type { CreditProcessor } from '../../processor/credit-grants.ts'
import type { Store } from '../../store/store.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/** Dependencies of the functions that grant credits. */
export interface CreditDeps {
  readonly store: Pick<Store, 'credits' | 'jobs' | 'mirror' | 'tenants' | 'versions' | 'tryExclusively'>
  readonly processor: CreditProcessor
  readonly mirror: Mirror
  readonly clock: Clock
  readonly newId: () => string
  readonly priceBook: () => Promise<PriceBook>
  /** Returns the applied configuration. Throws `config_not_found` if there is none. */
  readonly applied: () => Promise<{ readonly config: BillingConfig }>
  readonly findTenant: (id: string) => Promise<TenantRecord>
  /** Returns the tenant's customer at the processor; creates the customer if there is none yet. */
  readonly customerOf: (tenant: TenantRecord) => Promise<ProcessorId>
  /** Throws if this environment is bound to another processor account. */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  readonly shutdown: AbortSignal
}
