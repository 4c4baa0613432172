// Database operations on edge workers: deployments, schedules, runs and log lines.
import type { Page, PageQuery } from './page.ts'
import type { KeyScope } from './records/auth.ts'
import type { RecordOf } from './records/columns.ts'
import type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'
import type { scheduleColumns, workerColumns } from './records/workers.ts'
import type { LeaseToken } from './lease-token.ts'

export type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'

/** Code and environment of one deployment. Contains secrets once it is opened: never log it. */
export interface DeploymentContent {
  readonly modules: readonly StoredModule[]
  readonly main: string
  readonly sourceMap: string | null
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly cpuMs: number
  /** Scope of the worker's own service key, which is in `env`; null if it has none. */
  readonly serviceKey: KeyScope | null
  /** True if requests reach the worker with Ratecard's service keys and cookies. */
  readonly passCredentials: boolean
  /** JSON of all environment values, secret or not; sealed at rest. */
  readonly env: string
}

export interface StoredModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** Text, or base64 for data and wasm. */
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
   * Writes the pointer, the hosts, the schedules and, if it is new, the deployment in one transaction. An unchanged schedule keeps its next
   * time. Deployments beyond the newest `keep` are deleted, except the active one. Throws `conflict` if a host belongs to another worker,
   * and `push_in_progress` if the lease is lost.
   */
  activate(
    deployment: DeploymentRecord,
    content: DeploymentContent | null,
    schedules: readonly ScheduleRecord[],
    options: { readonly keep: number; readonly token: LeaseToken },
  ): Promise<WorkerRecord>
  /** Removes the worker with its deployments and their secrets; runs and logs are removed by their own stores. False if there is none. */
  remove(name: string, token: LeaseToken): Promise<boolean>
  /** Returns a page of deployments, newest first. */
  deployments(worker: string, page: PageQuery): Promise<Page<DeploymentRecord>>
  deployment(worker: string, id: string): Promise<DeploymentRecord | null>
  /** Returns the deployment created before this one; null if there is none. */
  deploymentBefore(worker: string, id: string): Promise<DeploymentRecord | null>
  content(deploymentId: string): Promise<DeploymentContent | null>
  /** Grows with every activation and removal, by any replica. */
  changeSequence(): Promise<number>
}

export interface DueSchedule extends RecordOf<typeof scheduleColumns> {
  readonly deploymentId: string
}

/** The decision on a due schedule, made by the caller of `claimDue` and stored there. */
export interface DuePlan {
  /** The tick to run now; null if all ticks are too old. */
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
   * Claims the schedules due at `now`: stores the decision of `plan` and advances them, in one transaction, so that only one of several
   * replicas gets each tick. Returns the runs that the caller must now execute; a tick whose schedule is still running is stored as
   * `skipped` instead.
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
  /** Starts a manual run: `running`, or `skipped` if another run of the same cron is running. */
  claim(run: NewRun, instance: string, now: number): Promise<RunRecord>
  /** Ends a run that is still `running`; false if it was declared lost in the meantime. */
  finish(
    id: string,
    end: { readonly outcome: RunRecordOutcome; readonly error: string | null; readonly cpuMs: number | null },
    now: number,
  ): Promise<boolean>
  heartbeat(instance: string, now: number): Promise<void>
  /** Sets runs to `lost` whose replica has sent no heartbeat since `before`. Returns their number. */
  expireStaleRuns(before: number, now: number): Promise<number>
  /** Returns a page of runs, newest first. */
  list(worker: string, query: PageQuery & { readonly cron?: string }): Promise<Page<RunRecord>>
  find(id: string): Promise<RunRecord | null>
  /** Deletes ended runs of a worker from before `before`, at most `limit` of them. Returns their number. */
  prune(worker: string, before: number, limit: number): Promise<number>
  /** Deletes all runs of a worker, in small steps. */
  removeAll(worker: string): Promise<void>
}

/** Maximum amount of log lines that is kept per worker. */
export interface LogBound {
  readonly lines: number
  /** Bytes of the messages in UTF-8. */
  readonly bytes: number
}

/**
 * Store of worker log lines. It works in small steps, each its own transaction, so that no other request waits for long, no matter how much
 * a worker logged.
 */
export interface WorkerLogStore {
  /**
   * Adds lines and deletes the oldest, so that no worker keeps more than `keep`. A line that exists already is ignored, so that a batch may
   * be retried.
   */
  add(lines: readonly LogRecord[], keep: LogBound): Promise<void>
  /** Returns the newest `limit` matching lines, oldest first. */
  list(
    worker: string,
    query: {
      readonly limit: number
      readonly since?: number
      readonly level?: string
      readonly runId?: string
      readonly requestId?: string
      /** Only ids greater than this one. */
      readonly after?: string
    },
  ): Promise<readonly LogRecord[]>
  /** Deletes all lines of a worker. */
  removeAll(worker: string): Promise<void>
  /**
   * Runs one step of regular cleanup: deletes lines older than `since`, and lines from before `now` of workers that are not among
   * `workers`; returns free space to the file system. True if there is more to do.
   */
  tidy(present: { readonly workers: readonly string[]; readonly now: number; readonly since: number }): Promise<boolean>
}
