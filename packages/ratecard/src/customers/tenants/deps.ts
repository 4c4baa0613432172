import type { Clock } from '../../base/clock.ts'
import type { Processor, ProcessorAccount } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'

/** Dependencies of the tenant use cases. */
export interface TenantDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'tryExclusively' | 'mirror'>
  readonly processor: Pick<
    Processor,
    'createCustomer' | 'updateCustomer' | 'findCustomer' | 'customerState' | 'subscriptions' | 'expireCheckouts'
  >
  readonly clock: Clock
  /** Returns a new id: lower-case text that sorts by time. */
  readonly newId: () => string
  /** Aborts when the process shuts down. */
  readonly shutdown: AbortSignal
  /** Returns the processor account that this environment is bound to. Throws if the key belongs to another account. */
  readonly account: () => Promise<ProcessorAccount>
}
