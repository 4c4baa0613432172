// Counts reported usage, which allowances of features are checked against. Usage of a meter without a metered feature is counted too, so
// that a feature that is added later includes it. A report is stored before it is sent to the processor, so that a check on any replica
// includes it at once. Usage that would exceed an allowance is refused before it is sent.
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { Meter } from '../../../document/schema/schema.ts'
import { compareDecimals, decimalFromInteger, decimalText, parseDecimal } from '../../../base/money/decimal.ts'
import { keyRetentionMs } from '../../../acts/journal/late-writes.ts'
import type { UsageEvent } from '../../../processor/customer-half.ts'
import { ProcessorError } from '../../../processor/processor-error.ts'
import type { Allowance } from '../features/allowances.ts'
import { countedFormulaOf } from './decide-usage.ts'
import { meteredAllowances } from '../features/entitlements.ts'
import type { FeatureSourceDeps } from '../features/feature-sources.ts'
import type { TenantHoldings, UsageReportRecord, UsageWindow } from '../../../store/records/features.ts'

export interface UsageToCount {
  readonly tenant: TenantHoldings
  readonly meter: Meter
  readonly event: UsageEvent
  readonly value: string
  /** True: refuse the report if it would exceed an allowance. */
  readonly enforce: boolean
}

/** Sends an event under its idempotency key. Returns false if the processor had an event with this identifier before. */
export type SendUsage = (event: UsageEvent) => Promise<boolean>

const dayMs = 24 * 60 * 60 * 1000

/**
 * Counts a report and sends it. Returns false if it was counted before. Throws `limit_reached`, without sending anything, if the report is
 * enforced and would exceed an allowance. A report that may have reached the processor stays counted; a retry with the same identifier
 * settles it, or {@link resendHeldUsage} does.
 */
export async function countUsage(deps: FeatureSourceDeps, usage: UsageToCount, send: SendUsage): Promise<boolean> {
  const { tenant, meter, event, value } = usage
  const allowances = await meteredAllowances(deps, tenant, meter.id)
  const formula = countedFormulaOf(meter)
  const now = deps.clock.now()
  const windows = windowsOf(tenant, meter, allowances)
  const key = { tenantId: tenant.tenantId, meter: meter.event_name, identifier: event.identifier }
  // Without a time the usage belongs to the present period, also where a test clock of the customer is ahead of this service's clock.
  const usedAt = event.timestamp ?? Math.max(now, ...windows.map(({ from }) => from))
  const range = { usedAt, rangeStart: rangeStartOf(meter, usedAt, windows) }
  const limits = usage.enforce ? limitsOf(allowances) : []
  const report = { ...key, ...range, value, event: JSON.stringify(event), createdAt: now }
  const held = await deps.store.usage.hold(report, formula, limits)
  if (held.outcome === 'refused') throw limitReached(tenant, meter, allowances)
  if (held.outcome === 'known') return retryUsage(deps, held.report, report.event, send)
  try {
    const isNew = await send(event)
    await deps.store.usage.sent(key, 'sent')
    return isNew
  } catch (error) {
    if (isRefusal(error)) await deps.store.usage.release(key, formula)
    throw error
  }
}

/**
 * Sends a stored report again, unless the processor has it. Sends the stored event, because only the first report with an identifier counts.
 * Returns true if the usage is new at the processor and the retry reports the same.
 * Throws `conflict` if the processor may have forgotten the identifier, because then the usage could be billed twice.
 */
async function retryUsage(
  { store, clock }: Pick<FeatureSourceDeps, 'store' | 'clock'>,
  { event, ...report }: UsageReportRecord,
  retried: string,
  send: SendUsage,
): Promise<boolean> {
  if (report.state !== 'held' || event === null) return false
  if (clock.now() >= report.createdAt + keyRetentionMs) throw tooOld(report)
  const isNew = await send(readEvent(event))
  await store.usage.sent(report, 'resent')
  return isNew && event === retried
}

