// The rows as they are in both engines. Columns are the snake_case forms of these names.
// No booleans (a flag is a time or null) and no blobs (sealed secrets are text): a row is the same in SQLite and PostgreSQL.
import type { MappingEntry } from '../../catalog/resource.ts'
import type { ArchivedObject, PushRecord, ServiceKeyRecord, StepRecord, VersionRecord, WrittenForm } from '../store.ts'
import type {
  AuditRecord,
  JobRecord,
  JobStepRecord,
  LocalSubscriptionRecord,
  SessionRecord,
  TenantRecord,
} from '../tenant-store.ts'
import type { LogRecord } from '../worker-store.ts'
import type { BundleRow, DeploymentRow, RunRow, ScheduleRow, WorkerRow } from './worker-rows.ts'

/** `index` is a reserved word. */
export type StepRow = Omit<StepRecord, 'index'> & { readonly position: number }

export type JobStepRow = Omit<JobStepRecord, 'index'> & { readonly position: number }

/** Somebody wants this piece of running work to stop; gone as soon as the work does not run. */
export interface CancelRequestRow {
  readonly kind: 'push' | 'job'
  readonly id: string
  readonly requestedAt: number
}

export interface SecretRow {
  readonly scope: 'webhook' | 'check' | 'session' | 'worker'
  readonly id: string
  readonly sealed: string
}

export interface IdempotencyRow {
  readonly key: string
  readonly fingerprint: string
  readonly status: number | null
  /** Sealed: an answer may hold a secret, for example a service key that is shown once. */
  readonly body: string | null
  readonly createdAt: number
}

export interface LeaseRow {
  readonly name: string
  readonly fence: number
  readonly expiresAt: number
  /** The process that has it, where the system tells. */
  readonly holder: string | null
}

/** One row: which revision is current, and how often published data changed. */
export interface PublishedRow {
  readonly id: number
  readonly revision: number | null
  readonly sequence: number
}

export interface Tables {
  readonly versions: VersionRecord
  readonly published: PublishedRow
  readonly mappings: MappingEntry
  readonly pushes: PushRecord
  readonly steps: StepRow
  readonly writtenForms: WrittenForm & { readonly createdAt: number }
  readonly writtenFormUses: { readonly pushId: string; readonly writtenId: string }
  readonly archivedObjects: ArchivedObject
  readonly secrets: SecretRow
  readonly serviceKeys: ServiceKeyRecord
  readonly idempotencyKeys: IdempotencyRow
  readonly leases: LeaseRow
  readonly tenants: TenantRecord
  readonly tenantAudit: AuditRecord
  readonly sessions: SessionRecord
  readonly localSubscriptions: LocalSubscriptionRecord
  readonly jobs: JobRecord
  readonly jobSteps: JobStepRow
  readonly cancelRequests: CancelRequestRow
  /** The moments that were given of each shared rate, as JSON. */
  readonly paces: { readonly name: string; readonly slots: string }
  readonly workerDeployments: DeploymentRow
  readonly workerBundles: BundleRow
  readonly workers: WorkerRow
  readonly workerHosts: { readonly host: string; readonly worker: string }
  readonly workerSchedules: ScheduleRow
  readonly workerRuns: RunRow
  readonly workerLogs: LogRecord
  /** One row: how often a pointer changed. */
  readonly workerChanges: { readonly id: number; readonly sequence: number }
  readonly facts: { readonly name: string; readonly value: string }
  readonly schemaMigrations: { readonly version: number; readonly name: string; readonly appliedAt: number }
}
