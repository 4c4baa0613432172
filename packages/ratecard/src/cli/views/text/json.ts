// Converts results to the `--json` output: one document in the API's snake_case, so that scripts can read CLI and API alike.
import type * as client from '@ratecard/client'
import type { Static, TSchema } from 'typebox'
import { DocumentDifference } from '../../../api/push/changes.ts'
import { Pagination } from '../../../api/notation/common.ts'
import { DriftReport, ResetReport, ServedConfig } from '../../../api/push/config.ts'
import { clientToWire } from '../../../api/notation/case-conversion.ts'
import { Credit, CreditBalance, Credits } from '../../../api/customers/credits.ts'
import { Discount, DiscountList, DiscountPlan } from '../../../api/customers/discounts.ts'
import { Coverage, EnterpriseOutcome } from '../../../api/customers/enterprise.ts'
import { CancelledJob, JobList, JobReport } from '../../../api/customers/jobs.ts'
import { ServiceKey } from '../../../api/server/keys.ts'
import { MigrationPlan } from '../../../api/customers/price-migrations.ts'
import { PolicyHistory, PolicySet, Violation } from '../../../api/push/policies.ts'
import { PushOutcome, PushReport, PushSummary } from '../../../api/push/pushes.ts'
import { History, Revision } from '../../../api/push/revisions.ts'
import type { Inside } from '../../../api/notation/schema.ts'
import { Checkout } from '../../../api/customers/checkout.ts'
import { TenantInvoice, TenantInvoices } from '../../../api/customers/invoices.ts'
import { Money, MoneyDays, Subscribers } from '../../../api/customers/money.ts'
import { Session } from '../../../api/customers/sessions.ts'
import { ChangeOutcome, ChangePreview } from '../../../api/customers/subscription-changes.ts'
import {
  Audit,
  Entitlements,
  Grant,
  Grants,
  Subscription,
  Tenant,
  TenantList,
  TenantSubscriptions,
} from '../../../api/customers/tenants.ts'
import { UpcomingInvoice } from '../../../api/customers/upcoming-invoices.ts'
import { DroppedUsageList } from '../../../api/customers/usage.ts'
import { WebhookListing, WebhookRotation } from '../../../api/push/webhooks.ts'
import { CronRun, CronRunList, WorkerLogLine } from '../../../api/workers/worker-runs.ts'
import { DeploymentList, Worker } from '../../../api/workers/workers.ts'
import type { VariableOrigin } from '../variables.ts'

/**
 * Returns a function that converts a client result back to snake_case by its API schema. Keys that an author chose (e.g. of metadata) are
 * not converted.
 */
const jsonPrinter =
  <Shape extends TSchema>(shape: Shape) =>
  (value: Inside<Shape, string>): Static<Shape> =>
    clientToWire(shape, value)

/** The cast is needed because the client's type also allows issue codes of newer servers. */
export const jsonOutcome = (outcome: client.PushOutcome) =>
  jsonPrinter(PushOutcome)(outcome as Inside<typeof PushOutcome, string>)
/** The cast is needed because the client's type also allows document values of newer servers. */
export const jsonServed = (served: client.ServedConfig) =>
  jsonPrinter(ServedConfig)(served as Inside<typeof ServedConfig, string>)
export const jsonHistory = jsonPrinter(History)
/** Without the document, which may contain secrets in URLs. The cast is needed because the client's type also allows values of newer servers. */
export const jsonRevision = (entry: client.Revision) =>
  jsonPrinter(Revision)({ ...entry, document: null, written: null } as Inside<typeof Revision, string>)
export const jsonPolicies = jsonPrinter(PolicySet)
export const jsonPolicyHistory = jsonPrinter(PolicyHistory)
export const jsonViolation = jsonPrinter(Violation)
export const jsonDifference = jsonPrinter(DocumentDifference)
export const jsonDrift = jsonPrinter(DriftReport)
export const jsonReset = jsonPrinter(ResetReport)
export const jsonPush = jsonPrinter(PushSummary)
export const jsonPagination = jsonPrinter(Pagination)
export const jsonPushReport = jsonPrinter(PushReport)
export const jsonWebhook = jsonPrinter(WebhookListing)
export const jsonWebhookRotation = jsonPrinter(WebhookRotation)
export const jsonKey = jsonPrinter(ServiceKey)
export const jsonTenant = jsonPrinter(Tenant)
export const jsonTenants = jsonPrinter(TenantList)
export const jsonSubscriptions = jsonPrinter(TenantSubscriptions)
export const jsonCheckout = jsonPrinter(Checkout)
export const jsonSubscription = jsonPrinter(Subscription)
export const jsonChangePreview = jsonPrinter(ChangePreview)
export const jsonChangeOutcome = jsonPrinter(ChangeOutcome)
export const jsonEntitlements = jsonPrinter(Entitlements)
export const jsonGrant = jsonPrinter(Grant)
export const jsonGrants = jsonPrinter(Grants)
export const jsonUpcomingInvoice = jsonPrinter(UpcomingInvoice)
export const jsonDroppedUsage = jsonPrinter(DroppedUsageList)
export const jsonTenantInvoice = jsonPrinter(TenantInvoice)
export const jsonTenantInvoices = jsonPrinter(TenantInvoices)
export const jsonMoney = jsonPrinter(Money)
export const jsonMoneyDays = jsonPrinter(MoneyDays)
export const jsonSubscribers = jsonPrinter(Subscribers)
export const jsonAudit = jsonPrinter(Audit)
export const jsonSession = jsonPrinter(Session)
export const jsonEnterpriseOutcome = jsonPrinter(EnterpriseOutcome)
export const jsonCoverage = jsonPrinter(Coverage)
export const jsonCredit = jsonPrinter(Credit)
export const jsonCreditBalance = jsonPrinter(CreditBalance)
export const jsonCredits = jsonPrinter(Credits)
export const jsonDiscount = jsonPrinter(Discount)
export const jsonDiscounts = jsonPrinter(DiscountList)
export const jsonDiscountPlan = jsonPrinter(DiscountPlan)
export const jsonCancelledJob = jsonPrinter(CancelledJob)
export const jsonJobs = jsonPrinter(JobList)
export const jsonJobReport = jsonPrinter(JobReport)
export const jsonMigrationPlan = jsonPrinter(MigrationPlan)
export const jsonWorker = jsonPrinter(Worker)
export const jsonDeployments = jsonPrinter(DeploymentList)
export const jsonLogLine = jsonPrinter(WorkerLogLine)
export const jsonRun = jsonPrinter(CronRun)
export const jsonRuns = jsonPrinter(CronRunList)

/** Converts the variables of a plan to names, and the origin of each. */
export function jsonVariables(variables: readonly VariableOrigin[]) {
  return {
    variables: variables.map(({ name }) => name),
    variable_sources: Object.fromEntries(variables.map(({ name, from }) => [name, from])),
  }
}
