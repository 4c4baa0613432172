// Operations on tenants, their subscriptions and their negotiated prices. Types only.
import type { Page, PageQuery } from '../../store/records/page.ts'
import type { DealEnd } from '../../store/records/tenants.ts'
import type { By } from '../../store/records/actor.ts'
import type * as changes from '../customers/subscription-changes.ts'
import type * as checkout from '../customers/checkout.ts'
import type * as credits from '../customers/credits.ts'
import type * as discounts from '../customers/discounts.ts'
import type * as enterprise from '../customers/enterprise.ts'
import type * as jobs from '../customers/jobs.ts'
import type * as migrations from '../customers/price-migrations.ts'
import type { QueryOf } from '../notation/operation.ts'
import type { Inside } from '../notation/schema.ts'
import type * as sessions from '../customers/sessions.ts'
import type * as tenants from '../customers/tenants.ts'
import type * as upcoming from '../customers/upcoming-invoices.ts'
import type * as usage from '../customers/usage.ts'
import type { PerhapsMirrored } from './mirror.ts'

/** The caller of a change, as the audit trail stores it. */
export interface Caller {
  readonly author: string | null
  /** Reason of the change as the caller gave it; stored with jobs. */
  readonly message?: string | null
  /** Service key that made the request; null for a session, and for the service itself. */
  readonly by: By | null
  readonly requestId: string | null
}

export interface Overriding {
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
}

export type Tenant = Inside<typeof tenants.Tenant>

export type NewTenant = Inside<typeof tenants.NewTenant>

export type TenantChange = Inside<typeof tenants.TenantChange>

/** Query of `GET tenants`: filters and order, see api/customers/tenants.ts. */
export type TenantQuery = PageQuery & Partial<QueryOf<typeof tenants.tenantOperations.listTenants>>

export type ListedTenant = Inside<typeof tenants.ListedTenant>

export type TenantSubscription = Inside<typeof tenants.Subscription>

export type TenantSubscriptions = Omit<Inside<typeof tenants.TenantSubscriptions>, 'tenantId'>

export type AuditEntry = Inside<typeof tenants.AuditEntry>

/** A session without its secret value, which is returned only when the session is created. */
export type Session = Omit<Inside<typeof sessions.Session>, 'value'>

/**
 * Caller of a checkout, portal or usage request, with its tenant. A session belongs to one tenant; a caller with a service key names the
 * tenant.
 */
export type Principal =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'key'; readonly keyId: string; readonly tenantId: string | null }

export type Entitlements = Inside<typeof tenants.Entitlements>
export type Grant = Inside<typeof tenants.Grant>
export type NewGrant = Omit<Inside<typeof tenants.NewGrant>, 'endsAt'> & { readonly endsAt?: number }
export type CheckedFeature = Inside<typeof tenants.FeatureCheck>
/**
 * A question about a feature: the amount that a tenant wants to use. `used` (the amount in use now) applies only to features of type
 * `limit`.
 */
export interface FeatureQuestion {
  readonly feature: string
  readonly used?: number
  readonly requested?: number
}
export type SessionPrices = Inside<typeof checkout.SessionPrices>['prices']

export type NewCheckout = Omit<Inside<typeof checkout.NewCheckout>, 'tenantId'>

export type NewPortal = Omit<Inside<typeof checkout.NewPortal>, 'tenantId'>

export type Checkout = Inside<typeof checkout.Checkout>

export type NewChange = Omit<Inside<typeof changes.NewChange>, 'tenantId'>

export type ChangePreview = Inside<typeof changes.ChangePreview>

export type ChangeOutcome = Inside<typeof changes.ChangeOutcome>

export type NewCancellation = Omit<Inside<typeof changes.NewCancellation>, 'tenantId'>

export type NewResumption = Omit<Inside<typeof changes.NewResumption>, 'tenantId'>

export type NewPause = Omit<Inside<typeof changes.NewPause>, 'tenantId' | 'until'> & {
  /** Time at which collection resumes by itself, epoch milliseconds. */
  readonly until?: number
}

export type NewUsage = Omit<Inside<typeof checkout.NewUsage>, 'tenantId' | 'timestamp'> & {
  /** Time of the usage, epoch milliseconds. */
  readonly timestamp?: number
}

export type RecordedUsage = Pick<
  Inside<typeof checkout.Usage>,
  'meter' | 'tenantId' | 'identifier' | 'alreadyCounted' | 'billed'
>

export type DroppedUsage = Inside<typeof usage.DroppedUsage>

export interface DroppedUsageQuery {
  /** Configuration id of the meter, current or former. */
  readonly meter?: string
  readonly tenantId?: string
}

export type Discount = Inside<typeof discounts.Discount>

export type NewDiscount = Inside<typeof discounts.NewDiscount>

export type DiscountPlan = Inside<typeof discounts.DiscountPlan>

