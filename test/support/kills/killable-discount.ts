// A process that gives a discount and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

const caller = { author: null, by: null, requestId: null, idempotencyKey: 'give' }
await runKillable({ jobs: ['open', 'begin', 'settle', 'end'], tenants: ['note'] }, (service) =>
  service.addDiscount('t', { couponId: 'loyal' }, caller),
)
