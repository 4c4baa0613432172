import type { Clock } from '../../base/clock.ts'
import type { RequestOutcome, WorkerExit, WorkerLogLine, WorkerRuntime, WorkerStats } from './worker-runtime.ts'

export interface HostedState {
  readonly name: string
  readonly version: string
  readonly state: 'running' | 'restarting' | 'stopped'
  readonly restarts: number
  /** Last exit of the process that the service did not request (e.g. a crash); null if there was none. */
  readonly lastExit: WorkerExit | null
  readonly stats: WorkerStats | null
}

export interface SupervisorEvents {
  log(name: string, line: WorkerLogLine): void
  request(name: string, version: string, outcome: RequestOutcome): void
  /** Called after every change of state. Health checks and metrics use it. */
  state?(state: HostedState): void
}

export interface SupervisorOptions {
  readonly runtime: WorkerRuntime
  readonly clock: Clock
  readonly events: SupervisorEvents
  /** Time (ms) that a replaced version has to finish its requests and background work; default 30 s. */
  readonly drainMs?: number
  /**
   * Maximum number of separate processes for scheduled runs; default 32. If all are in use, a run of the live version uses the process that
   * serves requests, and any other run waits.
   */
  readonly maxRunProcesses?: number
  /** Backoff: pauses (ms) before consecutive restarts. The last value applies to all further restarts. */
  readonly restartDelaysMs?: readonly number[]
  /** Maximum time (ms) that a request waits for a restarting worker; default 2 s. */
  readonly restartPatienceMs?: number
}
