// A process that ends the deals that are due, and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

await runKillable({ jobs: ['open', 'begin', 'settle', 'end'], tenants: ['setEnterprise'] }, (service) =>
  service.waitingJobs.continueDue(),
)
