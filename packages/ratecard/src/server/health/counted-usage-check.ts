// The check `counted usage` of `ratecard doctor`: usage that counts against limits, compared with what the processor counted.
import { type Clock, toRfc3339 } from '../../base/clock.ts'
import { keyRetentionMs } from '../../acts/journal/late-writes.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import type { Store } from '../../store/store.ts'
import type { Finding } from '../../api/server/server.ts'
import type { UsageDifferenceRecord } from '../../store/records/features.ts'

export interface CountedUsageDeps {
  readonly store: Pick<Store, 'usage' | 'usageComparison'>
  readonly mirror: Pick<Mirror, 'status'>
  readonly clock: Clock
  /** Returns the state of the nightly comparison, in epoch milliseconds; null before the first. */
  readonly usageCompared: () => Promise<{
    readonly comparedAt: number | null
    readonly running: { readonly begunAt: number } | null
  } | null>
}

type Found = Omit<Finding, 'check'>

/** Maximum number of tenants and meters that the finding names. */
const mostNamed = 5
/** Time (ms) without a finished comparison after which that is said: two nights. */
const longestPauseMs = 2 * 24 * 60 * 60_000
/** Time (ms) for which an unconfirmed report is named: 30 days, like dropped usage. */
const namedForMs = 30 * 24 * 60 * 60_000

/** Finds reports whose arrival at the processor is unknown for good, and usage that the nightly comparison found to differ. */
export async function checkCountedUsage(deps: CountedUsageDeps): Promise<Found> {
  return (await unknownReports(deps)) ?? (await usageDifferencesFound(deps))
}

async function unknownReports({ store, clock }: CountedUsageDeps): Promise<Found | null> {
  const now = clock.now()
  const unknown = { from: now - namedForMs, to: now - keyRetentionMs }
  const [oldest] = await store.usage.held(unknown, 1)
  if (oldest === undefined) return null
  const count = await store.usage.countHeld(unknown)
  const { tenantId, meter, identifier, createdAt } = oldest
  return {
    status: 'warning',
    detail: `${count === 1 ? '1 usage report is counted' : `${String(count)} usage reports are counted`}, but the processor never confirmed ${count === 1 ? 'it' : 'them'}. The oldest: tenant ${tenantId}, meter event "${meter}", identifier ${identifier}, sent ${new Date(createdAt).toISOString()}.`,
    hint: 'Look for the identifier in the customer’s meter events at the processor. If it is missing, report that usage again under a new identifier.',
  }
}

async function usageDifferencesFound({ store, mirror, clock, usageCompared }: CountedUsageDeps): Promise<Found> {
  if ((await mirror.status()).state === 'off')
    return { status: 'ok', detail: 'not compared with the processor, because the mirror is off' }
  const compared = await usageCompared()
  const comparedAt = compared?.comparedAt ?? null
  const since = comparedAt ?? compared?.running?.begunAt ?? null
  if (since !== null && clock.now() - since > longestPauseMs)
    return {
      status: 'warning',
      detail: `no comparison of usage with the processor has ended since ${new Date(since).toISOString()}`,
      hint: 'The log of the service says which read failed. A restricted key needs permission to read billing meters. While more than half of the month’s reads are used, the comparison waits.',
    }
  const { items, total } = await store.usageComparison.differences(mostNamed)
  const [first] = items
  if (first === undefined) {
    const detail =
      comparedAt === null
        ? 'not compared with the processor yet; it is compared each night'
        : `0 tenants had usage that differed at the processor when it was compared, ${toRfc3339(comparedAt)}`
    return { status: 'ok', detail }
  }
  const more = total > items.length ? `; and ${String(total - items.length)} more` : ''
  return {
    status: 'warning',
    detail: `${total === 1 ? '1 tenant and meter has' : `${String(total)} tenants and meters have`} usage that differs at the processor: ${items.map(differenceText).join('; ')}${more}`,
    hint: items.some(({ counted, recorded }) => Number(recorded) < Number(counted)) ? lessHint : moreHint,
  }
}

const lessHint = '`ratecard billing usage` shows usage that the processor accepted and dropped. It is not billed.'
const moreHint =
  'Usage that is sent to the processor directly is billed, but counts against no limit. Send usage through Ratecard from now on, but do not report this usage again: that would bill it twice.'

function differenceText({ tenantId, meter, since, until, counted, recorded }: UsageDifferenceRecord): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return `${tenantId} on "${meter}": ${counted} counted, ${recorded} at the processor (${day(since)} to ${day(until - 1)})`
}
