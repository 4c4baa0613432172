// What can be asked of the database about tenants, their sessions, their free subscriptions, and jobs that change subscriptions.
import type { ConfigId, ProcessorId } from '../catalog/resource.ts'
import type { SessionRecord } from './records/auth.ts'
import type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
import type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
import type { LocalSubscriptionRecord, TenantRecord } from './records/tenants.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'

export type { SessionRecord } from './records/auth.ts'
export type { JobKind, JobRecord, JobStepRecord } from './records/journal.ts'
export type { AuditRecord, EditedField, EnterpriseFields } from './records/tenants.ts'
export type { LocalSubscriptionRecord, TenantRecord } from './records/tenants.ts'

export interface TenantStore {
  /** With its audit row in one transaction. `conflict` when the id or the customer is taken. */
  add(tenant: TenantRecord, audit: AuditRecord): Promise<void>
  find(id: string): Promise<TenantRecord | null>
  findByCustomer(processorCustomerId: string): Promise<TenantRecord | null>
  /** Ids of tenants by processor customer; customers that are no tenants are not in it. A few queries, however many there are. */
  idsByCustomer(processorCustomerIds: Iterable<string>): Promise<ReadonlyMap<string, string>>
  /** All that have the template, ascending, as they are at one moment. */
  idsOnTemplate(template: string): Promise<readonly string[]>
  /** By id, ascending. */
  list(query: {
    readonly limit: number
    readonly offset: number
    readonly processorCustomerId?: string
    readonly enterpriseTemplate?: string
    readonly enterpriseId?: string
  }): Promise<{ readonly items: readonly TenantRecord[]; readonly total: number }>
  /** null when there is no such tenant; `conflict` when the customer belongs to another. */
  update(id: string, change: Partial<Pick<TenantRecord, EditedField>>, audit: AuditRecord): Promise<TenantRecord | null>
  /** Sets the customer when there is none yet; the record as it is now. null when there is no such tenant. */
  bindCustomer(id: string, processorCustomerId: string, at: number): Promise<TenantRecord | null>
  /** Both fields and the audit row in one transaction, under the tenant's lease. null when there is no such tenant. */
  setEnterprise(
    id: string,
    fields: EnterpriseFields,
    audit: AuditRecord,
    token: LeaseToken,
  ): Promise<TenantRecord | null>
  /** False when there is none. Sessions are revoked with it; the audit stays. */
  remove(id: string, audit: AuditRecord): Promise<boolean>
  /** Newest first. */
  audit(
    tenantId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly total: number }>
}

export interface SessionStore {
  /** Also forgets sessions that expired more than a day ago. */
  add(session: SessionRecord): Promise<void>
  find(id: string): Promise<SessionRecord | null>
  /** False when there is none, or it was revoked already. */
  revoke(id: string, at: number): Promise<boolean>
}

export interface LocalSubscriptionStore {
  /** One that runs for each tenant and price: the one that is there already, if there is. */
  start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord>
  /** Running and ended ones, oldest first. */
  list(tenantId: string): Promise<readonly LocalSubscriptionRecord[]>
  /** Of all tenants, those that run on this price. */
  running(priceId: string): Promise<readonly LocalSubscriptionRecord[]>
  /** With its audit row in one transaction. False, and no row, when it is not running. */
  end(id: string, at: number, audit?: AuditRecord): Promise<boolean>
}

export type NewJob = Pick<
  JobRecord,
  'id' | 'kind' | 'subject' | 'input' | 'author' | 'message' | 'keyId' | 'keyName' | 'requestId' | 'createdAt'
> & {
  /** JSON of each step, in order. */
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
  /** Before a step is sent: `begun`, attempts + 1. */
  begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord>
  /** What a begun step sends, as JSON, before it is sent; kept as its result until it is settled. */
  sending(jobId: string, index: number, sent: string, token: LeaseToken): Promise<void>
  settle(
    jobId: string,
    index: number,
    outcome: {
      readonly state: 'succeeded' | 'failed' | 'unknown' | 'pending' | 'skipped'
      readonly result: string | null
      readonly error: string | null
      /** Of a pending step: epoch milliseconds before which it has nothing to do. */
      readonly waitsUntil?: number
    },
    token: LeaseToken,
  ): Promise<void>
  /** Leaves it until then (epoch milliseconds), when the service goes on with it. `error` is JSON: what is left, and why. */
  wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void>
  /** Newest first. */
  list(query: {
    readonly limit: number
    readonly offset: number
    readonly kind?: JobKind
  }): Promise<{ readonly items: readonly JobRecord[]; readonly total: number }>
  /**
   * Steps of migrations that succeeded and name one of these prices at the processor, as the one that they moved from or to:
   * newest job first, whatever id the price had then. A step may be among them that names it elsewhere. Migrations that ended
   * before `since` (epoch milliseconds) are left out.
   */
  movesBetween(
    processorPrices: readonly ProcessorId[],
    since: number,
  ): Promise<readonly Pick<JobStepRecord, 'step' | 'result'>[]>
  /** Waiting jobs of every kind and subject whose time has come, oldest first. */
  due(now: number): Promise<readonly JobRecord[]>
  /**
   * The first step of a webhook's rotation is done: in one transaction the secret is kept, the webhook maps to the new endpoint,
   * and the job waits until then (epoch milliseconds) with its second step.
   */
  rotated(
    jobId: string,
    made: {
      readonly webhookId: ConfigId
      readonly endpoint: ProcessorId
      readonly secret: string
      /** Under which the mapping is kept: the current one. */
      readonly revision: number
      readonly until: number
    },
    token: LeaseToken,
  ): Promise<void>
  /** Steps of jobs of these kinds, ended jobs included, that were begun or sent and have no result. Oldest job first. */
  unanswered(kinds: readonly JobKind[]): Promise<readonly UnansweredStep[]>
  /** Jobs (of this subject) that did not end: `running`, `waiting` or `interrupted`. Oldest first. */
  unfinished(kind: JobKind, subject?: string): Promise<readonly JobRecord[]>
}
