import { ServiceError } from '../../base/errors/service-error.ts'
import type { Principal, TenantOperations } from '../../api/service/tenants.ts'
import { cancelOwnSubscription, pauseSubscription, resumeSubscription } from './acts.ts'
import { changeSubscription, previewChange } from './change.ts'
import type { ChangeDeps } from './deps.ts'
import type { CustomerAct } from '../../api/customers/customer-acts.ts'

type SubscriptionChanges = Pick<
  TenantOperations,
  'previewChange' | 'changeSubscription' | 'cancelOwnSubscription' | 'resumeSubscription' | 'pauseSubscription'
>

export function createSubscriptionChanges(deps: ChangeDeps): SubscriptionChanges {
  const allow = ({ kind }: Principal, act: CustomerAct) => {
    if (kind === 'key' || deps.customersMay.includes(act)) return
    throw new ServiceError('not_allowed', `Customers may not ${act} their subscriptions here.`, {
      hint: `RATECARD_CUSTOMERS_MAY does not contain "${act}"; a service key may do it.`,
    })
  }
  return {
    async previewChange(change, principal) {
      allow(principal, 'change')
      return previewChange(deps, change, principal)
    },
    async changeSubscription(change, principal, caller, idempotencyKey) {
      allow(principal, 'change')
      return changeSubscription(deps, change, principal, { caller, idempotencyKey })
    },
    async cancelOwnSubscription(cancellation, principal, caller, idempotencyKey) {
      allow(principal, 'cancel')
      return cancelOwnSubscription(deps, cancellation, principal, { caller, idempotencyKey })
    },
    async resumeSubscription(resumption, principal, caller, idempotencyKey) {
      allow(principal, 'resume')
      return resumeSubscription(deps, resumption, principal, { caller, idempotencyKey })
    },
    pauseSubscription: async (pause, principal, caller) => pauseSubscription(deps, pause, principal, caller),
  }
}
