// Records of tenants, their sessions, their free subscriptions, and the journal of jobs that change subscriptions.
// Times are epoch milliseconds.
import type { LeaseToken } from './store.ts'

export interface TenantRecord {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly processorCustomerId: string | null
  readonly enterpriseTemplate: string | null
  readonly enterpriseId: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a tenant's enterprise fields were and became. */
export interface EnterpriseFields {
  readonly enterpriseTemplate: string | null
  readonly enterpriseId: string | null
}

export type AuditAction =
  'tenant_created' | 'tenant_updated' | 'tenant_deleted' | 'apply_template' | 'apply_custom' | 'remove'

export interface AuditRecord {
  readonly id: string
  readonly tenantId: string
  readonly action: AuditAction
  /** JSON of the fields before and after; null where there is nothing. */
  readonly before: string | null
  readonly after: string | null
  /** JSON: what was swapped and what was skipped; null for other actions. */
  readonly result: string | null
  readonly author: string | null
  /** Id of the service key that acted; never the key. */
  readonly keyId: string | null
  readonly requestId: string | null
  readonly createdAt: number
}

export interface TenantStore {
  /** With its audit row in one transaction. `conflict` when the id or the customer is taken. */
  add(tenant: TenantRecord, audit: AuditRecord): Promise<void>
  find(id: string): Promise<TenantRecord | null>
  findByCustomer(processorCustomerId: string): Promise<TenantRecord | null>
  /** By id, ascending. */
  list(query: {
    readonly limit: number
    readonly offset: number
    readonly processorCustomerId?: string
    readonly enterpriseTemplate?: string
    readonly enterpriseId?: string
  }): Promise<{ readonly items: readonly TenantRecord[]; readonly total: number }>
  /** null when there is no such tenant; `conflict` when the customer belongs to another. */
  update(
    id: string,
    change: Partial<Pick<TenantRecord, 'name' | 'email' | 'processorCustomerId'>>,
    audit: AuditRecord,
  ): Promise<TenantRecord | null>
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

export interface SessionRecord {
  readonly id: string
  readonly tenantId: string
  /** sha256 hex of the cookie's secret part. */
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
}

export interface SessionStore {
  /** Also forgets sessions that expired more than a day ago. */
  add(session: SessionRecord): Promise<void>
  find(id: string): Promise<SessionRecord | null>
  /** False when there is none, or it was revoked already. */
  revoke(id: string, at: number): Promise<boolean>
}

/** A subscription to a free price: it lives here alone. */
export interface LocalSubscriptionRecord {
  readonly id: string
  readonly tenantId: string
  /** Config id. */
  readonly priceId: string
  readonly createdAt: number
  readonly endedAt: number | null
}

export interface LocalSubscriptionStore {
  /** One that runs for each tenant and price: the one that is there already, if there is. */
  start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord>
  /** Running and ended ones, oldest first. */
  list(tenantId: string): Promise<readonly LocalSubscriptionRecord[]>
  end(id: string, at: number): Promise<boolean>
}

export type JobKind = 'enterprise_apply' | 'template_move' | 'migration'
export type JobState = 'running' | 'interrupted' | 'done' | 'failed' | 'cancelled'
export type JobStepState = 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'

export interface JobRecord {
  readonly id: string
  readonly kind: JobKind
  /** What it is about: a tenant, a template, a price. */
  readonly subject: string
  readonly state: JobState
  /** JSON: what was asked for. */
  readonly input: string
  readonly author: string | null
  readonly message: string | null
  readonly requestId: string | null
  readonly stepsTotal: number
  readonly stepsDone: number
  /** JSON: why it ended. */
  readonly error: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly finishedAt: number | null
}

export interface JobStepRecord {
  readonly jobId: string
  readonly index: number
  /** JSON: what is to be done. */
  readonly step: string
  readonly state: JobStepState
  /** How often it was begun; part of the idempotency key. */
  readonly attempts: number
  /** JSON: what came of it. */
  readonly result: string | null
  /** JSON: the processor's own words. */
  readonly error: string | null
  readonly beganAt: number | null
  readonly endedAt: number | null
}

export type NewJob = Pick<
  JobRecord,
  'id' | 'kind' | 'subject' | 'input' | 'author' | 'message' | 'requestId' | 'createdAt'
> & {
  /** JSON of each step, in order. */
  readonly steps: readonly string[]
}

/** Every method that takes a token fails with `push_in_progress` when its lease is no longer held. */
export interface JobStore {
  open(job: NewJob, token: LeaseToken): Promise<JobRecord>
  /** Before a step is sent: `begun`, attempts + 1. */
  begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord>
  settle(
    jobId: string,
    index: number,
    outcome: {
      readonly state: 'succeeded' | 'failed' | 'unknown' | 'pending' | 'skipped'
      readonly result: string | null
      readonly error: string | null
    },
    token: LeaseToken,
  ): Promise<void>
  end(
    jobId: string,
    state: 'done' | 'interrupted' | 'failed' | 'cancelled',
    error: string | null,
    token: LeaseToken,
  ): Promise<void>
  /** `running` again, of an interrupted or failed one: failed steps are pending again. */
  resume(jobId: string, token: LeaseToken): Promise<void>
  /** Asks a running job to stop between two steps; whoever runs it reads this. False when it is not running. */
  requestCancel(jobId: string, at: number): Promise<boolean>
  cancelRequested(jobId: string): Promise<boolean>
  find(jobId: string): Promise<JobRecord | null>
  steps(jobId: string): Promise<readonly JobStepRecord[]>
  /** Newest first. */
  list(query: {
    readonly limit: number
    readonly offset: number
    readonly kind?: JobKind
  }): Promise<{ readonly items: readonly JobRecord[]; readonly total: number }>
  /** Of every kind and subject, oldest first. A job whose process died is not among them: its journal says `running`. */
  interrupted(): Promise<readonly JobRecord[]>
  /** Jobs of this subject that did not end: `running` or `interrupted`. Oldest first. */
  unfinished(kind: JobKind, subject: string): Promise<readonly JobRecord[]>
}
