// Records of what tenants may use: grants given by hand, and usage that was reported.
import { oneOf, oneOfOrNull, text, textOrNull, time, timeOrNull } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

/** Feature grants: features that a tenant was given by hand. */
export const featureGrantColumns = {
  tenantId: text(),
  /** Configuration id of the feature when the grant was given. */
  feature: text(),
  /** A whole number, or `unlimited`; null: the grant does not change the limit. */
  granted: textOrNull(),
  /** null: the grant does not switch the feature. */
  switched: oneOfOrNull(['on', 'off']),
  /** `add`: in addition to what was bought. `replace`: instead of what was bought. */
  mode: oneOf(['add', 'replace']),
  endsAt: timeOrNull(),
  note: textOrNull(),
  createdAt: time(),
} satisfies Columns

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
  /** `held`: it may not have reached the processor yet. `sent`: the processor has it. Both count. */
  state: oneOf(['held', 'sent']),
  createdAt: time(),
} satisfies Columns

/**
 * Usage by tenant, meter and time range. A range lasts one UTC day at most, and ends early where a billing period begins, so that each
 * range belongs to one period.
 */
export const usageTotalColumns = {
  tenantId: text(),
  meter: text(),
  rangeStart: time(),
  /** Canonical decimal: the sum, the number of reports, or the last value, depending on the meter's formula. */
  total: text(),
  /** Time of the newest report in the range. */
  lastAt: time(),
} satisfies Columns

export type FeatureGrantRecord = RecordOf<typeof featureGrantColumns>
export type UsageReportRecord = RecordOf<typeof usageReportColumns>
