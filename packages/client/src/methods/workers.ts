import { acted, call, events, type ActOptions } from '../call.ts'
import type { NewDeployment } from '../results.ts'
import type { TenantPage } from './tenants.ts'
import type { RequestOptions, CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

export interface LogQuery extends CallOptions {
  readonly limit?: number | undefined
  readonly since?: string | Date | undefined
  readonly level?: string | undefined
  readonly runId?: string | undefined
  readonly requestId?: string | undefined
}

export interface WorkersClient {
  /** Deploys a version of a worker and switches to it once it has started. If it fails to start, the previous version keeps serving. */
  deploy(name: string, deployment: NewDeployment, options?: ActOptions): Promise<result.Worker>
  list(options?: CallOptions): Promise<result.Worker[]>
  find(name: string, options?: CallOptions): Promise<result.Worker>
  remove(name: string, options?: CallOptions): Promise<void>
  /** Returns the deployments of a worker, newest first. */
  deployments(name: string, page?: TenantPage): Promise<result.DeploymentList>
  /** Rolls back to the given deployment. Default: the deployment before the current one. */
  rollback(name: string, deployment?: string | null, options?: ActOptions): Promise<result.Worker>
  /** Returns the newest `limit` log lines, oldest first. */
  logs(name: string, query?: LogQuery): Promise<result.WorkerLogLine[]>
  /** Yields the lines of `logs`, then new lines as they are written, until the server ends the stream or `signal` aborts. */
  followLogs(name: string, query?: LogQuery): AsyncIterable<result.WorkerLogLine>
  /** Returns the cron runs of a worker, newest first. */
  cronRuns(name: string, query?: TenantPage & { readonly cron?: string | undefined }): Promise<result.CronRunList>
  /** Runs the scheduled handler once, now, and resolves when it has ended. */
  triggerCron(name: string, cron?: string | null, options?: CallOptions): Promise<result.CronRun>
}

/** Timeout (10 minutes) of an upload of megabytes with its start check, and of a scheduled run until its end. */
const longTimeoutMs = 600_000
const slow = (options?: CallOptions & Pick<RequestOptions, 'headers'>) => ({ timeoutMs: longTimeoutMs, ...options })

export const workersClient = (transport: Transport): WorkersClient => ({
  deploy: (name, body, options = {}) =>
    call(transport, 'deployWorker', { params: { name }, body }, slow(acted(options))),
  list: async (options) => (await call(transport, 'listWorkers', {}, options)).workers,
  find: (name, options) => call(transport, 'getWorker', { params: { name } }, options),
  remove: async (name, options) => {
    await call(transport, 'removeWorker', { params: { name } }, options)
  },
  deployments: (name, { limit, offset, ...options } = {}) =>
    call(transport, 'listDeployments', { params: { name }, query: { limit, offset } }, options),
  rollback: (name, deployment, options = {}) =>
    call(
      transport,
      'rollBackWorker',
      { params: { name }, body: deployment === undefined || deployment === null ? {} : { deployment } },
      slow(acted(options)),
    ),
  logs: async (name, given = {}) => {
    const { query, options } = logCall(given)
    return (await call(transport, 'getWorkerLogs', { params: { name }, query }, options)).logs
  },
  async *followLogs(name, given = {}) {
    const { query, options } = logCall(given)
    const parts = { params: { name }, query: { ...query, follow: true } }
    for await (const [, line] of events(transport, 'getWorkerLogs', ['log'], parts, options)) yield line
  },
  cronRuns: (name, { limit, offset, cron, ...options } = {}) =>
    call(transport, 'listCronRuns', { params: { name }, query: { limit, offset, cron } }, options),
  triggerCron: (name, cron, options) =>
    call(
      transport,
      'triggerCron',
      { params: { name }, body: cron === undefined || cron === null ? {} : { cron } },
      slow(options),
    ),
})

function logCall({ limit, since, level, runId, requestId, ...options }: LogQuery) {
  const from = since instanceof Date ? since.toISOString() : since
  // Sends any log level, because a newer server may support levels that this client does not know.
  return { options, query: { limit, since: from, level: level as WorkerLogLevel, runId, requestId } }
}

type WorkerLogLevel = result.Operations['getWorkerLogs']['query']['level']
