// Records of edge workers: what was deployed, what serves, when it is due, what ran and what it said.
import { keyScopes } from './auth.ts'
import { oneOf, oneOfOrNull, realOrNull, text, textOrNull, texts, time, timeOrNull, whole } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

export const deploymentColumns = {
  id: text('shown'),
  worker: text(),
  /** sha256 hex over code and configuration; values of the environment are no part of it. */
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

/** Beside the deployments: lists of those must not read megabytes. */
export const bundleColumns = {
  deploymentId: text(),
  /** JSON. */
  modules: text(),
  main: text(),
  sourceMap: textOrNull(),
  compatibilityDate: text(),
  compatibilityFlags: texts(),
  cpuMs: whole(),
  /** The scope of the service key of its own; null: it has none. */
  serviceKey: oneOfOrNull(keyScopes),
  /** 1: service keys and cookies of ours reach it with a request. */
  passCredentials: whole(),
} satisfies Columns

/** Which deployment serves. */
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
  /** The tick's own time. */
  scheduledTime: time('shown'),
  deploymentId: text(),
  startedAt: timeOrNull('shown'),
  finishedAt: timeOrNull('shown'),
  outcome: oneOf(runOutcomes, 'shown'),
  error: textOrNull('shown'),
  cpuMs: realOrNull('shown'),
  /** The replica that runs it, and when it last said so. */
  instance: textOrNull(),
  heartbeatAt: timeOrNull(),
} satisfies Columns

export type RunRecord = RecordOf<typeof runColumns>

export const logColumns = {
  /** Sortable in the order of arrival. */
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

/** How much of each worker there is, so that no write has to count. Absent: nobody has counted yet. */
export const logSizeColumns = { worker: text(), lines: whole(), bytes: whole() } satisfies Columns

/** One row: how often a pointer changed. */
export const workerChangeColumns = { id: whole(), sequence: whole() } satisfies Columns
