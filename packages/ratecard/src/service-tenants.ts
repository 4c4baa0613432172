// Operations on tenants: who buys, what they are on, and their negotiated prices. The second page of service.ts; types only.
import type { InvoicePreview } from './processor/customer-half.ts'

/** Who asks for a change, for the audit trail. */
export interface Caller {
  readonly author: string | null
  /** Why; kept with jobs. */
  readonly message?: string | null
  /** Id of the service key; null for a session. */
  readonly keyId: string | null
  readonly requestId: string | null
}

export interface Tenant {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly processorCustomerId: string | null
  readonly enterpriseTemplate: string | null
  readonly enterpriseId: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface NewTenant {
  /** Chosen by the caller, or generated. */
  readonly id?: string
  readonly name: string
  readonly email?: string | null
  readonly processorCustomerId?: string | null
}

export interface TenantChange {
  readonly name?: string
  readonly email?: string | null
  readonly processorCustomerId?: string | null
}

export interface TenantQuery {
  readonly limit: number
  readonly offset: number
  readonly processorCustomerId?: string
  readonly enterpriseTemplate?: string
  readonly enterpriseId?: string
}

export interface TenantSubscriptionItem {
  readonly id: string
  /** Config id; null when the price is none of ours. */
  readonly priceId: string | null
  readonly processorPriceId: string
  readonly quantity: number | null
  /** A price of ours that was replaced or removed since: the tenant keeps it until it is moved. */
  readonly legacy: boolean
  readonly usageType: 'licensed' | 'metered'
  readonly currentPeriodEnd: number | null
  /** Config id (or processor id) that it moves to at the period's end; null when nothing is scheduled. */
  readonly scheduledPriceId: string | null
}

export interface TenantSubscription {
  readonly id: string
  /** `local`: a free price, kept here alone. */
  readonly home: 'processor' | 'local'
  readonly status: string
  readonly currency: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly trialEnd: number | null
  readonly createdAt: number
  /** The earlier subscription to the same price that it is beside, and that nobody asked it to be beside: both are billed. */
  readonly duplicateOf: string | null
  readonly items: readonly TenantSubscriptionItem[]
}

export type BillingStatus = 'none' | 'free' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'paused'

export interface TenantSubscriptions {
  readonly billingStatus: BillingStatus
  readonly subscriptions: readonly TenantSubscription[]
}

export interface AuditEntry {
  readonly id: string
  readonly action: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly result: Readonly<Record<string, unknown>> | null
  readonly author: string | null
  readonly keyId: string | null
  readonly requestId: string | null
  readonly createdAt: number
}

export interface Session {
  readonly id: string
  readonly tenantId: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** On whose behalf a checkout, a portal or usage is asked for. */
export type Principal =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'key'; readonly keyId: string; readonly tenantId: string | null }

export interface NewCheckout {
  readonly priceId: string
  readonly successUrl: string
  readonly cancelUrl: string
  readonly quantity?: number
  readonly trialPeriodDays?: number
  readonly allowPromotionCodes?: boolean
  /** Config id or the code itself. */
  readonly promotionCode?: string
  /** Also where the tenant has a live subscription to the price: both are billed. */
  readonly allowDuplicate?: boolean
}

export interface Checkout {
  readonly url: string
  /** null for a free price, which needs no checkout at the processor. */
  readonly sessionId: string | null
}

export interface NewUsage {
  /** Config id of the meter. */
  readonly meter: string
  readonly value: number | string
  /** Epoch milliseconds. */
  readonly timestamp?: number
  readonly identifier?: string
}

export type EnterpriseTarget =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'custom'; readonly enterpriseId: string }
  | { readonly kind: 'none' }

export interface ApplyChoices {
  /** What becomes of items on another deal that have no price in this one: `keep` (default), or back to the base price. */
  readonly unmatched?: 'keep' | 'base'
}

export interface SwapReport {
  readonly subscription: string
  readonly item: string
  /** Config ids; `from` is the processor id when the price is none of ours. */
  readonly from: string
  readonly to: string
  /** `now`: the price changes at once and is first billed at the renewal. `period_end`: a schedule changes it then. */
  readonly effective: 'now' | 'period_end'
}

export interface SkipReport {
  readonly subscription: string
  readonly item: string | null
  readonly price: string
  /** A sentence, or `on_other_deal`: the price belongs to another deal, and the applied one has none in its place. */
  readonly reason: string
  /** What is behind a reason that is one word. */
  readonly detail?: string
}

