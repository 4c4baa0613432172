// What `--json` prints: one document, in the names of the wire, so that scripts read the command line and the API alike.
import type * as client from '@ratecard/client'
import type { Static, TSchema } from 'typebox'
import { DocumentDifference } from '../../api/changes.ts'
import { Pagination } from '../../api/notation/common.ts'
import { DriftReport, ResetReport, ServedConfig } from '../../api/config.ts'
import { clientToWire } from '../../api/notation/case-conversion.ts'
import { Coverage, EnterpriseOutcome } from '../../api/enterprise.ts'
import { Job, JobList, JobReport } from '../../api/jobs.ts'
import { ServiceKey } from '../../api/keys.ts'
import { MigrationPlan } from '../../api/price-migrations.ts'
import { PushOutcome, PushReport, PushSummary } from '../../api/pushes.ts'
import { History } from '../../api/revisions.ts'
import type { Inside } from '../../api/notation/schema.ts'
import { Session } from '../../api/sessions.ts'
import { Audit, Tenant, TenantList, TenantSubscriptions, Entitlements, UpcomingInvoice } from '../../api/tenants.ts'
import { DroppedUsageList } from '../../api/usage.ts'
import { WebhookListing, WebhookRotation } from '../../api/webhooks.ts'
import { CronRun, CronRunList, WorkerLogLine } from '../../api/worker-runs.ts'
import { DeploymentList, Worker } from '../../api/workers.ts'
import type { VariableOrigin } from './variables.ts'

/** What the client has read, in the wire's names again: by the same shapes, so that what belongs to an author stays as it is. */
const printed =
  <Shape extends TSchema>(shape: Shape) =>
  (value: Inside<Shape, string>): Static<Shape> =>
    clientToWire(shape, value)

/** The client knows that later servers may have codes of issues that this version does not know. */
export const jsonOutcome = (outcome: client.PushOutcome) =>
  printed(PushOutcome)(outcome as Inside<typeof PushOutcome, string>)
/** The client knows that later servers may have values in a document that this version does not know. */
export const jsonServed = (served: client.ServedConfig) =>
  printed(ServedConfig)(served as Inside<typeof ServedConfig, string>)
export const jsonHistory = printed(History)
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
export const jsonEntitlements = printed(Entitlements)
export const jsonUpcomingInvoice = printed(UpcomingInvoice)
export const jsonDroppedUsage = printed(DroppedUsageList)
export const jsonAudit = printed(Audit)
export const jsonSession = printed(Session)
export const jsonEnterpriseOutcome = printed(EnterpriseOutcome)
export const jsonCoverage = printed(Coverage)
export const jsonJob = printed(Job)
export const jsonJobs = printed(JobList)
export const jsonJobReport = printed(JobReport)
export const jsonMigrationPlan = printed(MigrationPlan)
export const jsonWorker = printed(Worker)
export const jsonDeployments = printed(DeploymentList)
export const jsonLogLine = printed(WorkerLogLine)
export const jsonRun = printed(CronRun)
export const jsonRuns = printed(CronRunList)

/** The variables of a plan: their names, and for each the file that it comes from. */
export function jsonVariables(variables: readonly VariableOrigin[]) {
  return {
    variables: variables.map(({ name }) => name),
    variable_sources: Object.fromEntries(variables.map(({ name, from }) => [name, from])),
  }
}