export type Credit = Inside<typeof credits.Credit>

export type Credits = Inside<typeof credits.Credits>

export type CreditBalance = Credits['balance']

export type NewCredit = Omit<Inside<typeof credits.NewCredit>, 'expiresAt'> & {
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

/**
 * Caller of a change of discounts, or of a new credit. If the caller retries with the same Idempotency-Key, it gets the result of the first
 * attempt.
 */
export interface KeyedCaller extends Caller {
  readonly idempotencyKey: string | null
}

export type EnterpriseTarget =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'custom'; readonly enterpriseId: string }
  /** Restores the ordinary prices: the present base prices (default), or the prices that the items were on before the deal. */
  | { readonly kind: 'none'; readonly to?: DealEnd }

export type ApplyChoices = Pick<Inside<typeof enterprise.ApplyTemplate>, 'unmatched' | 'then'> & {
  /**
   * Time (epoch milliseconds) at which the deal ends; null for a deal without an end. If absent, a deal that the tenant already has keeps
   * its end.
   */
  readonly endsAt?: number | null
}

export type SwapReport = Inside<typeof enterprise.Swap>

export type SkipReport = EnterpriseOutcome['skipped'][number]

export type EnterpriseOutcome = Inside<typeof enterprise.EnterpriseOutcome>

export type Coverage = Inside<typeof enterprise.Coverage>

export type JobSummary = Inside<typeof jobs.Job>

export type JobStep = Inside<typeof jobs.JobStep>

export type JobReport = Inside<typeof jobs.JobReport>
export type CancelledJob = Inside<typeof jobs.CancelledJob>

export type MigrationRequest = Omit<Inside<typeof migrations.NewMigration>, 'to'> & {
  /** Time of the moves: now, at the next renewal, or at the first renewal after `at` (epoch milliseconds). */
  readonly to: 'renewal' | 'now' | { readonly at: number }
}

export type MigrationLine = Inside<typeof migrations.MigrationLine>

export type MigrationPlan = Inside<typeof migrations.MigrationPlan>

export type UpcomingInvoices = readonly Inside<typeof upcoming.Invoice>[]

export interface TenantOperations {
  createTenant(tenant: NewTenant, caller: Caller): Promise<Tenant>
  /**
   * Returns a page of tenants. If a filter or the order needs the mirror and the mirror is not complete, throws `mirror_off` or
   * `mirror_filling`. Otherwise, without a complete mirror, the tenants lack the members that come from it.
   */
  listTenants(query: TenantQuery): Promise<PerhapsMirrored & Page<ListedTenant>>
  findTenant(id: string): Promise<Tenant>
  updateTenant(id: string, change: TenantChange, caller: Caller): Promise<Tenant>
  removeTenant(id: string, caller: Caller): Promise<void>
  tenantAudit(id: string, page: PageQuery): Promise<Page<AuditEntry>>
  tenantSubscriptions(id: string): Promise<TenantSubscriptions>
  /**
   * Cancels a subscription to a free price immediately. Throws `subscription_not_found`, or `conflict` for a subscription at the processor.
   */
  cancelSubscription(id: string, subscriptionId: string, caller: Caller): Promise<void>
  listGrants(id: string): Promise<readonly Grant[]>
  /** Gives the tenant a grant, which replaces an earlier one of the same feature. Throws `feature_not_found`. */
  putGrant(
    place: { readonly tenantId: string; readonly feature: string },
    grant: NewGrant,
    caller: Caller,
  ): Promise<Grant>
  /** Throws `grant_not_found`. */
  removeGrant(place: { readonly tenantId: string; readonly feature: string }, caller: Caller): Promise<void>
  /** Returns the features that the tenant may use now, by configuration id. */
  tenantEntitlements(id: string): Promise<Entitlements>
  /** Returns one preview for each subscription that will be invoiced, earliest first. Lines name prices by their configuration id. */
  upcomingInvoices(id: string): Promise<UpcomingInvoices>

  createSession(tenantId: string, ttlSeconds: number | null): Promise<Session & { readonly value: string }>
  revokeSession(id: string): Promise<void>
  /**
   * Returns the session if the value is valid, the session has not expired and its tenant exists; otherwise null. The comparison takes
   * constant time.
   */
  authenticateSession(value: string): Promise<Session | null>

