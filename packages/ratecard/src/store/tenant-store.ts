// Database operations on tenants, their sessions, their free subscriptions, and jobs that change subscriptions.
import type { ConfigId, ProcessorId } from '../catalog/resource.ts'
import type { Page, PageQuery } from './page.ts'
import type { CustomerStanding } from './mirror-store.ts'
import type { BillingStatus } from './records/billing-status.ts'
import type { SessionRecord } from './records/auth.ts'
import type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
import type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
import type { LocalSubscriptionRecord, TenantRecord, TenantSort } from './records/tenants.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'

export type { SessionRecord } from './records/auth.ts'
export type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
export type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
export type { LocalSubscriptionRecord, TenantRecord } from './records/tenants.ts'

export interface TenantListQuery extends PageQuery {
  readonly processorCustomerId?: string
  readonly enterpriseTemplate?: string
  readonly enterpriseId?: string
  /** Text that the tenant's id, name, email or customer id must contain; case and accents are ignored. */
  readonly q?: string
  readonly state?: BillingStatus
  /**
   * Each member is a list of prices; the tenant must have at least one price of every list. Prices are processor ids, or configuration ids
   * of free prices. E.g. one list with all processor prices of one price, another with all legacy prices.
   */
  readonly onPrices?: readonly (readonly string[])[]
  /** True: only tenants that owe something. */
  readonly owing?: boolean
  /**
   * Sort key, by default the id. Tenants with equal values are sorted by id. An amount of money is the sum of all currencies in major
   * units, without exchange rates.
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

/** A tenant as lists show it, with values of the mirror and of its free subscriptions. */
export interface ListedTenant extends TenantRecord {
  readonly billingStatus: BillingStatus
  /** Prices that the tenant is on, ascending by id. */
  readonly prices: readonly ListedPrice[]
  /** Exact monthly recurring revenue by currency: decimals in minor units. */
  readonly monthly: CustomerStanding['monthly']
  readonly owed: CustomerStanding['owed']
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
  /** Returns the ids of all tenants with the template, ascending, in one consistent read. */
  idsOnTemplate(template: string): Promise<readonly string[]>
  /** Returns a page of the tenants that match all members of the query. Sorted ascending by id if the query has no order. */
  list(query: TenantListQuery): Promise<Page<ListedTenant>>
  /**
   * Changes fields of a tenant and adds the audit row in one transaction. Returns null if the tenant does not exist. Throws `conflict` if
   * the customer belongs to another tenant.
   */
  update(id: string, change: Partial<Pick<TenantRecord, EditedField>>, audit: AuditRecord): Promise<TenantRecord | null>
  /** Sets the tenant's customer if it has none yet, and returns the stored tenant; null if the tenant does not exist. */
  bindCustomer(id: string, processorCustomerId: string, at: number): Promise<TenantRecord | null>
  /**
   * Writes both enterprise fields and the audit row in one transaction. The caller holds the tenant's lease. Returns null if the tenant
   * does not exist.
   */
  setEnterprise(
    id: string,
    fields: EnterpriseFields,
    audit: AuditRecord,
    token: LeaseToken,
  ): Promise<TenantRecord | null>
  /** Removes a tenant and revokes its sessions; its audit trail stays. Returns false if the tenant does not exist. */
  remove(id: string, audit: AuditRecord): Promise<boolean>
  /** Returns a page of the tenant's audit trail, newest first. */
  audit(tenantId: string, page: PageQuery): Promise<Page<AuditRecord>>
}

export interface SessionStore {
  /** Adds a session, and deletes sessions that expired more than a day ago. */
  add(session: SessionRecord): Promise<void>
  find(id: string): Promise<SessionRecord | null>
  /** Revokes a session. Returns false if the session does not exist or was already revoked. */
  revoke(id: string, at: number): Promise<boolean>
}

export interface LocalSubscriptionStore {
  /** Starts a subscription. A tenant has at most one running subscription per price: if there is one, it is returned instead. */
  start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord>
  /** Returns the tenant's running and ended subscriptions, oldest first. */
  list(tenantId: string): Promise<readonly LocalSubscriptionRecord[]>
  /** Returns the ids of prices with running free subscriptions, ascending. */
  pricesInUse(): Promise<readonly ConfigId[]>
  /** Returns the running free subscriptions of all tenants on this price. */
  running(priceId: string): Promise<readonly LocalSubscriptionRecord[]>
  /**
   * Ends a subscription and adds the audit row in one transaction. Returns false, without an audit row, if the subscription is not running.
   */
  end(id: string, at: number, audit?: AuditRecord): Promise<boolean>
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
  /** Sets the step's state to `begun` and increments its attempts. Call it before the step is sent. */
  begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord>
  /** Stores the request (JSON) of a begun step before it is sent. The request stays in the step's `result` until the outcome is stored. */
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
   * Sets the job to `waiting` until a time (epoch milliseconds), at which the service resumes it. `error` is JSON: the remaining work and
   * the reason.
   */
  wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void>
  /** Returns a page of jobs, newest first. */
  list(
    query: PageQuery & {
      readonly kind?: JobKind
    },
  ): Promise<Page<JobRecord>>
  /**
   * Returns succeeded migration steps that contain one of these prices (processor ids), newest job first. A price is found in any member of
   * a step, not only as source or target, and whatever configuration id it had. Migrations that ended before `since` (epoch milliseconds)
   * are left out.
   */
  movesBetween(
    processorPrices: readonly ProcessorId[],
    since: number,
  ): Promise<readonly Pick<JobStepRecord, 'step' | 'result'>[]>
  /** Returns the waiting jobs of all kinds and subjects that are due, oldest first. */
  due(now: number): Promise<readonly JobRecord[]>
  /**
   * Completes the first step of a webhook rotation. In one transaction it stores the secret, maps the webhook to the new endpoint, and lets
   * the job wait until `until` (epoch milliseconds) for its second step.
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
  /** Returns steps that were begun or sent and have no result, of all jobs of these kinds, including ended jobs. Oldest job first. */
  unanswered(kinds: readonly JobKind[]): Promise<readonly UnansweredStep[]>
  /** Returns the jobs of this kind (and subject, if given) that have not ended: `running`, `waiting` or `interrupted`. Oldest first. */
  unfinished(kind: JobKind, subject?: string): Promise<readonly JobRecord[]>
}
