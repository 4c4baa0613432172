// Operations on edge workers: deploy, look, roll back, run by hand. The third page of service.ts; types only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface UploadedModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** base64 for data and wasm, text for the others. */
  readonly content: string
}

/** What `env` holds under one name: a text, or another JSON value as Cloudflare's `[vars]` allow. */
export type DeploymentVar =
  string | number | boolean | null | readonly DeploymentVar[] | { readonly [key: string]: DeploymentVar }

export interface NewDeployment {
  readonly name: string
  readonly modules: readonly UploadedModule[]
  /** Name of the module that holds the handlers. */
  readonly main: string
  readonly sourceMap: string | null
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly vars: Readonly<Record<string, DeploymentVar>>
  /** Sealed at rest and never shown again. */
  readonly secrets: Readonly<Record<string, string>>
  readonly crons: readonly string[]
  readonly cpuMs: number | null
  readonly hosts: readonly string[]
  /** The scope of a service key of its own, which it finds in `env.RATECARD_SERVICE_KEY`; null: it gets none. */
  readonly serviceKey: 'read' | 'write' | null
  /** Whether service keys and cookies of ours reach it with a request. */
  readonly passCredentials: boolean
  readonly environment: string | null
  readonly author: string | null
  readonly message: string | null
}

/** Service keys that belong to workers. */
export interface WorkerKeys {
  /** Named after the worker. Nobody can lock themselves out by revoking it. */
  create(worker: string, scope: 'read' | 'write'): Promise<{ readonly id: string; readonly key: string }>
  isValid(key: string, scope: 'read' | 'write'): Promise<boolean>
  revoke(id: string): Promise<void>
  revokeAll(worker: string): Promise<void>
}

export interface DeploymentView {
  readonly id: string
  readonly createdAt: number
  readonly author: string | null
  readonly message: string | null
  readonly checksum: string
  readonly environment: string | null
  /** Whether it serves now. */
  readonly active: boolean
  /** Names of the environment values, never the values. */
  readonly variables: readonly string[]
  readonly crons: readonly string[]
  readonly sizeBytes: number
}

export interface WorkerView {
  readonly name: string
  readonly url: string
  readonly state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
  readonly restarts: number
  /** Why it last ended by itself; null when it never did. */
  readonly lastExit: string | null
  readonly hosts: readonly string[]
  readonly deployment: DeploymentView
  readonly crons: readonly { readonly cron: string; readonly nextAt: number }[]
}

export type RunOutcome =
  'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'

export interface CronRunView {
  readonly id: string
  readonly cron: string
  readonly scheduledTime: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly outcome: RunOutcome
  readonly error: string | null
  readonly cpuMs: number | null
}

export interface WorkerLogView {
  readonly id: string
  readonly time: number
  readonly level: string
  readonly message: string
  readonly requestId: string | null
  readonly runId: string | null
  readonly deployment: string
}

export interface WorkerOperations {
  /** Starts the candidate beside what runs, checks it, then switches version and schedules in one transaction. */
  deployWorker(deployment: NewDeployment): Promise<WorkerView>
  listWorkers(): Promise<readonly WorkerView[]>
  findWorker(name: string): Promise<WorkerView>
  removeWorker(name: string): Promise<void>
  /** Newest first. */
  workerDeployments(
    name: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly DeploymentView[]; readonly total: number }>
  /** To the deployment given, else to the one before the present one. Code, environment and schedules together. */
  rollbackWorker(
    name: string,
    deployment: string | null,
    by: { readonly author: string | null; readonly message: string | null },
  ): Promise<WorkerView>
  /** Oldest first; the newest `limit` of them. */
  workerLogs(
    name: string,
    query: {
      readonly limit: number
      readonly since?: number
      readonly level?: string
      readonly runId?: string
      readonly requestId?: string
    },
  ): Promise<readonly WorkerLogView[]>
  /** New lines until `signal` aborts, of all replicas. */
  followWorkerLogs(name: string, signal: AbortSignal): AsyncIterable<WorkerLogView>
  cronRuns(
    name: string,
    query: { readonly limit: number; readonly offset: number; readonly cron?: string },
  ): Promise<{ readonly items: readonly CronRunView[]; readonly total: number }>
  /** Runs the scheduled handler once, now; returns when it ended. */
  triggerCron(name: string, cron: string | null): Promise<CronRunView>

  /** The worker that answers at this host name, or null. For the router; no question to the store. */
  workerAtHost(host: string): string | null
  /** Whether any worker answers at a host name. False: only paths below `/workers/` are theirs. */
  workersHaveHosts(): boolean
  /** Hands a request to a worker. Rejects with a ServiceError while nothing was written. */
  dispatchToWorker(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    context: WorkerRequest,
  ): Promise<void>
  upgradeToWorker(
    name: string,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    context: WorkerRequest,
  ): Promise<void>
}

export interface WorkerRequest {
  readonly requestId: string
  /** What the client called us, a port with it; checked to be a host. */
  readonly host: string
  /** Path and query as the worker sees them. */
  readonly path: string
  /** For X-Forwarded-Prefix; '' on a host of its own. */
  readonly prefix: string
}
