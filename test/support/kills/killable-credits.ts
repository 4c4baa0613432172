// A process that grants the credits that are owed, and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

await runKillable({ jobs: ['open', 'begin', 'settle', 'end'], tenants: ['note'] }, (service) =>
  service.waitingJobs.continueDue(),
)
