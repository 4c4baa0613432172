// A process that changes or cancels a subscription and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'
import type { NewCancellation, NewChange } from '../../../packages/ratecard/src/api/customers/subscription-changes.ts'

const caller = { author: null, by: null, requestId: null }
const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
await runKillable<{ readonly change?: NewChange; readonly cancellation?: NewCancellation }>(
  {
    ...{ jobs: ['open', 'begin', 'settle', 'wait', 'end'], tenants: ['note'] },
    ...{ localSubscriptions: ['plan', 'unplan', 'end'], facts: ['set'] },
  },
  async (service, { change, cancellation }) => {
    if (change !== undefined) await service.changeSubscription(change, principal, { ...caller, idempotencyKey: 'once' })
    if (cancellation !== undefined)
      await service.cancelOwnSubscription(cancellation, principal, { ...caller, idempotencyKey: 'once' })
  },
)
