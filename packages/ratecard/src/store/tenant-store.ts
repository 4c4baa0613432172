// Database operations on tenants, their sessions, their free subscriptions, and jobs that change subscriptions.
import type { ConfigId, ProcessorId } from '../catalog/resource.ts'
import type { MirroredSubscription } from '../processor/mirrored.ts'
import type { Page, PageQuery } from './records/page.ts'
import type { CustomerStanding } from './mirror-store.ts'
import type { BillingStatus } from './records/billing-status.ts'
import type { SessionRecord } from './records/auth.ts'
import type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
import type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
import type { LocalSubscriptionRecord, PlannedFreeRecord, TenantRecord, TenantSort } from './records/tenants.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'

export type { SessionRecord } from './records/auth.ts'
export type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
export type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
export type { LocalSubscriptionRecord, PlannedFreeRecord, TenantRecord } from './records/tenants.ts'

export interface TenantListQuery extends PageQuery {
  readonly processorCustomerId?: string
  readonly enterpriseTemplate?: string
  readonly enterpriseId?: string
  /** Text that the tenant's id, name, email or customer id must contain; case and accents are ignored. */
  readonly q?: string
  readonly state?: BillingStatus
  /**
   * Filter by prices. Each member is a list of prices; the tenant must have at least one price of every list. Prices are processor ids, or
   * configuration ids of free prices. E.g. one list may have all processor prices of one price, another all legacy prices.
   */
  readonly onPrices?: readonly (readonly string[])[]
  /** True: only tenants that owe something. */
  readonly owing?: boolean
  /**
   * Sort key, by default the id. Tenants with equal values are sorted by id. An amount of money is the sum over all currencies in major
   * units (e.g. euros), without conversion.
   */
  readonly sort?: TenantSort
  readonly order?: 'asc' | 'desc'
}

/** A price that a tenant is on. */
export interface ListedPrice {
  /** Processor id of the price; for a free price its configuration id. */
  readonly price: string
  /** Processor id of the price's product; null for a free price. */
  readonly product: ProcessorId | null
  /** Number of items on the price. */
  readonly items: number
}

/** A tenant as lists show it, with values of the mirror and of the tenant's free subscriptions. */
export interface ListedTenant extends TenantRecord {
  readonly billingStatus: BillingStatus
  /** Prices that the tenant is on, ascending by id. */
  readonly prices: readonly ListedPrice[]
  /** Exact monthly recurring revenue by currency: decimals in minor units. */
  readonly monthly: CustomerStanding['monthly']
  readonly owed: CustomerStanding['owed']
  /** Subscriptions at the processor that have not ended. */
  readonly subscriptions: readonly MirroredSubscription[]
  /** Number of running subscriptions to free prices. */
  readonly freeSubscriptions: number
}

