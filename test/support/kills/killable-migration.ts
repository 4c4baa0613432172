// A process that migrates the subscribers of a replaced price. The test kills it.
import { runKillable } from './killable-service.ts'

const caller = { author: null, by: null, requestId: null }
await runKillable({ jobs: ['open', 'begin', 'sending', 'settle', 'end', 'wait'] }, async (service) => {
  const { id } = await service.startMigration({ priceId: 'pro_monthly', to: 'renewal' }, caller)
  while ((await service.findJob(id)).state === 'running') await new Promise((resolve) => setImmediate(resolve))
})
