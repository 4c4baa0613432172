// All tables of the store. A new table needs an entry here, otherwise copies of a store would miss it. A test compares the list with the
// migrations of both engines. No column is a boolean (a flag is a time or null) or a blob (sealed secrets are text), so that a row is the
// same in SQLite and PostgreSQL.
import {
  dashboardPassColumns,
  factColumns,
  idempotencyColumns,
  leaseColumns,
  paceColumns,
  secretColumns,
} from './auth.ts'
import { serviceKeyColumns, sessionColumns } from './auth.ts'
import { text, time, whole, type Columns, type RowOf } from './columns.ts'
import {
  archivedObjectColumns,
  mappingColumns,
  policyColumns,
  publishedColumns,
  renameColumns,
  versionColumns,
} from './configuration.ts'
import { writtenFormColumns, writtenFormUseColumns } from './configuration.ts'
import {
  featureGrantColumns,
  usageDifferenceColumns,
  usageReportColumns,
  usageRunningTotalColumns,
  usageTotalColumns,
} from './features.ts'
import { cancelRequestColumns, jobColumns, jobStepColumns, pushColumns, stepColumns } from './journal.ts'
import {
  mirrorCreditMoveColumns,
  mirrorDayColumns,
  mirrorDifferenceColumns,
  mirrorItemColumns,
  mirrorItemSumColumns,
  mirrorKeptDayColumns,
  mirrorNumberColumns,
  mirrorObjectColumns,
  mirrorPaidColumns,
  mirrorPaymentColumns,
  mirrorReadColumns,
  mirrorRevenueColumns,
  mirrorStaleColumns,
  mirrorStandingColumns,
  mirrorStateColumns,
  mirrorUnsummedColumns,
} from './mirror.ts'
import {
  auditColumns,
  localSubscriptionColumns,
  plannedFreeColumns,
  tenantColumns,
  tenantListingColumns,
  unbilledUsageColumns,
} from './tenants.ts'
import { bundleColumns, deploymentColumns, logColumns, logSizeColumns, runColumns, scheduleColumns } from './workers.ts'
import { workerChangeColumns, workerColumns, workerHostColumns } from './workers.ts'

interface Table {
  readonly columns: Columns
  /** Columns by which the rows are sorted when the store is copied. null if the rows of this table are not inserted into the copy. */
  readonly copiedBy: readonly string[] | null
}

