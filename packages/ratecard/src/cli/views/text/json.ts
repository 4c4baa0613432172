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
import { TenantInvoices } from '../../../api/customers/invoices.ts'
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
const printed =
  <Shape extends TSchema>(shape: Shape) =>
  (value: Inside<Shape, string>): Static<Shape> =>
    clientToWire(shape, value)

/** The cast is needed because the client's type also allows issue codes of newer servers. */
export const jsonOutcome = (outcome: client.PushOutcome) =>
  printed(PushOutcome)(outcome as Inside<typeof PushOutcome, string>)
/** The cast is needed because the client's type also allows document values of newer servers. */
export const jsonServed = (served: client.ServedConfig) =>
  printed(ServedConfig)(served as Inside<typeof ServedConfig, string>)
export const jsonHistory = printed(History)
/** Without the document, which may contain secrets in URLs. The cast is needed because the client's type also allows values of newer servers. */
export const jsonRevision = (entry: client.Revision) =>
  printed(Revision)({ ...entry, document: null, written: null } as Inside<typeof Revision, string>)
export const jsonPolicies = printed(PolicySet)
export const jsonPolicyHistory = printed(PolicyHistory)
export const jsonViolation = printed(Violation)
export const jsonDifference = printed(DocumentDifference)
export const jsonDrift = printed(DriftReport)
export const jsonReset = printed(ResetReport)
export const jsonPush = printed(PushSummary)
export const jsonPagination = printed(Pagination)
export const jsonPushReport = printed(PushReport)
export const jsonWebhook = printed(WebhookListing)
export const jsonWebhookRotation = printed(WebhookRotation)
export const jsonKey = printed(ServiceKey)
export const jsonTenant = printed(Tenant)
export const jsonTenants = printed(TenantList)
export const jsonSubscriptions = printed(TenantSubscriptions)
export const jsonSubscription = printed(Subscription)
export const jsonChangePreview = printed(ChangePreview)
export const jsonChangeOutcome = printed(ChangeOutcome)
export const jsonEntitlements = printed(Entitlements)
export const jsonGrant = printed(Grant)
export const jsonGrants = printed(Grants)
export const jsonUpcomingInvoice = printed(UpcomingInvoice)
export const jsonDroppedUsage = printed(DroppedUsageList)
export const jsonTenantInvoices = printed(TenantInvoices)
export const jsonMoney = printed(Money)
export const jsonMoneyDays = printed(MoneyDays)
export const jsonSubscribers = printed(Subscribers)
export const jsonAudit = printed(Audit)
export const jsonSession = printed(Session)
export const jsonEnterpriseOutcome = printed(EnterpriseOutcome)
export const jsonCoverage = printed(Coverage)
export const jsonCredit = printed(Credit)
export const jsonCreditBalance = printed(CreditBalance)
export const jsonCredits = printed(Credits)
export const jsonDiscount = printed(Discount)
export const jsonDiscounts = printed(DiscountList)
export const jsonDiscountPlan = printed(DiscountPlan)
export const jsonCancelledJob = printed(CancelledJob)
export const jsonJobs = printed(JobList)
export const jsonJobReport = printed(JobReport)
export const jsonMigrationPlan = printed(MigrationPlan)
export const jsonWorker = printed(Worker)
export const jsonDeployments = printed(DeploymentList)
export const jsonLogLine = printed(WorkerLogLine)
export const jsonRun = printed(CronRun)
export const jsonRuns = printed(CronRunList)

/** Converts the variables of a plan to names, and the origin of each. */
export function jsonVariables(variables: readonly VariableOrigin[]) {
  return {
    variables: variables.map(({ name }) => name),
    variable_sources: Object.fromEntries(variables.map(({ name, from }) => [name, from])),
  }
}
