// Database operations on what tenants may use: grants of features, and usage that was reported.
import type { FeatureGrantRecord, UsageReportRecord } from './records/features.ts'
import type { AuditRecord } from './records/tenants.ts'

export type { FeatureGrantRecord, UsageReportRecord } from './records/features.ts'

export interface GrantStore {
  /** Returns the tenant's grants, ended ones included, ascending by feature. */
  list(tenantId: string): Promise<readonly FeatureGrantRecord[]>
  /** Stores a grant, which replaces an earlier one of the same feature, and adds the audit row in one transaction. */
  put(grant: FeatureGrantRecord, audit: AuditRecord): Promise<void>
  /** Removes a grant and adds the audit row in one transaction. Returns false if there is no such grant. */
  remove(tenantId: string, feature: string, audit: AuditRecord): Promise<boolean>
}

/** Formula that computes the total of a range from its reports. */
export type UsageFormula = 'sum' | 'count' | 'last'

/** A time range in epoch milliseconds: `from` belongs to it, `to` does not. `to: null`: without end. */
export interface UsageWindow {
  readonly from: number
  readonly to: number | null
}

export interface UsageStore {
  /**
   * Stores a report in state `held` before it is sent to the processor, so that it counts from now on. Two outcomes change nothing.
   * `known`: a report with this identifier is stored already; `state` is `sent` if the processor has it. `refused`: with this report the
   * usage in one of the windows would be too high, i.e. `allows` returned false. Two calls for one tenant and meter run one after the
   * other, on all replicas.
   */
  hold(
    report: Omit<UsageReportRecord, 'state'>,
    formula: UsageFormula,
    limits: readonly { readonly window: UsageWindow; readonly allows: (total: string) => boolean }[],
  ): Promise<{ readonly outcome: 'held' | 'known' | 'refused'; readonly state: UsageReportRecord['state'] }>
  /** Marks a report as sent, because the processor has it. */
  sent(report: Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier'>): Promise<void>
  /** Removes a report that the processor refused, so that it no longer counts. */
  release(report: Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier'>, formula: UsageFormula): Promise<void>
  /** Returns the usage within a window as a canonical decimal. */
  used(tenantId: string, meter: string, formula: UsageFormula, window: UsageWindow): Promise<string>
}
