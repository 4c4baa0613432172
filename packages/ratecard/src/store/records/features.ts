// Records of what tenants may use: grants that were given by hand, and reported usage.
import { oneOf, oneOfOrNull, text, textOrNull, time, timeOrNull, type Columns, type RecordOf } from './columns.ts'
import type { MirrorProgress } from './mirror.ts'
import type { MirroredSubscription } from '../../processor/mirrored.ts'
import type { LocalSubscriptionRecord } from './tenants.ts'

/** Feature grants: features that a tenant was given by hand. */
export const featureGrantColumns = {
  tenantId: text(),
  /** Configuration id of the feature when the grant was given. */
  feature: text(),
  /** Limit that the grant gives: a whole number, or `unlimited`. null: the grant does not change the limit. */
  granted: textOrNull(),
  /** null: the grant does not switch the feature. */
  switched: oneOfOrNull(['on', 'off']),
  /** Effect of the grant. `add`: it is added to what the tenant bought. `replace`: it replaces that. */
  mode: oneOf(['add', 'replace']),
  endsAt: timeOrNull(),
  note: textOrNull(),
  createdAt: time(),
} satisfies Columns

/** `held` is the state in which every report begins. */
export const usageReportStates = ['held', 'sent', 'resent'] as const

/** Reported usage, one row for each identifier of a tenant and meter. A row is kept for as long as the processor takes late events. */
export const usageReportColumns = {
  tenantId: text(),
  /** Event name of the meter. It never changes, so that a renamed meter keeps its usage. */
  meter: text(),
  identifier: text(),
  /** Start of the time range whose total contains this report, see {@link usageTotalColumns}. */
  rangeStart: time(),
  /** Time of the usage. */
  usedAt: time(),
  /** Canonical decimal. */
  value: text(),
  /**
   * `held`: it may not have reached the processor yet. `sent`: the processor has it. `resent`: the processor has it, but it was sent more
   * than once, so that the processor may have recorded it later than its `createdAt`. All count.
   */
  state: oneOf(usageReportStates),
  /** JSON of the event for the processor, which is sent again as it is; null once the processor has it. */
  event: textOrNull(),
  createdAt: time(),
} satisfies Columns

/**
 * Usage by tenant, meter and time range. A range lasts at most one UTC day. It ends earlier where a billing period begins, so that each
 * range belongs to a single period.
 */
export const usageTotalColumns = {
  tenantId: text(),
  meter: text(),
  rangeStart: time(),
  /** Total as canonical decimal: the sum, the number of reports, or the last value, depending on the meter's formula. */
  total: text(),
  /** Time of the newest report in the range. */
  lastAt: time(),
} satisfies Columns

/**
 * Usage of ranges that are older than every report that is still accepted, so that their totals are final. `total` is the usage of a range
 * and of all earlier ones, so that the usage of any number of old ranges is the difference of two rows. For the formula `last` it is the
 * last value of the range. A range is either here or in {@link usageTotalColumns}.
 */
export const usageRunningTotalColumns = {
  tenantId: text(),
  meter: text(),
  rangeStart: time(),
  /** Canonical decimal. */
  total: text(),
} satisfies Columns

/** Differences that the last comparison found between usage counted here and usage at the processor. */
export const usageDifferenceColumns = {
  tenantId: text(),
  /** Event name of the meter. */
  meter: text(),
  /** Start of the compared days, which are whole UTC days. */
  since: time(),
  /** End of the compared days; it is not part of them. */
  until: time(),
  /** Usage that was counted here, as canonical decimal. */
  counted: text(),
  /** Usage that the processor has, as canonical decimal. */
  recorded: text(),
  comparedAt: time(),
} satisfies Columns

export type UsageDifferenceRecord = RecordOf<typeof usageDifferenceColumns>
export type FeatureGrantRecord = RecordOf<typeof featureGrantColumns>
export type UsageReportRecord = RecordOf<typeof usageReportColumns>

/** Values of a grant that decide what it gives. */
export type GivenFeature = Pick<FeatureGrantRecord, 'feature' | 'granted' | 'switched' | 'mode' | 'endsAt'>

/** All data from which a tenant's allowances are computed, except its usage and its unpaid invoices. */
export interface TenantHoldings {
  readonly tenantId: string
  /** The tenant's customer at the processor; null if it has none. */
  readonly customer: string | null
  /** The store's change sequence when the data was read, see `Store.changeSequence`. */
  readonly sequence: number
  readonly mirror: MirrorProgress
  /** Mirrored subscriptions of the customer, oldest first, ended ones included. */
  readonly subscriptions: readonly MirroredSubscription[]
  /** Free subscriptions that have not ended, oldest first. */
  readonly free: readonly LocalSubscriptionRecord[]
  /** Grants, ended ones included. */
  readonly grants: readonly GivenFeature[]
}

/**
 * Formula that computes the total of a range from its reports. A meter with an event time window (an hour or a day) has a range for each of
 * its windows, of which only the report that was stored last counts: its value with `last_of_each`, or 1 with `one_of_each`.
 */
export type UsageFormula = 'sum' | 'count' | 'last' | 'last_of_each' | 'one_of_each'

/** A time range in epoch milliseconds, from `from` (included) to `to` (excluded). `to: null` means that the range has no end. */
export interface UsageWindow {
  readonly from: number
  readonly to: number | null
}

/** Names one report. */
export type UsageReportKey = Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier'>

/** Position in the list of held reports. Reports of the same millisecond are in the order of their keys. */
export type HeldPosition = UsageReportKey & Pick<UsageReportRecord, 'createdAt'>

export type HoldOutcome =
  { readonly outcome: 'held' | 'refused' } | { readonly outcome: 'known'; readonly report: UsageReportRecord }

/** A tenant and the event name of a meter. */
export type MeteredTenant = Pick<UsageReportRecord, 'tenantId' | 'meter'>