  /** Returns the tenant's negotiated prices, each in place of a public price. They have only the members that are public. */
  sessionPrices(principal: Principal): Promise<SessionPrices>
  /** Like {@link tenantEntitlements}, for a request that the tenant itself makes with a session. */
  sessionEntitlements(principal: Principal): Promise<Entitlements>
  /**
   * Checks for each feature whether the tenant may use more of it. Once the mirror is complete, sends no request to the processor. Throws
   * `feature_not_found`.
   */
  checkFeatures(questions: readonly FeatureQuestion[], principal: Principal): Promise<readonly CheckedFeature[]>
  checkFeature(question: FeatureQuestion, principal: Principal): Promise<CheckedFeature>
  createCheckout(checkout: NewCheckout, principal: Principal, idempotencyKey: string | null): Promise<Checkout>
  /**
   * Returns what a change would cost. Stores this preview, so that the change can later be made at these amounts. Does not change the
   * subscription.
   */
  previewChange(change: Omit<NewChange, 'preview'>, principal: Principal): Promise<ChangePreview>
  /** Changes the items of a subscription. A change with a session must name a preview. `idempotencyKey` is the key of the request. */
  changeSubscription(
    change: NewChange,
    principal: Principal,
    caller: Caller,
    idempotencyKey: string | null,
  ): Promise<ChangeOutcome>
  /** Cancels a subscription, at the end of its period or now. `idempotencyKey` is the key of the request. */
  cancelOwnSubscription(
    cancellation: NewCancellation,
    principal: Principal,
    caller: Caller,
    idempotencyKey: string | null,
  ): Promise<TenantSubscription>
  /**
   * Undoes a cancellation, a pause, a scheduled change, or a change that waits for its payment. `idempotencyKey` is the key of the request.
   */
  resumeSubscription(
    resumption: NewResumption,
    principal: Principal,
    caller: Caller,
    idempotencyKey: string | null,
  ): Promise<TenantSubscription>
  /** Pauses the collection of a subscription's invoices. */
  pauseSubscription(pause: NewPause, principal: Principal, caller: Caller): Promise<TenantSubscription>
  createPortal(portal: NewPortal, principal: Principal): Promise<{ readonly url: string }>
  recordUsage(usage: NewUsage, principal: Principal): Promise<RecordedUsage>
  /**
   * Returns usage of the last 30 days that the processor accepted and later dropped, newest first. With `tenantId`, returns reports that
   * have an example event of that tenant, or of an unknown tenant.
   */
  droppedUsage(query: DroppedUsageQuery): Promise<readonly DroppedUsage[]>
  /**
   * Returns the tenant's dropped usage, to show it beside invoices. The result is cached for up to a minute. Empty if the configuration has
   * no meter, or if the tenant has no customer yet. null if the processor does not respond in time; otherwise the invoices would be
   * delayed.
   */
  droppedUsageOf(tenantId: string): Promise<readonly DroppedUsage[] | null>
  /** Returns the reports of the last 30 days that nobody pays for, by tenant and meter, most reports first. */
  unbilledUsage(): Promise<readonly { readonly tenantId: string; readonly meter: string; readonly reports: number }[]>

  /** Returns the discounts of the tenant's subscriptions at the processor, sorted by subscription, oldest first. */
  tenantDiscounts(id: string): Promise<readonly Discount[]>
  /** Dry run of {@link addDiscount}: returns what it would change, and throws the same errors. */
  planDiscount(id: string, discount: NewDiscount): Promise<DiscountPlan>
  /** Adds a discount to a running subscription. Throws `discount_invalid` if the coupon or the subscription does not allow it. */
  addDiscount(id: string, discount: NewDiscount, caller: KeyedCaller): Promise<Discount>
  planDiscountRemoval(id: string, discount: string): Promise<DiscountPlan>
  /** Removes a discount. Throws `discount_not_found` if no subscription of the tenant has it. */
  removeDiscount(id: string, discount: string, caller: KeyedCaller): Promise<void>

  /** Returns the tenant's credits, oldest first, from the mirror. */
  tenantCredits(id: string): Promise<Credits>
  /** Gives the tenant a credit. Throws `request_invalid` for an unknown meter, or for an expiry that has passed. */
  addCredit(id: string, credit: NewCredit, caller: KeyedCaller): Promise<Credit>

  applyEnterprise(
    tenantId: string,
    target: EnterpriseTarget,
    options: Caller & Overriding & ApplyChoices & { readonly dryRun: boolean },
  ): Promise<EnterpriseOutcome>
  enterpriseCoverage(): Promise<Coverage>
  /** Starts a job that applies a template again to every tenant that has it. Resolves when the job is in the journal. */
  moveTemplate(template: string, caller: Caller & Overriding): Promise<JobSummary>
  planMigration(request: MigrationRequest, caller?: Pick<Caller, 'message'> & Overriding): Promise<MigrationPlan>
  /** Starts the migration job. Resolves when the job is in the journal. */
  startMigration(request: MigrationRequest, caller: Caller & Overriding): Promise<JobSummary>
  listJobs(
    query: PageQuery & {
      readonly kind?: JobSummary['kind']
    },
  ): Promise<Page<JobSummary>>
  findJob(id: string): Promise<JobReport>
  resumeJob(id: string): Promise<JobSummary>
  cancelJob(id: string, takeBack: boolean, caller: Caller): Promise<CancelledJob>
}
