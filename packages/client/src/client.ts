// The client of a Ratecard service, with one typed function per route. It holds no state and retries only idempotent requests. It needs
// only `fetch` and Web Crypto, so it runs in browsers, Node and workers.
import { adminClient, type AdminClient } from './methods/admin.ts'
import { billingClient, type BillingClient } from './methods/billing.ts'
import { entitlementsClient, type EntitlementsClient } from './methods/entitlements.ts'
import { checkoutClient, portalClient, sessionPricesCall, usageClient } from './methods/checkout.ts'
import type { CheckoutClient, PortalClient, SessionPricesCall, UsageClient } from './methods/checkout.ts'
import { creditsClient, type CreditsClient } from './methods/credits.ts'
import { discountsClient, type DiscountsClient } from './methods/discounts.ts'
import { enterpriseClient, jobsClient, migrationsClient } from './methods/enterprise.ts'
import type { EnterpriseClient, JobsClient, MigrationsClient } from './methods/enterprise.ts'
import { moneyClient, type MoneyClient } from './methods/money.ts'
import { serverClient, type ServerClient } from './methods/server.ts'
import { subscriptionClient, type SubscriptionClient } from './methods/subscription.ts'
import { sessionsClient, tenantsClient, type SessionsClient, type TenantsClient } from './methods/tenants.ts'
import { createTransport, type ClientOptions } from './transport.ts'
import { workersClient, type WorkersClient } from './methods/workers.ts'

export interface Client {
  /** Calls that need no key. */
  readonly billing: BillingClient
  /** Calls for a tenant. They need the tenant's session or a service key. */
  readonly sessionPrices: SessionPricesCall
  readonly entitlements: EntitlementsClient
  readonly checkout: CheckoutClient
  /** Changing, cancelling and pausing a subscription. */
  readonly subscription: SubscriptionClient
  readonly portal: PortalClient
  readonly usage: UsageClient
  /** Calls that need a service key, e.g. pushes and keys. */
  readonly admin: AdminClient
  readonly tenants: TenantsClient
  readonly discounts: DiscountsClient
  readonly credits: CreditsClient
  /** Calls about revenue, subscribers and invoices. They need a service key. */
  readonly money: MoneyClient
  readonly sessions: SessionsClient
  readonly enterprise: EnterpriseClient
  readonly migrations: MigrationsClient
  readonly jobs: JobsClient
  readonly workers: WorkersClient
  /** Calls about the service itself, e.g. its health. */
  readonly server: ServerClient
}

/**
 * Creates a client of the service at `baseUrl`. Failed calls throw {@link RatecardError}.
 *
 * @example
 * const ratecard = createClient({ baseUrl: 'http://127.0.0.1:4242' })
 * const { price } = await ratecard.billing.price('pro_monthly')
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  return {
    billing: billingClient(transport),
    sessionPrices: sessionPricesCall(transport),
    entitlements: entitlementsClient(transport),
    checkout: checkoutClient(transport),
    subscription: subscriptionClient(transport),
    portal: portalClient(transport),
    usage: usageClient(transport),
    admin: adminClient(transport),
    tenants: tenantsClient(transport),
    discounts: discountsClient(transport),
    credits: creditsClient(transport),
    money: moneyClient(transport),
    sessions: sessionsClient(transport),
    enterprise: enterpriseClient(transport),
    migrations: migrationsClient(transport),
    jobs: jobsClient(transport),
    workers: workersClient(transport),
    server: serverClient(transport),
  }
}

export { createCheckCache } from './check-cache.ts'
export type { CheckCache, CheckCacheOptions } from './check-cache.ts'
// `export *` lets a program extend the interface `RegisteredIds` by declaring it for this package.
export * from './ids.ts'
export { RatecardError, errorFromProblem } from './error.ts'
export type { ErrorCode, ProcessorWords } from './error.ts'
export type { Issue } from './issue.ts'
export type { AdminClient, NewKeyOptions, Page, PushOptions } from './methods/admin.ts'
export type { BillingClient, CalculateOptions } from './methods/billing.ts'
export type { EntitlementsClient, FeatureQuestion } from './methods/entitlements.ts'
export type { CheckoutClient, PortalClient, SessionPricesCall, UsageClient } from './methods/checkout.ts'
export type { CreditsClient } from './methods/credits.ts'
export type { DiscountsClient } from './methods/discounts.ts'
export type {
  ApplyChoices,
  ApplyOptions,
  EnterpriseClient,
  JobsClient,
  MigrationsClient,
} from './methods/enterprise.ts'
export type { Days, ExportQuery, MoneyClient, SubscriberQuery } from './methods/money.ts'
export type { ServerClient } from './methods/server.ts'
export type { SubscriptionClient } from './methods/subscription.ts'
export type { SessionsClient, TenantPage, TenantQuery, TenantsClient } from './methods/tenants.ts'
export type { ActOptions, WriteOptions } from './call.ts'
export type { CallOptions, ClientOptions } from './transport.ts'
export type {
  CostLine,
  Cost,
  Interval,
  NewDeployment,
  NewMigration,
  Pulled,
  PushEvent,
  StartedPush,
  StepState,
} from './results.ts'
export type {
  AccountInfo,
  AffectedSubscriber,
  Audit,
  AuditEntry,
  BillingDocument,
  BillingStatus,
  By,
  ChangeAction,
  ChangeOutcome,
  ChangePreview,
  ChangeReport,
  Checkout,
  Conversion,
  CouponDocument,
  Coverage,
  Credit,
  Credits,
  CronRun,
  CronRunList,
  CurrencyMoney,
  Deployment,
  DeploymentList,
  Detail,
  Discount,
  DiscountPlan,
  Display,
  DocumentDifference,
  DroppedUsage,
  DriftReport,
  EnterpriseOutcome,
  Entitlements,
  FeatureCheck,
  Grant,
  NewCredit,
  NewGrant,
  FeatureChecks,
  FieldChange,
  Finding,
  History,
  HistoryEntry,
  Invoice,
  InvoiceLine,
  Job,
  JobKind,
  JobList,
  JobReport,
  JobStep,
  KeyScope,
  ListedTenant,
  MeterDocument,
  MigrationLine,
  MigrationPlan,
  PolicyHistory,
  PolicySet,
  Violation,
  Money,
  MoneyDay,
  MoneyDays,
  NewCancellation,
  NewChange,
  NewCheckout,
  NewDiscount,
  NewPause,
  NewPreview,
  NewResumption,
  NewTenant,
  NewUsage,
  Pagination,
  PriceDocument,
  PriceImpact,
  ProcessorEvents,
  ProductDocument,
  PromotionCodeDocument,
  PushKind,
  PushOutcome,
  PushReport,
  PushState,
  PushStep,
  PushSummary,
  ResetReport,
  ResourceKind,
  Revision,
  ServedConfig,
  ServiceKey,
  Session,
  SessionPrices,
  Subscriber,
  Subscribers,
  Subscription,
  SubscriptionItem,
  Swap,
  Tenant,
  TenantChange,
  TenantInvoice,
  TenantInvoiceLine,
  TenantInvoices,
  TenantList,
  TenantSubscriptions,
  TierDocument,
  UpcomingInvoice,
  Usage,
  Validation,
  WebhookDocument,
  WebhookListing,
  WebhookRotation,
  Worker,
  WorkerLogLine,
  WorkerModule,
} from './wire.generated.ts'
export { verifyWebhook, WebhookError } from './webhooks.ts'
export type { VerifyOptions, WebhookErrorCode, WebhookEvent } from './webhooks.ts'
export type { LogQuery, WorkersClient } from './methods/workers.ts'
