// Interface of a runtime that executes workers. The only implementation runs workerd on this machine. The runtime handles processes and
// requests; the supervisor decides which version of a worker is live.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export type WorkerVar = string | number | boolean | null | readonly WorkerVar[] | { readonly [key: string]: WorkerVar }

export type WorkerModule =
  | { readonly name: string; readonly type: 'text' | 'json' | 'esm'; readonly content: string }
  | { readonly name: string; readonly type: 'wasm' | 'data'; readonly content: Uint8Array }

export interface WorkerLimits {
  /** Maximum CPU time (ms) of one request or one scheduled run, e.g. 10000. */
  readonly cpuMs: number
  /** Maximum resident memory (MB) of the process; above this limit the process is killed. */
  readonly memoryMb: number
  /** Maximum JavaScript heap (MB) of the process. */
  readonly heapMb: number
  /** Maximum time (ms) from a request to its response headers. */
  readonly responseMs: number
  /** Maximum time (ms) of one scheduled run, including its `waitUntil` tasks. */
  readonly scheduledMs: number
  /** Maximum number of concurrent requests. Further requests are refused, so that one worker cannot use up the service’s sockets. */
  readonly concurrent: number
}

/** Formats a duration for messages, e.g. `15 minutes`, `1 second`, `400 ms`. */
export function durationText(ms: number): string {
  const [size, unit] = ms % 60_000 === 0 ? [60_000, 'minute'] : [1_000, 'second']
  if (ms % size !== 0) return `${String(ms)} ms`
  return `${String(ms / size)} ${unit}${ms === size ? '' : 's'}`
}

export const defaultLimits: WorkerLimits = {
  cpuMs: 10_000,
  memoryMb: 512,
  heapMb: 128,
  responseMs: 30_000,
  scheduledMs: 15 * 60_000,
  concurrent: 1_000,
}

/** Maximum length of a log message in characters. The prelude inside the worker truncates longer messages. */
export const maxMessageLength = 16_384

/** Everything that is needed to run one version of a worker on any replica. */
export interface WorkerVersionSpec {
  readonly name: string
  /** Deployment id, copied into every log line. */
  readonly version: string
  readonly code: string
  readonly sourceMap: string | null
  readonly modules: readonly WorkerModule[]
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Variables of the worker's `env`. Strings stay text, other JSON values become parsed values. Contains secrets, so never log it. */
  readonly vars: Readonly<Record<string, WorkerVar>>
  /** True: the worker receives the service keys and cookies in its requests. */
  readonly passCredentials: boolean
  readonly limits: WorkerLimits
}

export interface WorkerLogLine {
  /** Timestamp in epoch milliseconds. */
  readonly time: number
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'exception' | 'system'
  /** Message text; stack traces are mapped to the author's sources. */
  readonly message: string
  readonly version: string
  readonly requestId?: string
  readonly runId?: string
}

export type ExitReason = 'stopped' | 'crashed' | 'exceeded_cpu' | 'exceeded_memory' | 'unresponsive'

export interface WorkerExit {
  readonly reason: ExitReason
  readonly detail: string
}

export interface RequestOutcome {
  readonly requestId: string
  readonly method: string
  /** URL as the worker received it, including the query. */
  readonly url: string
  /** HTTP status: 101 for an upgraded connection; null if the client disconnected before the response headers. */
  readonly status: number | null
  readonly outcome:
    'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'failed' | 'unavailable' | 'cancelled'
  readonly wallMs: number
  /** CPU time (ms) that the request used; null if the system does not report it. */
  readonly cpuMs: number | null
}

/** Callbacks for events of a running worker. `exit` is called exactly once and is always the last event. */
export interface WorkerEvents {
  log(line: WorkerLogLine): void
  request(outcome: RequestOutcome): void
  exit(exit: WorkerExit): void
}

export interface RequestContext {
  readonly requestId: string
  /** Path and query that the worker receives. */
  readonly url: string
  /** Prefix that was removed from the path (e.g. `/workers/name`), or ''. */
  readonly prefix: string
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly clientAddress: string
}

export interface ScheduledEvent {
  readonly runId: string
  /** Time for which the run was scheduled, in epoch milliseconds. */
  readonly scheduledTime: number
  readonly cron: string
}

export interface ScheduledResult {
  readonly outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'lost'
  readonly wallMs: number
  readonly cpuMs: number | null
  /** Message and source-mapped stack trace of the first failure; absent if there was none. */
  readonly error?: string
}

export interface WorkerHandlers {
  readonly fetch: boolean
  readonly scheduled: boolean
  /** Number of unfinished `waitUntil` tasks. */
  readonly pending: number
}

export interface WorkerStats {
  readonly pid: number | null
  readonly inFlight: number
  readonly requests: number
  readonly cpuMs: number | null
  readonly memoryMb: number | null
}

export interface RunningWorker {
  readonly spec: WorkerVersionSpec
  readonly handlers: WorkerHandlers
  /** False as soon as the process is told to stop, which is before the `exit` event. The worker then accepts no more requests. */
  readonly alive: boolean
  /**
   * Handles one request. Rejects with a ServiceError only if no byte of the response was written, so that the caller can write an error
   * response. After the response headers, a failure closes the connection, so that the client does not take a truncated body for a complete
   * one.
   */
  dispatch(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>
  /** Connects the worker to an upgraded connection (WebSocket). Rejects with a ServiceError only if no byte was written. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): Promise<void>
  /** Runs the scheduled handler in this process. Resolves after the handler's `waitUntil` tasks; never rejects. */
  scheduled(event: ScheduledEvent): Promise<ScheduledResult>
  describe(): Promise<WorkerHandlers>
  stats(): WorkerStats
  /** Resolves when no requests and no background work are left, or after `deadlineMs`. Does not stop the worker. */
  drain(deadlineMs: number): Promise<void>
  /** Ends the process and removes its files. A second call has no effect. */
  dispose(): Promise<void>
}

export interface RuntimeState {
  readonly available: boolean
  /** One sentence for operators: how worker processes are confined, or why the runtime is unavailable. */
  readonly detail: string
}

export interface WorkerRuntime {
  state(): Promise<RuntimeState>
  /**
   * Starts a version. Rejects with `worker_start_failed` (the detail contains the mapped stack trace), or with `worker_unavailable` if
   * there is no runtime on this replica.
   */
  start(spec: WorkerVersionSpec, events: WorkerEvents): Promise<RunningWorker>
  /**
   * Executes one scheduled run in a separate process. So its CPU time is measured exactly, and exceeding a limit affects no request. Never
   * rejects.
   */
  runOnce(spec: WorkerVersionSpec, event: ScheduledEvent, events: Pick<WorkerEvents, 'log'>): Promise<ScheduledResult>
  /** Ends all processes started by this runtime. */
  close(): Promise<void>
}
