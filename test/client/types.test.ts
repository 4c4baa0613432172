// Type checks by `npm run types`: the names that the client has exported since its first version, and its types compared with the API
// contract.
import { describe, expectTypeOf, it } from 'vitest'
import type * as client from '../../packages/client/src/client.ts'
import type { BillingConfig, Meter, Price, Product } from '../../packages/ratecard/src/document/schema/schema.ts'
import type { contract } from '../../packages/ratecard/src/api/contract.ts'
import type { EnterpriseOutcome } from '../../packages/ratecard/src/api/customers/enterprise.ts'
import type { Job, JobReport } from '../../packages/ratecard/src/api/customers/jobs.ts'
import type { BodyOf, Operation } from '../../packages/ratecard/src/api/notation/operation.ts'
import type { PushReport, PushSummary } from '../../packages/ratecard/src/api/push/pushes.ts'
import type { History } from '../../packages/ratecard/src/api/push/revisions.ts'
import type { Inside } from '../../packages/ratecard/src/api/notation/schema.ts'
import type { Audit, Tenant, TenantSubscriptions } from '../../packages/ratecard/src/api/customers/tenants.ts'
import type { UpcomingInvoice } from '../../packages/ratecard/src/api/customers/upcoming-invoices.ts'
import type { CronRunList, WorkerLogLine } from '../../packages/ratecard/src/api/workers/worker-runs.ts'
import type { Worker } from '../../packages/ratecard/src/api/workers/workers.ts'

/** Every type that applications may name. A removed type fails to compile here. */
export type Exported = [
  client.ActOptions,
  client.AdminClient,
  client.ApplyChoices,
  client.ApplyOptions,
  client.Audit,
  client.AuditEntry,
  client.BillingClient,
  client.By,
  client.WebhookRotation,
  client.BillingDocument,
  client.CallOptions,
  client.ChangeAction,
  client.ChangeReport,
  client.Checkout,
  client.CheckoutClient,
  client.Client,
  client.ClientOptions,
  client.Conversion,
  client.Cost,
  client.CostLine,
  client.CouponDocument,
  client.Coverage,
  client.CronRun,
  client.CronRunList,
  client.Deployment,
  client.DeploymentList,
  client.Detail,
  client.Display,
  client.DocumentDifference,
  client.DriftReport,
  client.EnterpriseClient,
  client.EnterpriseOutcome,
  client.ErrorCode,
  client.FieldChange,
  client.Finding,
  client.History,
  client.HistoryEntry,
  client.Interval,
  client.Invoice,
  client.InvoiceLine,
  client.Issue,
  client.Job,
  client.JobKind,
  client.JobList,
  client.JobReport,
  client.JobStep,
  client.JobsClient,
  client.LogQuery,
  client.MeterDocument,
  client.MigrationLine,
  client.MigrationPlan,
  client.MigrationsClient,
  client.NewCheckout,
  client.NewCredit,
  client.NewDeployment,
  client.NewKeyOptions,
  client.NewMigration,
  client.NewTenant,
  client.NewUsage,
  client.Page,
  client.Pagination,
  client.PortalClient,
  client.PriceDocument,
  client.PriceImpact,
  client.ProcessorEvents,
  client.ProcessorWords,
  client.ProductDocument,
  client.PromotionCodeDocument,
  client.Pulled,
  client.PushEvent,
  client.PushKind,
  client.PushOptions,
  client.PushOutcome,
  client.PushReport,
  client.PushState,
  client.PushStep,
  client.PushSummary,
  client.ResetReport,
  client.ResourceKind,
  client.Revision,
  client.ServedConfig,
  client.ServerClient,
  client.ServiceKey,
  client.Session,
  client.SessionsClient,
  client.StartedPush,
  client.StepState,
  client.Subscription,
  client.SubscriptionItem,
  client.Swap,
  client.Tenant,
  client.TenantChange,
  client.TenantList,
  client.TenantPage,
  client.TenantQuery,
  client.TenantSubscriptions,
  client.TenantsClient,
  client.TierDocument,
  client.UpcomingInvoice,
  client.Usage,
  client.UsageClient,
  client.Validation,
  client.VerifyOptions,
  client.WebhookDocument,
  client.WebhookErrorCode,
  client.WebhookEvent,
  client.WebhookListing,
  client.Worker,
  client.WorkerLogLine,
  client.WorkerModule,
  client.WorkersClient,
  client.WriteOptions,
]

