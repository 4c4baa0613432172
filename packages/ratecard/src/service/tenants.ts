// Operations on tenants: who buys, what they are on, and their negotiated prices. Types only.
import type { By } from '../store/records/actor.ts'
import type * as checkout from '../api/checkout.ts'
import type * as enterprise from '../api/enterprise.ts'
import type * as jobs from '../api/jobs.ts'
import type * as migrations from '../api/price-migrations.ts'
import type { Inside } from '../api/notation/schema.ts'
import type * as sessions from '../api/sessions.ts'
import type * as tenants from '../api/tenants.ts'
import type * as usage from '../api/usage.ts'

/** Who asks for a change, for the audit trail. */
export interface Caller {
  readonly author: string | null
  /** Why; kept with jobs. */
  readonly message?: string | null
  /** The service key that came with it; null for a session, and for the service itself. */
  readonly by: By | null
  readonly requestId: string | null
}

export type Tenant = Inside<typeof tenants.Tenant>

export type NewTenant = Inside<typeof tenants.NewTenant>

export type TenantChange = Inside<typeof tenants.TenantChange>

export interface TenantQuery {
  readonly limit: number
  readonly offset: number
  readonly processorCustomerId?: string
  readonly enterpriseTemplate?: string
  readonly enterpriseId?: string
}

export type TenantSubscription = Inside<typeof tenants.Subscription>

export type BillingStatus = TenantSubscriptions['billingStatus']

export type TenantSubscriptions = Omit<Inside<typeof tenants.TenantSubscriptions>, 'tenantId'>

export type AuditEntry = Inside<typeof tenants.AuditEntry>

/** Without the value, which only its making tells. */
export type Session = Omit<Inside<typeof sessions.Session>, 'value'>

/** On whose behalf a checkout, a portal or usage is asked for. */
export type Principal =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'key'; readonly keyId: string; readonly tenantId: string | null }

export type Entitlements = Inside<typeof tenants.Entitlements>
export type SessionPrices = Inside<typeof checkout.SessionPrices>['prices']

export type NewCheckout = Omit<Inside<typeof checkout.NewCheckout>, 'tenantId'>

export type Checkout = Inside<typeof checkout.Checkout>

export type NewUsage = Omit<Inside<typeof checkout.NewUsage>, 'tenantId' | 'timestamp'> & {
  /** Epoch milliseconds. */
  readonly timestamp?: number
}

export type RecordedUsage = Pick<Inside<typeof checkout.Usage>, 'meter' | 'tenantId' | 'identifier' | 'alreadyCounted'>

export type DroppedUsage = Inside<typeof usage.DroppedUsage>

export interface DroppedUsageQuery {
  /** Config id, a former one too. */
  readonly meter?: string
  readonly tenantId?: string
}

export type EnterpriseTarget =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'custom'; readonly enterpriseId: string }
  | { readonly kind: 'none' }

export type ApplyChoices = Pick<Inside<typeof enterprise.ApplyTemplate>, 'unmatched'>

export type SwapReport = Inside<typeof enterprise.Swap>

export type SkipReport = EnterpriseOutcome['skipped'][number]

export type EnterpriseOutcome = Inside<typeof enterprise.EnterpriseOutcome>

export type Coverage = Inside<typeof enterprise.Coverage>

export type JobSummary = Inside<typeof jobs.Job>

export type JobStep = Inside<typeof jobs.JobStep>

export type JobReport = Inside<typeof jobs.JobReport>

export type MigrationRequest = Omit<Inside<typeof migrations.NewMigration>, 'to'> & {
  /** A time: at the first renewal after it. */
  readonly to: 'renewal' | 'now' | { readonly at: number }
}

export type MigrationLine = Inside<typeof migrations.MigrationLine>

export type MigrationPlan = Inside<typeof migrations.MigrationPlan>

export type UpcomingInvoices = readonly Inside<typeof tenants.Invoice>[]

export interface TenantOperations {
  createTenant(tenant: NewTenant, caller: Caller): Promise<Tenant>
  listTenants(query: TenantQuery): Promise<{ readonly items: readonly Tenant[]; readonly total: number }>
  findTenant(id: string): Promise<Tenant>
  updateTenant(id: string, change: TenantChange, caller: Caller): Promise<Tenant>
  removeTenant(id: string, caller: Caller): Promise<void>
  tenantAudit(
    id: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly AuditEntry[]; readonly total: number }>
  tenantSubscriptions(id: string): Promise<TenantSubscriptions>
  /** Of a free price, now. `subscription_not_found`; `conflict` for one of the processor. */
  cancelSubscription(id: string, subscriptionId: string, caller: Caller): Promise<void>
  /** The features that it may use now, by configuration id. */
  tenantEntitlements(id: string): Promise<Entitlements>
  /** One preview for each subscription that will be invoiced, the soonest first; lines by config price id. */
  upcomingInvoices(id: string): Promise<UpcomingInvoices>

  createSession(tenantId: string, ttlSeconds: number | null): Promise<Session & { readonly value: string }>
  revokeSession(id: string): Promise<void>
  /** The session when the value is genuine, alive and its tenant exists; else null. Constant time in the value. */
  authenticateSession(value: string): Promise<Session | null>

  /** What the tenant negotiated, each in place of a public price, as anyone may see prices. */
  sessionPrices(principal: Principal): Promise<SessionPrices>
  /** The same as {@link tenantEntitlements}, for the tenant itself. */
  sessionEntitlements(principal: Principal): Promise<Entitlements>
  createCheckout(checkout: NewCheckout, principal: Principal, idempotencyKey: string | null): Promise<Checkout>
  createPortal(returnUrl: string, principal: Principal): Promise<{ readonly url: string }>
  recordUsage(usage: NewUsage, principal: Principal): Promise<RecordedUsage>
  /**
   * Usage of the last 30 days that the processor took and then dropped, newest first. Of a tenant: what names it in an example,
   * and what has an example that nobody can attribute.
   */
  droppedUsage(query: DroppedUsageQuery): Promise<readonly DroppedUsage[]>
  /**
   * What names the tenant, for what is shown beside its invoices, at most a minute old: empty where the configuration has no
   * meter or the tenant is no customer yet; null when the processor did not tell in time, which must not hold the invoices.
   */
  droppedUsageOf(tenantId: string): Promise<readonly DroppedUsage[] | null>

  applyEnterprise(
    tenantId: string,
    target: EnterpriseTarget,
    options: Caller & ApplyChoices & { readonly dryRun: boolean },
  ): Promise<EnterpriseOutcome>
  enterpriseCoverage(): Promise<Coverage>
  /** Applies a template anew to every tenant that has it, as a job; returns when it is journalled. */
  moveTemplate(template: string, caller: Caller): Promise<JobSummary>
  planMigration(request: MigrationRequest): Promise<MigrationPlan>
  /** Starts the job; returns when it is journalled. */
  startMigration(request: MigrationRequest, caller: Caller): Promise<JobSummary>
  listJobs(query: {
    readonly limit: number
    readonly offset: number
    readonly kind?: JobSummary['kind']
  }): Promise<{ readonly items: readonly JobSummary[]; readonly total: number }>
  findJob(id: string): Promise<JobReport>
  resumeJob(id: string): Promise<JobSummary>
  cancelJob(id: string): Promise<JobSummary>
}