export interface TenantStore {
  /** Adds a tenant and its audit row in one transaction. Throws `conflict` if the id or the customer is taken. */
  add(tenant: TenantRecord, audit: AuditRecord): Promise<void>
  find(id: string): Promise<TenantRecord | null>
  findByCustomer(processorCustomerId: string): Promise<TenantRecord | null>
  /**
   * Returns tenant ids by processor customer; customers without a tenant are omitted. Takes a few queries, no matter how many customers
   * there are.
   */
  idsByCustomer(processorCustomerIds: Iterable<string>): Promise<ReadonlyMap<string, string>>
  /** Returns the names of these tenants by id; unknown ones are omitted. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the ids of all tenants with the template, ascending, in one consistent read. */
  idsOnTemplate(template: string): Promise<readonly string[]>
  /** Returns a page of the tenants that match all members of the query. Default order: ascending by id. */
  list(query: TenantListQuery): Promise<Page<ListedTenant>>
  /**
   * Changes fields of a tenant and adds the audit row in one transaction. Returns null if the tenant does not exist. Throws `conflict` if
   * the customer belongs to another tenant.
   */
  update(id: string, change: Partial<Pick<TenantRecord, EditedField>>, audit: AuditRecord): Promise<TenantRecord | null>
  /** Sets the tenant's customer if it has none yet, and returns the stored tenant; null if the tenant does not exist. */
  bindCustomer(id: string, processorCustomerId: string, at: number): Promise<TenantRecord | null>
  /**
   * Writes all enterprise fields and the audit row in one transaction. The caller holds the tenant's lease. Returns null if the tenant
   * does not exist.
   */
  setEnterprise(
    id: string,
    fields: EnterpriseFields,
    audit: AuditRecord,
    token: LeaseToken,
  ): Promise<TenantRecord | null>
  /**
   * Adds an audit row for a change at the processor that does not change the tenant's record. Does nothing if a row with the same id
   * exists.
   */
  note(audit: AuditRecord): Promise<void>
  /** Returns the tenants whose negotiated prices end at `now` (epoch milliseconds) or have ended before, earliest end first. */
  dealsDue(now: number): Promise<readonly { readonly id: string; readonly endsAt: number }[]>
  /** Returns the earliest time after `now` at which negotiated prices of a tenant end; null if there is none. */
  nextDealEnd(now: number): Promise<number | null>
  /** Removes a tenant and revokes its sessions; its audit trail stays. Returns false if the tenant does not exist. */
  remove(id: string, audit: AuditRecord): Promise<boolean>
  /** Returns a page of the tenant's audit trail, newest first. */
  audit(tenantId: string, page: PageQuery): Promise<Page<AuditRecord>>
  /** Returns a page of those rows of the tenant's audit trail after which it had no deal, newest first. */
  dealEnds(tenantId: string, page: PageQuery): Promise<Page<AuditRecord>>
}

export interface SessionStore {
  /** Adds a session, and deletes sessions that expired more than a day ago. */
  add(session: SessionRecord): Promise<void>
  /** Returns a session; null if there is none, or if its tenant was removed. */
  find(id: string): Promise<SessionRecord | null>
  /** Revokes a session. Returns false if the session does not exist or was already revoked. */
  revoke(id: string, at: number): Promise<boolean>
}

export interface LocalSubscriptionStore {
  /** Starts a free subscription. A tenant has at most one running free subscription per price; if there is one, returns it instead. */
  start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord>
  /** Returns the tenant's running and ended subscriptions, oldest first. */
  list(tenantId: string): Promise<readonly LocalSubscriptionRecord[]>
  /** Returns the ids of prices with running free subscriptions, ascending. */
  pricesInUse(): Promise<readonly ConfigId[]>
  /** Returns the running free subscriptions of all tenants on this price. */
  running(priceId: string): Promise<readonly LocalSubscriptionRecord[]>
  /**
   * Ends a free subscription and adds the audit row in one transaction. Returns false, without an audit row, if the subscription is not
   * running.
   */
  end(id: string, at: number, audit?: AuditRecord): Promise<boolean>
  /**
   * Plans a free subscription that begins when a subscription at the processor ends. Replaces an earlier plan for the same subscription at
   * the processor.
   */
  plan(planned: PlannedFreeRecord): Promise<void>
  /** Deletes the plan for the end of this subscription at the processor, if there is one. */
  unplan(subscription: string): Promise<void>
  /** Returns what is planned for a tenant. */
  planned(tenantId: string): Promise<readonly PlannedFreeRecord[]>
  /** Returns what is planned to have begun by `now`, earliest first. */
  plannedBy(now: number): Promise<readonly PlannedFreeRecord[]>
  /** Returns the next time after `now` at which a planned free subscription begins; null if there is none. */
  nextPlanned(now: number): Promise<number | null>
  /**
   * Starts a planned free subscription at `at` and deletes the plan, in one transaction. Starts nothing if the plan was deleted meanwhile,
   * or if the tenant already has a running subscription to the price.
   */
  begin(planned: PlannedFreeRecord, at: number): Promise<void>
}

/**
 * Counts usage reports that are not billed, because the tenant had no subscription item for the meter. A day is given as the number of days
 * since 1970 (UTC).
 */