/** Removes `readonly` from lists, because it is on one of the two sides only. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value]: Plain<Value[Name]> }
    : Value
type Read<Shape> = Plain<Inside<Shape, string>>

describe('the types of the client library', () => {
  it('accept each document that the service may return', () => {
    expectTypeOf<BillingConfig>().toExtend<client.BillingDocument>()
    expectTypeOf<Product>().toExtend<client.ProductDocument>()
    expectTypeOf<Price>().toExtend<client.PriceDocument>()
    expectTypeOf<Meter>().toExtend<client.MeterDocument>()
  })

  it('list each member of a document', () => {
    expectTypeOf<keyof Price>().toEqualTypeOf<keyof client.PriceDocument>()
    expectTypeOf<keyof Product>().toEqualTypeOf<keyof client.ProductDocument>()
    expectTypeOf<keyof Meter>().toEqualTypeOf<keyof client.MeterDocument>()
    expectTypeOf<keyof BillingConfig>().toEqualTypeOf<keyof client.BillingDocument>()
  })

  it('equal the schemas of the API, converted to camelCase', () => {
    expectTypeOf<Plain<client.Tenant>>().toEqualTypeOf<Read<typeof Tenant>>()
    expectTypeOf<Plain<client.TenantSubscriptions>>().toEqualTypeOf<Read<typeof TenantSubscriptions>>()
    expectTypeOf<Plain<client.UpcomingInvoice>>().toEqualTypeOf<Read<typeof UpcomingInvoice>>()
    expectTypeOf<Plain<client.Audit>>().toEqualTypeOf<Read<typeof Audit>>()
    expectTypeOf<Plain<client.EnterpriseOutcome>>().toEqualTypeOf<Read<typeof EnterpriseOutcome>>()
    expectTypeOf<Plain<client.Job>>().toEqualTypeOf<Read<typeof Job>>()
    expectTypeOf<Plain<client.JobReport>>().toEqualTypeOf<Read<typeof JobReport>>()
    expectTypeOf<Plain<client.History>>().toEqualTypeOf<Read<typeof History>>()
    expectTypeOf<Plain<client.PushSummary>>().toEqualTypeOf<Read<typeof PushSummary>>()
    expectTypeOf<Plain<client.PushReport>>().toEqualTypeOf<Read<typeof PushReport>>()
    expectTypeOf<Plain<client.Worker>>().toEqualTypeOf<Read<typeof Worker>>()
    expectTypeOf<Plain<client.WorkerLogLine>>().toEqualTypeOf<Read<typeof WorkerLogLine>>()
    expectTypeOf<Plain<client.CronRunList>>().toEqualTypeOf<Read<typeof CronRunList>>()
  })

  it('have the same request members as the API', () => {
    type Sent<Id extends keyof typeof contract> = Required<Plain<BodyOf<(typeof contract)[Id] & Operation>>>
    expectTypeOf<keyof client.NewCheckout>().toEqualTypeOf<keyof Sent<'createCheckout'>>()
    expectTypeOf<keyof client.NewTenant>().toEqualTypeOf<keyof Sent<'createTenant'>>()
    expectTypeOf<keyof client.NewUsage>().toEqualTypeOf<keyof Sent<'recordUsage'>>()
    expectTypeOf<keyof client.NewMigration>().toEqualTypeOf<keyof Sent<'startMigration'>>()
  })
})
