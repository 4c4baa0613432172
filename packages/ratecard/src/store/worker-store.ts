// Database operations on edge workers: deployments, schedules, runs and log lines.
import type { Page, PageQuery } from './records/page.ts'
import type { WorkerKeyScope } from './records/auth.ts'
import type { RecordOf } from './records/columns.ts'
import type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'
import type { scheduleColumns, workerColumns } from './records/workers.ts'
import type { LeaseToken } from './lease-token.ts'

export type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'

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

export interface WorkerStore {
  /** Returns the database's own time, because the clocks of replicas differ. */
  now(): Promise<number>
  list(): Promise<readonly WorkerRecord[]>
  find(name: string): Promise<WorkerRecord | null>
  /**
   * Makes the deployment the active one. Writes the pointer to it, the hostnames, the schedules and the deployment (if it is new) in one
   * transaction. An unchanged schedule keeps the time of its next run. Deletes all deployments except the newest `keep` and the active one.
   * Throws `conflict` if a hostname belongs to another worker, and `push_in_progress` if the lease is lost.
   */
  activate(
    deployment: DeploymentRecord,
    content: DeploymentContent | null,
    schedules: readonly ScheduleRecord[],
    options: { readonly keep: number; readonly token: LeaseToken },
  ): Promise<WorkerRecord>
  /**
   * Removes the worker with its deployments and their secrets. Runs and logs are not removed here but by their own stores. Returns false if
   * the worker does not exist.
   */
  remove(name: string, token: LeaseToken): Promise<boolean>
  /** Returns a page of deployments, newest first. */
  deployments(worker: string, page: PageQuery): Promise<Page<DeploymentRecord>>
  deployment(worker: string, id: string): Promise<DeploymentRecord | null>
  /** Returns the deployment created before this one; null if there is none. */
  deploymentBefore(worker: string, id: string): Promise<DeploymentRecord | null>
  content(deploymentId: string): Promise<DeploymentContent | null>
  /** Returns a counter that grows with every activation and removal by any replica. */
  changeSequence(): Promise<number>
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

export interface WorkerRunStore {
  /** Returns the time of the next due schedule; null if there is none. */
  nextDue(): Promise<number | null>
  /**
   * Claims the schedules that are due at `now`. Stores the decisions of `plan` and advances the schedules in one transaction, so that only
   * one of several replicas gets each tick (time at which a schedule fires). Returns the runs that the caller must execute now. If an
   * earlier run of a schedule is still running, its tick is stored as `skipped` instead.
   */
  claimDue(
    now: number,
    options: {
      readonly instance: string
      readonly limit: number
      readonly newId: () => string
      readonly plan: (due: DueSchedule) => DuePlan
    },
  ): Promise<readonly RunRecord[]>
  /** Stores a manual run as `running`, or as `skipped` if another run of the same cron expression is running. */
  claim(run: NewRun, instance: string, now: number): Promise<RunRecord>
  /** Stores the end of a run in state `running`. Returns false if the run was set to `lost` in the meantime. */
  finish(
    id: string,
    end: { readonly outcome: RunRecordOutcome; readonly error: string | null; readonly cpuMs: number | null },
    now: number,
  ): Promise<boolean>
  heartbeat(instance: string, now: number): Promise<void>
  /** Sets running runs to `lost` if their replica has sent no heartbeat since `before`. Returns the number of these runs. */
  expireStaleRuns(before: number, now: number): Promise<number>
  /** Returns a page of runs, newest first. */
  list(worker: string, query: PageQuery & { readonly cron?: string }): Promise<Page<RunRecord>>
  find(id: string): Promise<RunRecord | null>
  /** Deletes at most `limit` ended runs of a worker that are older than `before`. Returns the number of deleted runs. */
  prune(worker: string, before: number, limit: number): Promise<number>
  /** Deletes all runs of a worker, in several small transactions. */
  removeAll(worker: string): Promise<void>
}

/** Maximum amount of log lines that are kept per worker. */
export interface LogBound {
  readonly lines: number
  /** Maximum size of the messages, in bytes of UTF-8. */
  readonly bytes: number
}

/**
 * Store of worker log lines. It works in small transactions, so that no other request waits for long, no matter how much a worker logged.
 */
export interface WorkerLogStore {
  /**
   * Adds lines and deletes the oldest ones, so that no worker has more than `keep`. Ignores lines that exist already, so that a caller can
   * retry a batch.
   */
  add(lines: readonly LogRecord[], keep: LogBound): Promise<void>
  /** Returns the newest `limit` lines that match the filters, oldest first. */
  list(
    worker: string,
    query: {
      readonly limit: number
      readonly since?: number
      readonly level?: string
      readonly runId?: string
      readonly requestId?: string
      /** Returns only lines with ids greater than `after`. */
      readonly after?: string
    },
  ): Promise<readonly LogRecord[]>
  /** Deletes all lines of a worker. */
  removeAll(worker: string): Promise<void>
  /**
   * Runs one step of the regular cleanup. Deletes lines older than `since`, and lines from before `now` of workers that are not in
   * `workers`. Returns free space to the file system. Returns true if there is more to do.
   */
  tidy(present: { readonly workers: readonly string[]; readonly now: number; readonly since: number }): Promise<boolean>
}
