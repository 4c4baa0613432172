// The nightly comparison of usage: compares the usage of each tenant and meter that counts against limits with the processor's summary, one
// read at a time. Its position is stored after each, so that an interrupted comparison continues there. It changes no count: it stores the
// differences for `doctor` and the metrics.
import type { Clock } from '../../../base/clock.ts'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { Meter } from '../../../document/schema/schema.ts'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import { comparisonDue } from '../../mirror/feed/compare.ts'
import { isUnreadable } from '../../../processor/failures.ts'
import type { MirrorReads } from '../../../processor/mirrored.ts'
import type { Store } from '../../../store/store.ts'
import { countedFormulaOf } from './decide-usage.ts'
import type { SubscriberDeps } from '../deps.ts'
import { currentConfig } from '../price-names.ts'
import { daysToCompare, usageDiffers } from './usage-differences.ts'
import type { MeteredTenant, UsageDifferenceRecord } from '../../../store/records/features.ts'

export interface CompareUsageDeps {
  readonly store: Pick<Store, 'facts' | 'tenants' | 'usage' | 'usageComparison'>
  readonly processor: Pick<MirrorReads, 'countedUsage'>
  readonly clock: Clock
  readonly applied: SubscriberDeps['applied']
  /** Called with a failure that leaves out one tenant and meter. */
  readonly report: (error: unknown, what: string) => void
}

const fact = 'usage_comparison'
/** Margin (ms) for the delay between a report and its arrival at the processor, and for the difference of the two clocks. */
const marginMs = 10 * 60_000
/** Time (ms) within which the processor has counted an event. It takes minutes; there is no documented limit. */
const countedWithinMs = 3 * 60 * 60_000

interface Progress {
  /** End of the last comparison, epoch milliseconds; null before the first. */
  readonly comparedAt: number | null
  readonly running: { readonly begunAt: number; readonly after: MeteredTenant | null } | null
}

/** Returns the state of the comparison; null before the first. */
export async function readUsageComparison({ facts }: Pick<Store, 'facts'>): Promise<Progress | null> {
  const text = await facts.get(fact)
  return text === null ? null : (JSON.parse(text) as Progress)
}

export function createUsageComparison(deps: CompareUsageDeps) {
  const { store, clock } = deps
  const save = (progress: Progress) => store.facts.set(fact, JSON.stringify(progress))
  return {
    /** True from 03:00 UTC on each day until the comparison of that day is done. */
    due: async (): Promise<boolean> => {
      const progress = await readUsageComparison(store)
      return (progress?.running ?? null) !== null || comparisonDue(clock.now(), progress?.comparedAt ?? null)
    },
    /** Compares the next tenant and meter of the running comparison. Begins one if none is running, and ends it after the last. */
    next: async (signal: AbortSignal): Promise<void> => {
      const { comparedAt = null, running: stored = null } = (await readUsageComparison(store)) ?? {}
      const running = stored ?? { begunAt: clock.now(), after: null }
      const meters = await limitedMeters(deps)
      const of = await store.usageComparison.next(running.after, countedRanges(clock.now()), meters)
      if (of !== null) {
        await compareOne(deps, of, signal)
        await save({ comparedAt, running: { ...running, after: of } })
        return
      }
      // What this comparison did not meet again has no usage within the compared days any more.
      await store.usageComparison.removeBefore(running.begunAt)
      await save({ comparedAt: clock.now(), running: null })
    },
  }
}

/** Returns the event names of the meters that a metered feature names. Usage of other meters counts against no limit. */
async function limitedMeters({ applied }: CompareUsageDeps): Promise<readonly string[]> {
  const config = await currentConfig(applied)
  const named = new Set(config?.features?.map(({ meter }) => meter))
  return (config?.meters ?? []).filter(({ id }) => named.has(id)).map(({ event_name: name }) => name)
}

const countedRanges = (now: number) => daysToCompare(now, 0) ?? { from: 0, to: 0 }

async function compareOne(deps: CompareUsageDeps, of: MeteredTenant, signal: AbortSignal): Promise<void> {
  const compared = await comparableUsage(deps, of)
  try {
    const difference = compared === null ? null : await differenceOf(deps, of, compared, signal)
    await deps.store.usageComparison.save(of, difference)
  } catch (error) {
    // For example the customer was deleted at the processor.
    if (signal.aborted || !isUnreadable(error)) throw error
    deps.report(error, `usage of the tenant ${of.tenantId} was not compared`)
  }
}

interface Compared {
  readonly meter: Meter
  readonly meterId: ProcessorId
  readonly customer: ProcessorId
  readonly days: { readonly from: number; readonly to: number }
}

/** Returns what to compare; null if the tenant has no customer, the meter was removed, or no whole day was counted. */
async function comparableUsage(
  { store, applied, clock }: CompareUsageDeps,
  of: MeteredTenant,
): Promise<Compared | null> {
  const [config, tenant] = [await currentConfig(applied), await store.tenants.find(of.tenantId)]
  const meter = config?.meters?.find(({ event_name: name }) => name === of.meter)
  const { usageComparison } = store
  const counted = (await usageComparison.firstRange(of)) ?? Infinity
  // Usage from before was recorded for the tenant's former customer.
  const since = Math.max(counted, (await usageComparison.customerSince(of.tenantId)) ?? 0)
  const days = daysToCompare(clock.now(), since)
  const customer = tenant?.processorCustomerId ?? null
  if (meter?.processor_id === undefined || customer === null || days === null) return null
  return { meter, meterId: processorId(meter.processor_id), customer: processorId(customer), days }
}

async function differenceOf(
  { store, processor, clock }: CompareUsageDeps,
  of: MeteredTenant,
  { meter, meterId, customer, days }: Compared,
  signal: AbortSignal,
): Promise<UsageDifferenceRecord | null> {
  const recorded = await processor.countedUsage({ meter: meterId, customer, ...days }, signal)
  const formula = countedFormulaOf(meter)
  const counted = await store.usage.used(of.tenantId, of.meter, formula, days)
  const now = clock.now()
  const uncertain = await store.usageComparison.uncertain(of, days, { marginMs, recentFrom: now - countedWithinMs })
  if (!usageDiffers(formula, { counted: Number(counted), recorded }, uncertain)) return null
  const { from: since, to: until } = days
  return { ...of, since, until, counted, recorded: canonicalDecimal(recorded), comparedAt: now }
}