/** All tables, in the order of their references: a table comes after the tables that it refers to. */
export const tables = {
  versions: { columns: versionColumns, copiedBy: ['revision'] },
  /** The single row of this table already exists in every new store, so copy.ts updates it instead of inserting it. */
  published: { columns: publishedColumns, copiedBy: null },
  mappings: { columns: mappingColumns, copiedBy: ['sequence'] },
  renames: { columns: renameColumns, copiedBy: ['revision', 'kind', 'fromId'] },
  archivedObjects: { columns: archivedObjectColumns, copiedBy: ['processorId'] },
  pushes: { columns: pushColumns, copiedBy: ['id'] },
  steps: { columns: stepColumns, copiedBy: ['pushId', 'position'] },
  writtenForms: { columns: writtenFormColumns, copiedBy: ['id'] },
  writtenFormUses: { columns: writtenFormUseColumns, copiedBy: ['pushId'] },
  policies: { columns: policyColumns, copiedBy: ['number'] },
  secrets: { columns: secretColumns, copiedBy: ['scope', 'id'] },
  serviceKeys: { columns: serviceKeyColumns, copiedBy: ['id'] },
  dashboardPasses: { columns: dashboardPassColumns, copiedBy: ['hash'] },
  idempotencyKeys: { columns: idempotencyColumns, copiedBy: ['key'] },
  /** A copy contains no leases, because a lease ends with the store that granted it. */
  leases: { columns: leaseColumns, copiedBy: null },
  facts: { columns: factColumns, copiedBy: ['name'] },
  tenants: { columns: tenantColumns, copiedBy: ['id'] },
  tenantListings: { columns: tenantListingColumns, copiedBy: ['tenantId'] },
  tenantAudit: { columns: auditColumns, copiedBy: ['id'] },
  sessions: { columns: sessionColumns, copiedBy: ['id'] },
  localSubscriptions: { columns: localSubscriptionColumns, copiedBy: ['id'] },
  plannedFreeSubscriptions: { columns: plannedFreeColumns, copiedBy: ['subscription'] },
  featureGrants: { columns: featureGrantColumns, copiedBy: ['tenantId', 'feature'] },
  usageReports: { columns: usageReportColumns, copiedBy: ['tenantId', 'meter', 'identifier'] },
  usageTotals: { columns: usageTotalColumns, copiedBy: ['tenantId', 'meter', 'rangeStart'] },
  usageRunningTotals: { columns: usageRunningTotalColumns, copiedBy: ['tenantId', 'meter', 'rangeStart'] },
  usageDifferences: { columns: usageDifferenceColumns, copiedBy: ['tenantId', 'meter'] },
  unbilledUsage: { columns: unbilledUsageColumns, copiedBy: ['tenantId', 'meter', 'day'] },
  jobs: { columns: jobColumns, copiedBy: ['id'] },
  jobSteps: { columns: jobStepColumns, copiedBy: ['jobId', 'position'] },
  cancelRequests: { columns: cancelRequestColumns, copiedBy: ['kind', 'id'] },
  paces: { columns: paceColumns, copiedBy: null },
  mirrorState: { columns: mirrorStateColumns, copiedBy: ['id'] },
  /** A copy updates the single row of this table instead of inserting it, because the row exists in every new store. */
  mirrorNumbers: { columns: mirrorNumberColumns, copiedBy: null },
  mirrorObjects: { columns: mirrorObjectColumns, copiedBy: ['kind', 'id'] },
  mirrorItems: { columns: mirrorItemColumns, copiedBy: ['id'] },
  mirrorPayments: { columns: mirrorPaymentColumns, copiedBy: ['kind', 'id', 'payment'] },
  mirrorCreditMoves: { columns: mirrorCreditMoveColumns, copiedBy: ['id'] },
  mirrorPaid: { columns: mirrorPaidColumns, copiedBy: ['kind', 'id'] },
  mirrorStale: { columns: mirrorStaleColumns, copiedBy: ['kind', 'id'] },
  mirrorDifferences: { columns: mirrorDifferenceColumns, copiedBy: ['kind', 'id'] },
  mirrorStandings: { columns: mirrorStandingColumns, copiedBy: ['customer'] },
  mirrorUnsummed: { columns: mirrorUnsummedColumns, copiedBy: ['customer'] },
  mirrorItemSums: { columns: mirrorItemSumColumns, copiedBy: ['item'] },
  mirrorRevenue: { columns: mirrorRevenueColumns, copiedBy: ['customer', 'currency'] },
  mirrorKeptDays: { columns: mirrorKeptDayColumns, copiedBy: ['day'] },
  mirrorReads: { columns: mirrorReadColumns, copiedBy: ['day'] },
  mirrorDays: { columns: mirrorDayColumns, copiedBy: ['day', 'currency'] },
  workerDeployments: { columns: deploymentColumns, copiedBy: ['id'] },
  workerBundles: { columns: bundleColumns, copiedBy: ['deploymentId'] },
  workers: { columns: workerColumns, copiedBy: ['name'] },
  workerHosts: { columns: workerHostColumns, copiedBy: ['host'] },
  workerSchedules: { columns: scheduleColumns, copiedBy: ['worker', 'cron'] },
  workerRuns: { columns: runColumns, copiedBy: ['id'] },
  /** This table is empty in an embedded store, which keeps log lines in a separate file. A copy reads the lines from that file. */
  workerLogs: { columns: logColumns, copiedBy: ['id'] },
  workerLogSizes: { columns: logSizeColumns, copiedBy: null },
  workerChanges: { columns: workerChangeColumns, copiedBy: null },
  schemaMigrations: { columns: { version: whole(), name: text(), appliedAt: time() }, copiedBy: null },
} as const satisfies Readonly<Record<string, Table>>

export type TableName = keyof typeof tables
export type Tables = { readonly [Name in TableName]: RowOf<(typeof tables)[Name]['columns']> }
