// Database operations on what tenants may use: grants of features, and reported usage.
import type { MirrorProgress } from './mirror-store.ts'
import type { MirroredSubscription } from '../processor/mirrored.ts'
import type { FeatureGrantRecord, UsageDifferenceRecord, UsageReportRecord } from './records/features.ts'
import type { AuditRecord, LocalSubscriptionRecord } from './records/tenants.ts'

export type { FeatureGrantRecord, UsageDifferenceRecord, UsageReportRecord } from './records/features.ts'

export interface GrantStore {
  /** Returns the tenant's grants, including ended ones, sorted by feature. */
  list(tenantId: string): Promise<readonly FeatureGrantRecord[]>
  /** Stores a grant and adds the audit row in one transaction. The grant replaces an earlier grant of the same feature. */
  put(grant: FeatureGrantRecord, audit: AuditRecord): Promise<void>
  /** Removes a grant and adds the audit row in one transaction. Returns false if there is no such grant. */
  remove(tenantId: string, feature: string, audit: AuditRecord): Promise<boolean>
}

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

export interface HoldingsStore {
  /** Returns all data of one tenant, read at a single point in time; null if there is no such tenant. */
  of(tenantId: string): Promise<TenantHoldings | null>
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

export interface UsageStore {
  /**
   * Stores a report in state `held` before it is sent to the processor, so that it counts from now on. Two outcomes change nothing.
   * `known`: a report with this identifier is stored already. `refused`: with this report the usage in one of the windows would be too
   * high, i.e. `allows` returned false. Two calls for one tenant and meter run one after the other, on all replicas.
   */
  hold(
    report: Omit<UsageReportRecord, 'state'>,
    formula: UsageFormula,
    limits: readonly { readonly window: UsageWindow; readonly allows: (total: string) => boolean }[],
  ): Promise<HoldOutcome>
  /** Marks a held report as `sent` or `resent`, because the processor has it. */
  sent(report: UsageReportKey, state: 'sent' | 'resent'): Promise<void>
  /** Removes a report that the processor refused, so that it no longer counts. */
  release(report: UsageReportKey, formula: UsageFormula): Promise<void>
  /** Returns held reports that were stored within a window, oldest first: those after the report `after`, if it is given. */
  held(stored: UsageWindow, limit: number, after?: HeldPosition | null): Promise<readonly UsageReportRecord[]>
  /** Returns the number of held reports that were stored within a window. */
  countHeld(stored: UsageWindow): Promise<number>
  /** Returns the usage within a window as a canonical decimal. */
  used(tenantId: string, meter: string, formula: UsageFormula, window: UsageWindow): Promise<string>
}

/** A tenant and the event name of a meter. */
export type MeteredTenant = Pick<UsageReportRecord, 'tenantId' | 'meter'>

/** Data of the nightly comparison of usage with the processor. */
export interface UsageComparisonStore {
  /**
   * Returns the first tenant and meter with usage within a window, in the order of their ids; with `after`, the next one. Only the meters
   * with these event names are searched.
   */
  next(after: MeteredTenant | null, window: UsageWindow, meters: readonly string[]): Promise<MeteredTenant | null>
  /** Returns the start of the first range with usage; null if no usage was ever counted. */
  firstRange(of: MeteredTenant): Promise<number | null>
  /**
   * Returns the time since which the tenant cannot have had another customer: when its customer was last set or removed by a request, or
   * when the tenant was created. Null if its audit trail does not say.
   */
  customerSince(tenantId: string): Promise<number | null>
  /**
   * Returns the number and the sum of the values (without their signs) of reports that the processor may count on the other side of an
   * edge of the window, or not yet: those stored within `marginMs` of an edge, those held, those sent again that were stored within a day
   * before an edge, and those stored since `recentFrom` for a time within the window.
   */
  uncertain(
    of: MeteredTenant,
    window: { readonly from: number; readonly to: number },
    limits: { readonly marginMs: number; readonly recentFrom: number },
  ): Promise<{ readonly reports: number; readonly sum: number }>
  /** Stores the difference of a tenant and meter, or removes it if the two agree. */
  save(of: MeteredTenant, difference: UsageDifferenceRecord | null): Promise<void>
  /** Removes the differences that were found before a time. */
  removeBefore(time: number): Promise<void>
  /** Returns the first differences, by tenant and meter, and the number of all. */
  differences(limit: number): Promise<{ readonly items: readonly UsageDifferenceRecord[]; readonly total: number }>
}