export interface EnterpriseOutcome {
  readonly tenantId: string
  readonly dryRun: boolean
  readonly pricesSwapped: number
  readonly swaps: readonly SwapReport[]
  readonly skipped: readonly SkipReport[]
  /** How many of the skipped stay on the price of another deal: its discount goes on. */
  readonly leftOnOtherDeal: number
  /** Checkout pages that sold what the tenant would have paid before, and can no longer be paid. 0 in a dry run. */
  readonly checkoutsClosed: number
}

export interface CoverageCell {
  /** `template:<name>` or `id:<enterprise id>`. */
  readonly target: string
  /** The enterprise price; null is a gap. */
  readonly priceId: string | null
}

export interface Coverage {
  readonly templates: readonly string[]
  readonly enterpriseIds: readonly string[]
  /** One row for each price that is a base of something. */
  readonly rows: readonly { readonly basePriceId: string; readonly cells: readonly CoverageCell[] }[]
  readonly gaps: number
  /** Enterprise prices without a base: listed, never swapped to. */
  readonly withoutBase: readonly string[]
}

export interface JobSummary {
  readonly id: string
  readonly kind: 'enterprise_apply' | 'template_move' | 'migration'
  readonly subject: string
  /** `waiting`: what is left of it must wait for a date, and the service goes on with it then. `interrupted` needs a person. */
  readonly state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
  /** When a waiting job goes on; null for any other. */
  readonly resumesAt: number | null
  readonly author: string | null
  readonly message: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly finishedAt: number | null
  readonly stepsTotal: number
  readonly stepsDone: number
}

export interface JobStep {
  readonly index: number
  readonly state: 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'
  readonly attempts: number
  /** What is to be done, and what came of it: plain JSON in the wire's names. */
  readonly step: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error: Readonly<Record<string, unknown>> | null
}

export interface JobReport extends JobSummary {
  readonly input: Readonly<Record<string, unknown>>
  readonly steps: readonly JobStep[]
  readonly error: Readonly<Record<string, unknown>> | null
}

export interface MigrationRequest {
  /** Config id of a price that was replaced. */
  readonly priceId: string
  /** `renewal` (default): from the next period on. `now`: at once, billed at the next renewal. A time: at the first renewal after it. */
  readonly to: 'renewal' | 'now' | { readonly at: number }
  readonly only?: readonly string[]
  readonly except?: readonly string[]
}

export interface MigrationLine {
  readonly tenantId: string | null
  readonly customer: string
  readonly subscription: string
  readonly item: string
  readonly fromProcessorPriceId: string
  readonly toProcessorPriceId: string
  readonly quantity: number | null
  readonly currency: string
  /** Minor units a month, before and after; null where it depends on usage. */
  readonly monthlyBefore: number | null
  readonly monthlyAfter: number | null
  readonly effective: 'now' | 'period_end'
  readonly effectiveAt: number
  readonly skipped: string | null
}

export interface MigrationPlan {
  readonly priceId: string
  readonly lines: readonly MigrationLine[]
  /** By currency, minor units a month. */
  readonly totals: readonly {
    readonly currency: string
    readonly subscriptions: number
    readonly before: number
    readonly after: number
  }[]
}

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
  /** One preview for each subscription that will be invoiced, the soonest first; lines by config price id. */
  upcomingInvoices(id: string): Promise<
    readonly (Omit<InvoicePreview, 'lines'> & {
      /** The amount due as people read it. */
      readonly formatted: string
      readonly lines: readonly (Omit<InvoicePreview['lines'][number], 'price'> & {
        readonly priceId: string | null
        readonly processorPriceId: string | null
      })[]
    })[]
  >

  createSession(tenantId: string, ttlSeconds: number | null): Promise<Session & { readonly value: string }>
  revokeSession(id: string): Promise<void>
  /** The session when the value is genuine, alive and its tenant exists; else null. Constant time in the value. */
  authenticateSession(value: string): Promise<Session | null>

  createCheckout(checkout: NewCheckout, principal: Principal, idempotencyKey: string | null): Promise<Checkout>
  createPortal(returnUrl: string, principal: Principal): Promise<{ readonly url: string }>
  recordUsage(
    usage: NewUsage,
    principal: Principal,
  ): Promise<{ readonly meter: string; readonly tenantId: string; readonly identifier: string }>

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
