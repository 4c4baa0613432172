import type { Clock } from '../clock.ts'
import type { Processor, ProcessorAccount } from '../processor/processor.ts'
import type { Store } from '../store/store.ts'

/** What the use cases of this room need. */
export interface TenantDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'exclusively'>
  readonly processor: Pick<
    Processor,
    'createCustomer' | 'updateCustomer' | 'findCustomer' | 'subscriptions' | 'expireCheckouts'
  >
  readonly clock: Clock
  /** A new id: text, lower case, sortable by time. */
  readonly newId: () => string
  /** Aborts when the process drains. */
  readonly shutdown: AbortSignal
  /** The account that this environment is bound to; refuses another one. */
  readonly account: () => Promise<ProcessorAccount>
}
