// Operations on tenants, their subscriptions and their negotiated prices. Types only.
import type { Page, PageQuery } from '../store/page.ts'
import type { By } from '../store/records/actor.ts'
import type * as checkout from '../api/checkout.ts'
import type * as enterprise from '../api/enterprise.ts'
import type * as jobs from '../api/jobs.ts'
import type * as migrations from '../api/price-migrations.ts'
import type { QueryOf } from '../api/notation/operation.ts'
import type { Inside } from '../api/notation/schema.ts'
import type * as sessions from '../api/sessions.ts'
import type * as tenants from '../api/tenants.ts'
import type * as usage from '../api/usage.ts'
import type { PerhapsMirrored } from './mirror.ts'

/** The caller of a change, for the audit trail. */
export interface Caller {
  readonly author: string | null
  /** Reason of the change; stored with jobs. */
  readonly message?: string | null
  /** Service key of the request; null for a session, and for the service itself. */
  readonly by: By | null
  readonly requestId: string | null
}

export type Tenant = Inside<typeof tenants.Tenant>

export type NewTenant = Inside<typeof tenants.NewTenant>

export type TenantChange = Inside<typeof tenants.TenantChange>

/** Query of `GET tenants`: filters and order, see api/tenants.ts. */
export type TenantQuery = PageQuery & Partial<QueryOf<typeof tenants.tenantOperations.listTenants>>

export type ListedTenant = Inside<typeof tenants.ListedTenant>

export type TenantSubscription = Inside<typeof tenants.Subscription>

export type TenantSubscriptions = Omit<Inside<typeof tenants.TenantSubscriptions>, 'tenantId'>

export type AuditEntry = Inside<typeof tenants.AuditEntry>

/** A session without its secret value, which is returned at creation only. */
export type Session = Omit<Inside<typeof sessions.Session>, 'value'>

/** The tenant of a checkout, portal or usage request: from a session, or named by a service key's caller. */
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
  /** Config id, current or former. */
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
  /** `at` (epoch milliseconds): at the first renewal after that time. */
  readonly to: 'renewal' | 'now' | { readonly at: number }
}

export type MigrationLine = Inside<typeof migrations.MigrationLine>

export type MigrationPlan = Inside<typeof migrations.MigrationPlan>

export type UpcomingInvoices = readonly Inside<typeof tenants.Invoice>[]

export interface TenantOperations {
  createTenant(tenant: NewTenant, caller: Caller): Promise<Tenant>
  /** Throws `mirror_off` or `mirror_filling` for a filter or order that needs the mirror. Any other list has no members of the mirror then. */
  listTenants(query: TenantQuery): Promise<PerhapsMirrored & Page<ListedTenant>>
  findTenant(id: string): Promise<Tenant>
  updateTenant(id: string, change: TenantChange, caller: Caller): Promise<Tenant>
  removeTenant(id: string, caller: Caller): Promise<void>
  tenantAudit(id: string, page: PageQuery): Promise<Page<AuditEntry>>
  tenantSubscriptions(id: string): Promise<TenantSubscriptions>
  /**
   * Cancels a subscription to a free price, immediately. Throws `subscription_not_found`, or `conflict` for a subscription at the
   * processor.
   */
  cancelSubscription(id: string, subscriptionId: string, caller: Caller): Promise<void>
  /** Features that the tenant may use now, by configuration id. */
  tenantEntitlements(id: string): Promise<Entitlements>
  /** One preview per subscription that will be invoiced, the earliest first. Lines have config price ids. */
  upcomingInvoices(id: string): Promise<UpcomingInvoices>

  createSession(tenantId: string, ttlSeconds: number | null): Promise<Session & { readonly value: string }>
  revokeSession(id: string): Promise<void>
  /** The session if the value is valid, not expired and the tenant exists; otherwise null. Constant-time comparison. */
  authenticateSession(value: string): Promise<Session | null>

  /** The tenant's negotiated prices, each in place of a public price, with public members only. */
  sessionPrices(principal: Principal): Promise<SessionPrices>
  /** Like {@link tenantEntitlements}, for a request of the tenant itself. */
  sessionEntitlements(principal: Principal): Promise<Entitlements>
  createCheckout(checkout: NewCheckout, principal: Principal, idempotencyKey: string | null): Promise<Checkout>
  createPortal(returnUrl: string, principal: Principal): Promise<{ readonly url: string }>
  recordUsage(usage: NewUsage, principal: Principal): Promise<RecordedUsage>
  /**
   * Usage of the last 30 days that the processor accepted and later dropped, newest first. With `tenantId`: reports with an example of
   * that tenant, or with an example that cannot be attributed.
   */
  droppedUsage(query: DroppedUsageQuery): Promise<readonly DroppedUsage[]>
  /**
   * Dropped usage of the tenant, to show beside its invoices; cached for up to a minute. Empty if the configuration has no meter or the
   * tenant is not a customer yet. null if the processor does not respond in time, so that the invoices are not delayed.
   */
  droppedUsageOf(tenantId: string): Promise<readonly DroppedUsage[] | null>

  applyEnterprise(
    tenantId: string,
    target: EnterpriseTarget,
    options: Caller & ApplyChoices & { readonly dryRun: boolean },
  ): Promise<EnterpriseOutcome>
  enterpriseCoverage(): Promise<Coverage>
  /** Starts a job that re-applies a template to every tenant that has it; returns once it is journalled. */
  moveTemplate(template: string, caller: Caller): Promise<JobSummary>
  planMigration(request: MigrationRequest): Promise<MigrationPlan>
  /** Starts the migration job; returns once it is journalled. */
  startMigration(request: MigrationRequest, caller: Caller): Promise<JobSummary>
  listJobs(
    query: PageQuery & {
      readonly kind?: JobSummary['kind']
    },
  ): Promise<Page<JobSummary>>
  findJob(id: string): Promise<JobReport>
  resumeJob(id: string): Promise<JobSummary>
  cancelJob(id: string): Promise<JobSummary>
}