export interface UnbilledUsageStore {
  /** Counts one report. Deletes counts that are more than 40 days older than `day`. */
  add(tenantId: string, meter: string, day: number): Promise<void>
  /** Returns the number of reports on this day and later by tenant and meter, most reports first. */
  since(day: number): Promise<readonly UnbilledUsage[]>
  /** Removes the counts of unbilled reports of a tenant and meter from `day` on, after that usage turned out to be billed. */
  remove(tenantId: string, meter: string, day: number): Promise<void>
}

export interface UnbilledUsage {
  readonly tenantId: string
  /** Configuration id of the meter. */
  readonly meter: string
  readonly reports: number
}

export type NewJob = Pick<
  JobRecord,
  'id' | 'kind' | 'subject' | 'input' | 'author' | 'message' | 'keyId' | 'keyName' | 'requestId' | 'createdAt'
> & {
  /** All steps in order, each as JSON. */
  readonly steps: readonly string[]
}

export interface UnansweredStep {
  readonly job: JobRecord
  readonly step: JobStepRecord
}

export interface JobStore extends Journal<
  JobRecord,
  NewJob,
  JobStepRecord,
  'done' | 'interrupted' | 'failed' | 'cancelled'
> {
  /** Sets the step's state to `begun` and increments its number of attempts. Call it before the step is sent. */
  begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord>
  /** Stores the request (JSON) of a step before it is sent. The request stays in the step's `result` until the outcome is stored. */
  sending(jobId: string, index: number, sent: string, token: LeaseToken): Promise<void>
  settle(
    jobId: string,
    index: number,
    outcome: {
      readonly state: 'succeeded' | 'failed' | 'unknown' | 'pending' | 'skipped'
      readonly result: string | null
      readonly error: string | null
      /** Epoch milliseconds before which a pending step must not run. */
      readonly waitsUntil?: number
    },
    token: LeaseToken,
  ): Promise<void>
  /**
   * Sets the job to `waiting` until a time (epoch milliseconds), at which the service resumes it. `error` is JSON with the remaining work
   * and the reason of the wait.
   */
  wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void>
  /** Returns a page of jobs, newest first. */
  list(
    query: PageQuery & {
      readonly kind?: JobKind
    },
  ): Promise<Page<JobRecord>>
  /**
   * Returns succeeded migration steps that contain one of these prices (processor ids), newest job first. The price may be in any member of
   * a step, not only source or target. Migrations that ended before `since` (epoch milliseconds) are left out.
   */
  movesBetween(
    processorPrices: readonly string[],
    since: number,
  ): Promise<readonly Pick<JobStepRecord, 'jobId' | 'step' | 'result'>[]>
  /**
   * Returns the succeeded steps of all jobs that applied negotiated prices to the tenant or changed its subscriptions, oldest first. `input`
   * is the input of the job as JSON.
   */
  appliedSteps(tenantId: string): Promise<readonly (Pick<JobRecord, 'kind' | 'input'> & Pick<JobStepRecord, 'step'>)[]>
  /** Returns the waiting jobs of all kinds and subjects whose time has come, oldest first. */
  due(now: number): Promise<readonly JobRecord[]>
  /**
   * Completes the first step of a webhook rotation. In one transaction it stores the secret, maps the webhook to the new endpoint, and sets
   * the job to wait for its second step until `until` (epoch milliseconds).
   */
  rotated(
    jobId: string,
    made: {
      readonly webhookId: ConfigId
      readonly endpoint: ProcessorId
      readonly secret: string
      /** Revision of the new mapping, which is the current revision. */
      readonly revision: number
      readonly until: number
    },
    token: LeaseToken,
  ): Promise<void>
  /**
   * Returns the steps of all jobs of these kinds that were begun or sent and have no result. Ended jobs are included. Steps of the oldest
   * job come first.
   */
  unanswered(kinds: readonly JobKind[]): Promise<readonly UnansweredStep[]>
  /** Returns the jobs of this kind (and subject, if given) that have not ended: `running`, `waiting` or `interrupted`. Oldest first. */
  unfinished(kind: JobKind, subject?: string): Promise<readonly JobRecord[]>
}
