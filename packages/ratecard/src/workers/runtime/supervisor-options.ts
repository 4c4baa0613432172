import type { Clock } from '../../clock.ts'
import type { RequestOutcome, WorkerExit, WorkerLogLine, WorkerRuntime, WorkerStats } from './worker-runtime.ts'

export interface HostedState {
  readonly name: string
  readonly version: string
  readonly state: 'running' | 'restarting' | 'stopped'
  readonly restarts: number
  /** Why it last ended by itself; null when it never did. */
  readonly lastExit: WorkerExit | null
  readonly stats: WorkerStats | null
}

export interface SupervisorEvents {
  log(name: string, line: WorkerLogLine): void
  request(name: string, version: string, outcome: RequestOutcome): void
  /** After every change of state, for health and metrics. */
  state(state: HostedState): void
}

export interface SupervisorOptions {
  readonly runtime: WorkerRuntime
  readonly clock: Clock
  readonly events: SupervisorEvents
  /** How long a replaced version may finish requests and background work; default 30 s. */
  readonly drainMs?: number
  /** Scheduled runs in processes of their own at one time; more than these run in the resident process. Default 32. */
  readonly maxRunProcesses?: number
  /** Waits before each restart in a row; the last repeats. */
  readonly restartDelaysMs?: readonly number[]
  /** How long a request waits for a worker that is restarting; default 2 s. */
  readonly restartPatienceMs?: number
}
