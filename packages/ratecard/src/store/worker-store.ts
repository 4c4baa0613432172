// What can be asked of the database about edge workers: what serves, when its schedules are due, what ran, and what it said.
import type { KeyScope } from './records/auth.ts'
import type { RecordOf } from './records/columns.ts'
import type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'
import type { scheduleColumns, workerColumns } from './records/workers.ts'
import type { LeaseToken } from './lease-token.ts'

export type { DeploymentRecord, LogRecord, RunRecord, RunRecordOutcome } from './records/workers.ts'

/** What one deployment runs. Holds secrets once it is opened: never log it. */
export interface DeploymentContent {
  readonly modules: readonly StoredModule[]
  readonly main: string
  readonly sourceMap: string | null
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly cpuMs: number
  /** The scope of the service key of its own, which is in `env`; null: it has none. */
  readonly serviceKey: KeyScope | null
  /** Whether service keys and cookies of ours reach it with a request. */
  readonly passCredentials: boolean
  /** JSON of all environment values, secret or not; sealed at rest. */
  readonly env: string
}

export interface StoredModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** base64 for data and wasm. */
  readonly content: string
}

export type ScheduleRecord = Omit<RecordOf<typeof scheduleColumns>, 'worker'>

/** The worker as it is kept, with what belongs to it. */
export interface WorkerRecord extends RecordOf<typeof workerColumns> {
  /** The one that serves. */
  readonly deployment: DeploymentRecord
  readonly schedules: readonly ScheduleRecord[]
}

export interface WorkerStore {
  /** The database's own clock: replicas do not agree on the time. */
  now(): Promise<number>
  /** By name. */
  list(): Promise<readonly WorkerRecord[]>
  find(name: string): Promise<WorkerRecord | null>
  /**
   * The pointer, the hosts, the schedules, and the deployment itself when it is new, in one transaction. A schedule that stays
   * keeps its next time. Older deployments beyond the newest `keep` are forgotten, never the one that serves. Fails with
   * `conflict` when a host belongs to another worker, and with `push_in_progress` when the lease is lost.
   */
  activate(
    deployment: DeploymentRecord,
    content: DeploymentContent | null,
    schedules: readonly ScheduleRecord[],
    options: { readonly keep: number; readonly token: LeaseToken },
  ): Promise<WorkerRecord>
  /** The worker with its deployments and their secrets; runs and logs are removed by their own stores. False when there is none. */
  remove(name: string, token: LeaseToken): Promise<boolean>
  /** Newest first. */
  deployments(
    worker: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly DeploymentRecord[]; readonly total: number }>
  deployment(worker: string, id: string): Promise<DeploymentRecord | null>
  /** The one made before it; null when there is none. */
  deploymentBefore(worker: string, id: string): Promise<DeploymentRecord | null>
  content(deploymentId: string): Promise<DeploymentContent | null>
  /** Grows with every activation and removal, by any replica. */
  changeSequence(): Promise<number>
}

/** A schedule that is due. */
export interface DueSchedule extends RecordOf<typeof scheduleColumns> {
  readonly deploymentId: string
}

/** What becomes of a due schedule, decided by its owner and written here. */
export interface DuePlan {
  /** The tick to run now; null when it is too late for all of them. */
  readonly run: number | null
  readonly missed: readonly { readonly scheduledTime: number; readonly note: string }[]
  /** null: it never fires again. */
  readonly nextAt: number | null
}

export type NewRun = Pick<RunRecord, 'id' | 'worker' | 'cron' | 'scheduledTime' | 'deploymentId'>

export interface WorkerRunStore {
  /** When the next schedule is due; null when there is none. */
  nextDue(): Promise<number | null>
  /**
   * Takes the schedules due at `now`: writes what `plan` says and moves them on, in one transaction, so that of several
   * replicas one gets each tick. Returns the runs that the caller must now carry out; a tick whose schedule is still running
   * is written as `skipped` instead.
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
  /** A run by hand: `running`, or `skipped` when one of the same cron is running. */
  claim(run: NewRun, instance: string, now: number): Promise<RunRecord>
  /** Ends a run that is still `running`; false when somebody declared it lost. */
  finish(
    id: string,
    end: { readonly outcome: RunRecordOutcome; readonly error: string | null; readonly cpuMs: number | null },
    now: number,
  ): Promise<boolean>
  heartbeat(instance: string, now: number): Promise<void>
  /** Runs whose replica has been silent since `before` become `lost`. How many. */
  loseStale(before: number, now: number): Promise<number>
  /** Newest first. */
  list(
    worker: string,
    query: { readonly limit: number; readonly offset: number; readonly cron?: string },
  ): Promise<{ readonly items: readonly RunRecord[]; readonly total: number }>
  find(id: string): Promise<RunRecord | null>
  /** Forgets ended runs of a worker before `before`, at most `limit` of them. How many. */
  prune(worker: string, before: number, limit: number): Promise<number>
  /** Forgets every run of a worker, in small steps. */
  removeAll(worker: string): Promise<void>
}

/** How much of one worker is kept. */
export interface LogBound {
  readonly lines: number
  /** Of messages, as UTF-8. */
  readonly bytes: number
}

/** Works in small steps, each of them a transaction of its own: nobody waits for long, whatever a worker has written. */
export interface WorkerLogStore {
  /**
   * Lines within `keep`, after which no worker has more than that: the oldest go. A line that is there already is left alone, so
   * that a batch may be sent again.
   */
  add(lines: readonly LogRecord[], keep: LogBound): Promise<void>
  /** Oldest first; the newest `limit` of those that fit. */
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
  /** Forgets every line of a worker. */
  removeAll(worker: string): Promise<void>
  /**
   * One step of what is to be done now and then: forgets lines older than `since`, and those before `now` of workers that are
   * not among `workers`; gives room back to the system. True when there is more to do.
   */
  tidy(present: { readonly workers: readonly string[]; readonly now: number; readonly since: number }): Promise<boolean>
}
