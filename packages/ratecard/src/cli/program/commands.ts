import type { Command } from './command.ts'
import { billingCancel } from '../commands/billing/push/cancel.ts'
import { billingDiff } from '../commands/billing/diff.ts'
import { billingDrift } from '../commands/billing/drift.ts'
import { billingHistory } from '../commands/billing/history.ts'
import { billingPromote } from '../commands/billing/promote.ts'
import { billingPull } from '../commands/billing/pull/pull.ts'
import { billingPush } from '../commands/billing/push/push.ts'
import { billingPushes } from '../commands/billing/push/pushes.ts'
import { billingReset } from '../commands/billing/push/reset.ts'
import { billingResume } from '../commands/billing/push/resume.ts'
import { billingRollback } from '../commands/billing/push/rollback.ts'
import { billingShow } from '../commands/billing/show.ts'
import { billingSubscribers } from '../commands/billing/subscribers.ts'
import { billingTypes } from '../commands/billing/types.ts'
import { billingUsage } from '../commands/billing/usage.ts'
import { billingValidate } from '../commands/billing/validate.ts'
import { billingWebhookListen } from '../commands/billing/webhooks/webhook-listen.ts'
import { billingWebhookRotate } from '../commands/billing/webhooks/webhook-rotate.ts'
import { billingWebhookSecret } from '../commands/billing/webhooks/webhook-secret.ts'
import { cloudWorkersCronRuns, cloudWorkersCronTrigger } from '../commands/workers/cron.ts'
import { cloudWorkersDeploy } from '../commands/workers/deploy.ts'
import { cloudWorkersDev } from '../commands/workers/dev.ts'
import {
  cloudWorkersDelete,
  cloudWorkersList,
  cloudWorkersRollback,
  cloudWorkersVersions,
} from '../commands/workers/list.ts'
import { cloudWorkersLogs } from '../commands/workers/logs.ts'
import { completionOf } from '../commands/completion.ts'
import { dbBackup } from '../commands/db/backup.ts'
import { dbCopy } from '../commands/db/copy.ts'
import { dbRestore } from '../commands/db/restore.ts'
import { dashboard } from '../commands/server/dashboard.ts'
import { doctor } from '../commands/server/doctor.ts'
import { invoicesExport } from '../commands/money/invoices-export.ts'
import { money } from '../commands/money/money.ts'
import { policiesPush, policiesShow } from '../commands/policies.ts'
import { explain } from '../commands/explain.ts'
import { init } from '../commands/init.ts'
import { keysCreate, keysList, keysRevoke } from '../commands/keys.ts'
import { sandbox } from '../commands/sandbox/sandbox.ts'
import { sandboxBuy, sandboxPay } from '../commands/sandbox/sandbox-sell.ts'
import { sandboxClockAdvance, sandboxClockShow } from '../commands/sandbox/sandbox-clock.ts'
import { sandboxVerify } from '../commands/sandbox/sandbox-verify.ts'
import { serverStart } from '../commands/server/server-start.ts'
import { billingMigrate } from '../commands/billing/migrate.ts'
import {
  enterpriseApply,
  enterpriseCoverage,
  enterprisePrices,
  enterpriseRemove,
} from '../commands/tenants/enterprise.ts'
import { tenantsCredits } from '../commands/tenants/credits.ts'
import { tenantsDiscountsAdd, tenantsDiscountsList, tenantsDiscountsRemove } from '../commands/tenants/discounts.ts'
import { jobsCancel, jobsList, jobsResume, jobsShow } from '../commands/tenants/jobs.ts'
import {
  tenantsAudit,
  tenantsEntitlements,
  tenantsSession,
  tenantsUpcomingInvoice,
} from '../commands/tenants/tenants-billing.ts'
import {
  tenantsCreate,
  tenantsCancel,
  tenantsDelete,
  tenantsShow,
  tenantsSubscriptions,
  tenantsUpdate,
} from '../commands/tenants/tenants.ts'
import {
  subscriptionsCancel,
  subscriptionsChange,
  subscriptionsPause,
  subscriptionsPreview,
  subscriptionsResume,
} from '../commands/tenants/subscriptions.ts'
import { tenantsGrant, tenantsGrants } from '../commands/tenants/tenants-grants.ts'
import { tenantsInvoices } from '../commands/tenants/tenants-invoices.ts'
import { tenantsList } from '../commands/tenants/tenants-list.ts'

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  init,
  billingValidate,
  billingDiff,
  billingPush,
  billingPull,
  billingShow,
  billingHistory,
  billingRollback,
  billingPromote,
  billingDrift,
  billingPushes,
  billingResume,
  billingCancel,
  billingReset,
  billingTypes,
  billingUsage,
  billingSubscribers,
  billingWebhookSecret,
  billingWebhookRotate,
  billingWebhookListen,
  policiesPush,
  policiesShow,
  cloudWorkersDev,
  cloudWorkersDeploy,
  cloudWorkersList,
  cloudWorkersLogs,
  cloudWorkersVersions,
  cloudWorkersRollback,
  cloudWorkersDelete,
  cloudWorkersCronRuns,
  cloudWorkersCronTrigger,
  tenantsCreate,
  tenantsList,
  tenantsShow,
  tenantsUpdate,
  tenantsCancel,
  tenantsDelete,
  tenantsSubscriptions,
  tenantsEntitlements,
  tenantsCredits,
  tenantsGrants,
  tenantsGrant,
  tenantsUpcomingInvoice,
  tenantsInvoices,
  tenantsAudit,
  tenantsDiscountsList,
  tenantsDiscountsAdd,
  tenantsDiscountsRemove,
  tenantsSession,
  subscriptionsPreview,
  subscriptionsChange,
  subscriptionsCancel,
  subscriptionsResume,
  subscriptionsPause,
  money,
  invoicesExport,
  enterprisePrices,
  enterpriseApply,
  enterpriseRemove,
  enterpriseCoverage,
  billingMigrate,
  jobsList,
  jobsShow,
  jobsResume,
  jobsCancel,
  keysCreate,
  keysList,
  keysRevoke,
  serverStart,
  dbBackup,
  dbRestore,
  dbCopy,
  sandbox,
  sandboxClockAdvance,
  sandboxClockShow,
  sandboxBuy,
  sandboxPay,
  sandboxVerify,
  doctor,
  dashboard,
  explain,
  completionOf(() => ({ commands, groups })),
]

/** Descriptions of the command groups, for the help. */
export const groups: Readonly<Record<string, string>> = {
  billing: 'The billing configuration: check, push, history',
  'billing webhook': 'Webhook endpoints',
  cloud: 'Workers that run beside the billing service',
  'cloud workers': 'Edge workers: run locally, deploy, inspect, roll back',
  'cloud workers cron': 'Scheduled runs of workers',
  db: 'The store: backup, restore, moving to PostgreSQL',
  tenants: 'Tenants: your customers',
  'tenants discounts': 'Discounts of running subscriptions',
  subscriptions: 'Change a tenant’s subscriptions: plans, seats, cancellation, pause',
  enterprise: 'Negotiated prices',
  invoices: 'Invoices for bookkeeping',
  policies: 'Rules for changes of prices',
  jobs: 'Jobs that move subscriptions',
  keys: 'Service keys',
  'sandbox clock': 'The clock of a sandbox account',
  server: 'The service itself',
}
