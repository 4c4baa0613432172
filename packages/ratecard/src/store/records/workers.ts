// Records of edge workers: deployments, active workers, schedules, runs and log lines.
import { workerKeyScopes, type WorkerKeyScope } from './auth.ts'
import { oneOf, oneOfOrNull, realOrNull, text, textOrNull, texts, time, timeOrNull, whole } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

export const deploymentColumns = {
  id: text('shown'),
  worker: text(),
  /** sha256 hex of the code and the configuration. Values of the environment are not included. */
  checksum: text('shown'),
  author: textOrNull('shown'),
  message: textOrNull('shown'),
  environment: textOrNull('shown'),
  /** Names of the environment values, sorted. */
  variables: texts('shown'),
  crons: texts('shown'),
  hosts: texts(),
  sizeBytes: whole('shown'),
  createdAt: time('shown'),
} satisfies Columns

export type DeploymentRecord = RecordOf<typeof deploymentColumns>

/** Code of deployments. It is in a separate table, so that lists of deployments do not read megabytes. */
export const bundleColumns = {
  deploymentId: text(),
  /** JSON of the code modules. */
  modules: text(),
  main: text(),
  sourceMap: textOrNull(),
  compatibilityDate: text(),
  compatibilityFlags: texts(),
  cpuMs: whole(),
  /** Scope of the worker's own service key; null if it has none. */
  serviceKey: oneOfOrNull(workerKeyScopes),
  /** 1: the worker receives Ratecard's service keys and cookies in its requests. 0: they are removed from its requests. */
  passCredentials: whole(),
} satisfies Columns

export const workerColumns = { name: text('shown'), deploymentId: text(), updatedAt: time() } satisfies Columns

export const workerHostColumns = { host: text(), worker: text() } satisfies Columns

export const scheduleColumns = { worker: text(), cron: text(), nextAt: time() } satisfies Columns

export const runOutcomes = [
  ...(['ok', 'exception', 'exceeded_cpu', 'exceeded_memory', 'timed_out'] as const),
  ...(['skipped', 'missed', 'lost', 'running'] as const),
] as const
export type RunRecordOutcome = (typeof runOutcomes)[number]

export const runColumns = {
  id: text('shown'),
  worker: text(),
  cron: text('shown'),
  /** Time for which the tick was scheduled; the run may start later. */
  scheduledTime: time('shown'),
  deploymentId: text(),
  startedAt: timeOrNull('shown'),
  finishedAt: timeOrNull('shown'),
  outcome: oneOf(runOutcomes, 'shown'),
  error: textOrNull('shown'),
  cpuMs: realOrNull('shown'),
  /** Id of the replica that runs the worker; `heartbeatAt` is the time of its last heartbeat. */
  instance: textOrNull(),
  heartbeatAt: timeOrNull(),
} satisfies Columns

export type RunRecord = RecordOf<typeof runColumns>

export const logColumns = {
  /** Ids sort by the arrival of the lines. */
  id: text('shown'),
  worker: text(),
  deploymentId: text(),
  time: time('shown'),
  level: text('shown'),
  message: text('shown'),
  requestId: textOrNull('shown'),
  runId: textOrNull('shown'),
} satisfies Columns

export type LogRecord = RecordOf<typeof logColumns>

/**
 * Number of lines and bytes of each worker's log, so that a write does not have to count them. If a worker has no row yet, its lines are
 * counted once.
 */
export const logSizeColumns = { worker: text(), lines: whole(), bytes: whole() } satisfies Columns

/** A single row with a counter of activations and removals. */
export const workerChangeColumns = { id: whole(), sequence: whole() } satisfies Columns

/** Code and environment of one deployment. The environment contains secrets as plain text: never log it. */
export interface DeploymentContent {
  readonly modules: readonly StoredModule[]
  readonly main: string
  readonly sourceMap: string | null
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly cpuMs: number
  /** Scope of the worker's own service key, which is in `env`; null if it has none. */
  readonly serviceKey: WorkerKeyScope | null
  /** True if requests to the worker keep the service keys and cookies of Ratecard. */
  readonly passCredentials: boolean
  /** JSON of all environment values, including secrets; sealed at rest. */
  readonly env: string
}

export interface StoredModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** The module as text; base64 for data and wasm. */
  readonly content: string
}

export type ScheduleRecord = Omit<RecordOf<typeof scheduleColumns>, 'worker'>

export interface WorkerRecord extends RecordOf<typeof workerColumns> {
  /** The active deployment. */
  readonly deployment: DeploymentRecord
  readonly schedules: readonly ScheduleRecord[]
}

export interface DueSchedule extends RecordOf<typeof scheduleColumns> {
  readonly deploymentId: string
}

/**
 * Decision about a due schedule: which tick runs, and which ticks are missed. The caller of `claimDue` makes the decision, and `claimDue`
 * stores it.
 */
export interface DuePlan {
  /** Time of the tick to run now; null if all ticks are too old. */
  readonly run: number | null
  readonly missed: readonly { readonly scheduledTime: number; readonly note: string }[]
  /** Next time of the schedule; null if it never fires again. */
  readonly nextAt: number | null
}

export type NewRun = Pick<RunRecord, 'id' | 'worker' | 'cron' | 'scheduledTime' | 'deploymentId'>

/** Maximum amount of log lines that are kept per worker. */
export interface LogBound {
  readonly lines: number
  /** Maximum size of the messages, in bytes of UTF-8. */
  readonly bytes: number
}
