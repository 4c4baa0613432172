// A process that applies a template and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

const caller = { author: null, by: null, requestId: null, dryRun: false }
await runKillable({ jobs: ['open', 'begin', 'settle', 'end'], tenants: ['setEnterprise'] }, (service) =>
  service.applyEnterprise('t', { kind: 'template', template: 'gold' }, caller),
)
