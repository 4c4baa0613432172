// Records of edge workers: deployments, active workers, schedules, runs and log lines.
import { workerKeyScopes } from './auth.ts'
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
