// A process that takes back the scheduled moves of a migration. The test kills it.
import { runKillable } from './killable-service.ts'

const caller = { author: null, by: null, requestId: null }
await runKillable<{ readonly job: string }>(
  { jobs: ['open', 'begin', 'sending', 'settle', 'end', 'wait'] },
  async (service, { job }) => {
    await service.cancelJob(job, true, caller)
  },
)