/** Reads the event of a report, which this service stored. */
export const readEvent = (event: string) => JSON.parse(event) as UsageEvent

/**
 * Returns the windows in which usage of the meter counts, now or after a change: those of its features, and all billing periods of the
 * tenant. For example, usage that counts by month counts by billing period after the next push, or after the end of a second subscription.
 */
function windowsOf(tenant: TenantHoldings, meter: Meter, allowances: readonly Allowance[]): readonly UsageWindow[] {
  const counted = allowances.flatMap((allowance) => allowance.counted ?? [])
  // For a meter with an event time window, each range counts one event. A range that is split without need would count two.
  const isEnough = counted.length > 0 && meter.event_time_window !== undefined
  return isEnough ? counted : [...counted, ...periodsOf(tenant)]
}

const periodsOf = ({ subscriptions }: TenantHoldings): readonly UsageWindow[] =>
  subscriptions.flatMap(({ items }) =>
    items.flatMap(({ currentPeriodStart: from, currentPeriodEnd: to, turns = [] }) => [
      { from, to },
      ...turns.map(({ start, end }) => ({ from: start, to: end })),
    ]),
  )

const longestRangeMs = { hour: 60 * 60 * 1000, day: dayMs } as const

/**
 * Returns the start of the range whose total includes usage at this time. Ranges are UTC days, or hours if the meter counts one event an
 * hour; a billing period that starts within the day starts a range of its own. For example, a period from 15:00 splits its day in two.
 */
function rangeStartOf(meter: Meter, at: number, windows: readonly UsageWindow[]): number {
  const longest = longestRangeMs[meter.event_time_window ?? 'day']
  const first = Math.floor(at / longest) * longest
  const starts = windows.flatMap(({ from, to }) => [from, to ?? 0]).filter((start) => start <= at && start > first)
  return Math.max(first, ...starts)
}

/** Returns the allowances that may limit the tenant: those that it has, or all of them if it has none. */
function countingFor(allowances: readonly Allowance[]): readonly Allowance[] {
  const included = allowances.filter((one) => one.included)
  return included.length === 0 ? allowances : included
}

/**
 * Returns the limits that a report must not pass. An unlimited feature, or one with `beyond: allow`, has none. If the tenant has one of
 * several features of the meter, e.g. that of its plan, those of other plans do not limit it.
 */
function limitsOf(allowances: readonly Allowance[]) {
  return countingFor(allowances).flatMap(({ limit, beyond, counted }) =>
    typeof limit !== 'number' || beyond === 'allow' || counted === null
      ? []
      : [
          {
            window: counted,
            allows: (total: string) => compareDecimals(parseDecimal(total), decimalFromInteger(limit)) <= 0,
          },
        ],
  )
}

/** True if the processor certainly did not record a report that was sent once. */
const isRefusal = (error: unknown): boolean => error instanceof ProcessorError && !error.outcomeUnknown

function tooOld({ createdAt }: Pick<UsageReportRecord, 'createdAt'>): ServiceError {
  return new ServiceError(
    'conflict',
    `Usage with this identifier was sent on ${new Date(createdAt).toISOString()} without a response, and the processor knows an identifier for a day only.`,
    {
      hint: 'Look up the meter events of the customer at the processor. If this usage is missing, report it under another identifier.',
    },
  )
}

function limitReached({ tenantId }: TenantHoldings, meter: Meter, allowances: readonly Allowance[]): ServiceError {
  const limited = countingFor(allowances)
    .filter(({ limit, beyond }) => limit !== 'unlimited' && beyond !== 'allow')
    .map(
      ({ feature, limit }) => `${feature.id}: ${limit === null ? '0' : decimalText(decimalFromInteger(Number(limit)))}`,
    )
  return new ServiceError(
    'limit_reached',
    `The usage of the meter "${meter.id}" would pass what the tenant "${tenantId}" may use (${limited.join(', ')}). Nothing was recorded.`,
    { hint: 'Use `POST entitlements/check` to see what is left and which prices offer more.' },
  )
}
