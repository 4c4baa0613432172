import type { Clock } from '../../clock.ts'
import type { RequestOutcome, WorkerExit, WorkerLogLine, WorkerRuntime, WorkerStats } from './worker-runtime.ts'

export interface HostedState {
  readonly name: string
  readonly version: string
  readonly state: 'running' | 'restarting' | 'stopped'
  readonly restarts: number
  /** Reason of the last exit that was not requested; null if there was none. */
  readonly lastExit: WorkerExit | null
  readonly stats: WorkerStats | null
}

export interface SupervisorEvents {
  log(name: string, line: WorkerLogLine): void
  request(name: string, version: string, outcome: RequestOutcome): void
  /** Called after every change of state, for health checks and metrics. */
  state?(state: HostedState): void
}

export interface SupervisorOptions {
  readonly runtime: WorkerRuntime
  readonly clock: Clock
  readonly events: SupervisorEvents
  /** Time (ms) for a replaced version to finish its requests and background work; default 30 s. */
  readonly drainMs?: number
  /**
   * Maximum number of scheduled runs in separate processes. Beyond it, a run of the live version uses the resident process, and any other
   * run waits for a free slot. Default 32.
   */
  readonly maxRunProcesses?: number
  /** Backoff (ms) before each restart in a row; the last value repeats. */
  readonly restartDelaysMs?: readonly number[]
  /** Maximum time (ms) that a request waits for a restarting worker; default 2 s. */
  readonly restartPatienceMs?: number
}
