// Sends usage again that is counted, but whose event may not have reached the processor, e.g. because the process that sent it was killed
// and its client never retried. Every replica looks for such reports; a lease lets one of them send them.
import { keyRetentionMs } from '../../../acts/journal/late-writes.ts'
import { ProcessorError } from '../../../processor/processor-error.ts'
import { maxWriteMs } from '../../../processor/write-options.ts'
import type { Store } from '../../../store/store.ts'
import { readEvent, type SendUsage } from './counted-usage.ts'
import { countedFormulaOf } from './decide-usage.ts'
import type { SubscriberDeps } from '../deps.ts'
import { currentConfig } from '../price-names.ts'
import { sendUsageBy } from './usage.ts'
import type { UsageReportRecord } from '../../../store/records/features.ts'

const lease = 'held-usage'
const batch = 500
/**
 * Age (ms) at which a report is sent again: later than its first request can still be under way. That request may be made twice, because a
 * failure that the processor replays is retried under a new key.
 */
export const resendAfterMs = 3 * maxWriteMs

interface HeldUsageDeps extends Pick<SubscriberDeps, 'processor' | 'shutdown' | 'newId' | 'clock' | 'applied'> {
  readonly store: Pick<Store, 'usage' | 'tryExclusively'>
  readonly assertAccount: (intent: 'write') => Promise<void>
}

/**
 * Sends all held reports of the last 23 hours again, oldest first, each as the event that it was. The processor counts an identifier once
 * within at least a day, so nothing is billed twice. Older reports are not sent; their usage stays counted against the allowance, and
 * `doctor` names them. Failures are passed to `report` and retried the next time.
 */
export async function resendHeldUsage(deps: HeldUsageDeps, report: (error: unknown) => void): Promise<void> {
  if ((await heldNow(deps, 1)).length === 0) return
  await deps.assertAccount('write')
  await deps.store.tryExclusively(lease, async ({ signal }) => {
    const send = sendUsageBy(deps)
    let after: UsageReportRecord | null = null
    for (let held = await heldNow(deps, batch); held.length > 0; held = await heldNow(deps, batch, after)) {
      for (const one of held) {
        if (signal.aborted || deps.shutdown.aborted) return
        if (!(await resendReport(deps, one, send, report))) return
        after = one
      }
    }
  })
}

/** Returns held reports that are to be sent again, oldest first: those after the report `after`, if it is given. */
function heldNow(
  { store, clock }: HeldUsageDeps,
  limit: number,
  after: UsageReportRecord | null = null,
): Promise<readonly UsageReportRecord[]> {
  const now = clock.now()
  return store.usage.held({ from: now - keyRetentionMs, to: now - resendAfterMs }, limit, after)
}

/**
 * Sends one report. If the processor refuses it, the report no longer counts: an earlier request under the same idempotency key would have
 * been replayed if it had been carried out. Returns false if the processor is away, so that the next report would fail too.
 */
async function resendReport(
  deps: HeldUsageDeps,
  { event, ...key }: UsageReportRecord,
  send: SendUsage,
  report: (error: unknown) => void,
): Promise<boolean> {
  if (event === null) return true
  try {
    await send(readEvent(event))
    await deps.store.usage.sent(key, 'resent')
    return true
  } catch (error) {
    if (error instanceof ProcessorError && error.kind === 'rejected') {
      const config = await currentConfig(deps.applied)
      const meter = config?.meters?.find(({ event_name: name }) => name === key.meter)
      await deps.store.usage.release(key, meter === undefined ? 'sum' : countedFormulaOf(meter))
    }
    report(error)
    return error instanceof ProcessorError && (error.kind === 'rejected' || error.kind === 'broken')
  }
}
