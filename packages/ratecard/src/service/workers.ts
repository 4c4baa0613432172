// Operations on edge workers: deploy, look, roll back, run by hand. Types, and the path at which workers are reached.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Inside } from '../api/notation/schema.ts'
import type * as runs from '../api/worker-runs.ts'
import type * as workers from '../api/workers.ts'
import type { DeploymentVar } from '../api/workers.ts'

export const workersRoot = '/workers/'

export type UploadedModule = Inside<typeof workers.WorkerModule>

export type { DeploymentVar }

/** What is left out of the body is null or empty here. */
export type NewDeployment = Readonly<Required<Inside<typeof workers.DeploymentBody>>>

export type DeploymentView = Inside<typeof workers.Deployment>

/** Service keys that belong to workers. */
export interface WorkerKeys {
  /** Named after the worker. Nobody can lock themselves out by revoking it. */
  create(worker: string, scope: 'read' | 'write'): Promise<{ readonly id: string; readonly key: string }>
  isValid(key: string, scope: 'read' | 'write'): Promise<boolean>
  revoke(id: string): Promise<void>
  revokeAll(worker: string): Promise<void>
}

export type WorkerView = Inside<typeof workers.Worker>

export type CronRunView = Inside<typeof runs.CronRun>

export type WorkerLogView = Inside<typeof runs.WorkerLogLine>

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
  /** Of the client behind every proxy that is trusted. */
  readonly clientAddress: string
}
