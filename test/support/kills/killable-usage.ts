// A process that reports usage, and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

await runKillable({ usage: ['hold', 'sent', 'release'] }, (service) =>
  service.recordUsage(
    { meter: 'calls', value: 5, identifier: 'one', enforce: true },
    { kind: 'key', keyId: 'key_1', tenantId: 'acme' },
  ),
)
