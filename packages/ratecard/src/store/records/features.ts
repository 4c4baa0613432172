// Records of what tenants may use: grants that were given by hand, and reported usage.
import { oneOf, oneOfOrNull, text, textOrNull, time, timeOrNull, type Columns, type RecordOf } from './columns.ts'

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
