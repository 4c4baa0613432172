// Operations on edge workers: deploy, inspect, roll back, run manually. Contains types, and the path prefix of worker requests.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Page, PageQuery } from '../../store/records/page.ts'
import type { Inside } from '../notation/schema.ts'
import type * as runs from '../workers/worker-runs.ts'
import type * as workers from '../workers/workers.ts'
import type { DeploymentVar } from '../workers/workers.ts'

export const workersRoot = '/workers/'

export type UploadedModule = Inside<typeof workers.WorkerModule>

export type { DeploymentVar }

/** Deployment request with all members: omitted ones are null or empty. */
export type NewDeployment = Readonly<Required<Inside<typeof workers.DeploymentBody>>>

export type DeploymentView = Inside<typeof workers.Deployment>

/** Operations on service keys that belong to workers. */
export interface WorkerKeys {
  /**
   * Creates a service key named after the worker. Such a key does not count as a key of the operator: revoking it never locks the operator
   * out.
   */
  create(worker: string, scope: 'read' | 'write'): Promise<{ readonly id: string; readonly key: string }>
  isValid(key: string, scope: 'read' | 'write'): Promise<boolean>
  revoke(id: string): Promise<void>
  revokeAll(worker: string): Promise<void>
}

export type WorkerView = Inside<typeof workers.Worker>

export type CronRunView = Inside<typeof runs.CronRun>

export type WorkerLogView = Inside<typeof runs.WorkerLogLine>

export interface WorkerOperations {
  /** Deploys a worker: starts the new version beside the running one, checks it, then switches version and schedules in one transaction. */
  deployWorker(deployment: NewDeployment): Promise<WorkerView>
  listWorkers(): Promise<readonly WorkerView[]>
  findWorker(name: string): Promise<WorkerView>
  removeWorker(name: string): Promise<void>
  /** Returns a page of the worker's deployments, newest first. */
  workerDeployments(name: string, page: PageQuery): Promise<Page<DeploymentView>>
  /**
   * Rolls back to the given deployment; null means the one before the active deployment. Restores code, environment and schedules together.
   */
  rollbackWorker(
    name: string,
    deployment: string | null,
    by: { readonly author: string | null; readonly message: string | null },
  ): Promise<WorkerView>
  /** Returns the newest `limit` log lines, oldest first. */
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
  /** Yields new log lines of all replicas until `signal` aborts. */
  followWorkerLogs(name: string, signal: AbortSignal): AsyncIterable<WorkerLogView>
  cronRuns(name: string, query: PageQuery & { readonly cron?: string }): Promise<Page<CronRunView>>
  /** Runs the scheduled handler once, immediately. Resolves when the run has ended. */
  triggerCron(name: string, cron: string | null): Promise<CronRunView>

  /**
   * Returns the worker with this hostname; null if there is none. Does not read the store, because the router calls this for each request.
   */
  workerAtHost(host: string): string | null
  /** Passes a request to a worker, and sends the worker's response. Rejects with a ServiceError if it has not begun to send a response. */
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
  /** Host of the request, including the port. It is already validated. */
  readonly host: string
  /** Path and query that the worker receives. */
  readonly path: string
  /** Value of the header X-Forwarded-Prefix for the worker; '' if the worker has its own hostname. */
  readonly prefix: string
  /** Address of the client that is in front of all trusted proxies. */
  readonly clientAddress: string
}
