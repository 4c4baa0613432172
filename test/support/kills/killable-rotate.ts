// A process that rotates a webhook's secret (or ends the overlap) and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

const who = { author: null, by: null, message: null, requestId: null }
await runKillable<{ readonly overlapMs: number }>(
  { jobs: ['open', 'begin', 'settle', 'rotated', 'resume', 'wait', 'end'] },
  (service, { overlapMs }) => service.rotateWebhook('hook', { ...who, overlapMs }),
)
