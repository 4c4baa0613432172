// The port of the worker host: what a runtime that carries workers must do. One adapter runs workerd on this machine.
// It knows processes and requests. The supervisor decides which version of which worker should be live.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export type WorkerVar = string | number | boolean | null | readonly WorkerVar[] | { readonly [key: string]: WorkerVar }

export type WorkerModule =
  | { readonly name: string; readonly type: 'text' | 'json' | 'esm'; readonly content: string }
  | { readonly name: string; readonly type: 'wasm' | 'data'; readonly content: Uint8Array }

export interface WorkerLimits {
  /** CPU time of one request or one scheduled run. */
  readonly cpuMs: number
  /** Resident memory of the process; beyond it the process is killed. */
  readonly memoryMb: number
  /** JavaScript heap inside it. */
  readonly heapMb: number
  /** Wall time until a request has its response head. */
  readonly responseMs: number
  /** Wall time of one scheduled run, `waitUntil` included. */
  readonly scheduledMs: number
  /** Requests in progress at one time; further ones are refused, so that one worker cannot use up the service’s sockets. */
  readonly concurrent: number
}

/** For people: `15 minutes`, `1 second`, `400 ms`. */
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

/** Characters of a message in the log; what is longer is cut, at the worker's side already. */
export const longestMessage = 16_384

/** All that is needed to run one version of a worker, on any replica. */
export interface WorkerVersionSpec {
  readonly name: string
  /** The deployment's id; it comes back in every log line. */
  readonly version: string
  readonly code: string
  readonly sourceMap: string | null
  readonly modules: readonly WorkerModule[]
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Texts become text bindings, other JSON values become parsed ones. Holds secrets: never log it. */
  readonly vars: Readonly<Record<string, WorkerVar>>
  /** Whether service keys and cookies of ours reach it with a request. */
  readonly passCredentials: boolean
  readonly limits: WorkerLimits
}

export interface WorkerLogLine {
  /** Epoch milliseconds. */
  readonly time: number
  readonly level: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'exception' | 'system'
  /** Traces are mapped to the author's sources. */
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
  /** As the worker saw it, query included. */
  readonly url: string
  /** 101 for an upgraded connection; null when the client left before the head. */
  readonly status: number | null
  readonly outcome:
    'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'failed' | 'unavailable' | 'cancelled'
  readonly wallMs: number
  /** The share of the process's CPU time that fell to this request; null where the system does not tell. */
  readonly cpuMs: number | null
}

/** How a worker speaks to its owner. Calls come at any time until `exit`, which comes exactly once, and last. */
export interface WorkerEvents {
  log(line: WorkerLogLine): void
  request(outcome: RequestOutcome): void
  exit(exit: WorkerExit): void
}

export interface RequestContext {
  readonly requestId: string
  /** Path and query as the worker shall see them. */
  readonly url: string
  /** What was cut from the path (`/workers/name`), else ''. */
  readonly prefix: string
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly clientAddress: string
}

export interface ScheduledEvent {
  readonly runId: string
  /** The tick's own time, epoch milliseconds. */
  readonly scheduledTime: number
  readonly cron: string
}

export interface ScheduledResult {
  readonly outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'lost'
  readonly wallMs: number
  readonly cpuMs: number | null
  /** Message and mapped trace of the first failure. */
  readonly error?: string
}

export interface WorkerHandlers {
  readonly fetch: boolean
  readonly scheduled: boolean
  /** Background work promised with `waitUntil` and not yet done. */
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
  /** False from the moment its end is decided, before `exit` tells of it; then it takes no more requests. */
  readonly alive: boolean
  /**
   * Answers one request. Rejects with a ServiceError when nothing was written yet and the caller shall write the problem;
   * a failure after the head ends the connection, so that the client cannot mistake half a body for a whole one.
   */
  dispatch(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>
  /** Joins an upgraded connection (WebSocket) to the worker; rejects like `dispatch` while nothing was written. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): Promise<void>
  /** Runs the scheduled handler in this process; the result includes `waitUntil` and never rejects. */
  scheduled(event: ScheduledEvent): Promise<ScheduledResult>
  describe(): Promise<WorkerHandlers>
  stats(): WorkerStats
  /** Resolves when no request and no background work is left, or after `deadlineMs`; takes nothing away from the worker. */
  drain(deadlineMs: number): Promise<void>
  /** Ends the process and removes its traces; safe to call twice. */
  dispose(): Promise<void>
}

export interface RuntimeState {
  readonly available: boolean
  /** One sentence for people: how workers are confined, or why there is no runtime. */
  readonly detail: string
}

export interface WorkerRuntime {
  state(): Promise<RuntimeState>
  /** Rejects with `worker_start_failed` (mapped trace in the detail) or `worker_unavailable` (no runtime here). */
  start(spec: WorkerVersionSpec, events: WorkerEvents): Promise<RunningWorker>
  /** One scheduled run in a process of its own: exact accounting, and a limit that hurts nobody else. Never rejects. */
  runOnce(spec: WorkerVersionSpec, event: ScheduledEvent, events: Pick<WorkerEvents, 'log'>): Promise<ScheduledResult>
  /** Ends every process this runtime started. */
  close(): Promise<void>
}
