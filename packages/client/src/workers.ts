import { isRecord } from './error.ts'
import { readEvents } from './event-stream.ts'
import { camel, snake } from './names.ts'
import { acted } from './tenants.ts'
import type { ActOptions, TenantPage } from './tenants.ts'
import type { CallOptions, Transport } from './transport.ts'
import { read, segment } from './typed.ts'
import { paginationOf } from './wire.ts'
import type { Answers, Bodies } from './wire-types.generated.ts'
import type * as result from './worker-results.ts'

export interface LogQuery extends CallOptions {
  readonly limit?: number | undefined
  readonly since?: string | Date | undefined
  readonly level?: string | undefined
  readonly runId?: string | undefined
  readonly requestId?: string | undefined
}

export interface WorkersClient {
  /** Switches to the new version when it has come up; otherwise the old one keeps serving. */
  deploy(name: string, deployment: result.NewDeployment, options?: ActOptions): Promise<result.Worker>
  list(options?: CallOptions): Promise<result.Worker[]>
  find(name: string, options?: CallOptions): Promise<result.Worker>
  remove(name: string, options?: CallOptions): Promise<void>
  /** Newest first. */
  deployments(name: string, page?: TenantPage): Promise<result.DeploymentList>
  /** To the deployment given, else to the one before the present one. */
  rollback(name: string, deployment?: string | null, options?: ActOptions): Promise<result.Worker>
  /** Oldest first; the newest `limit` of them. */
  logs(name: string, query?: LogQuery): Promise<result.WorkerLogLine[]>
  /** As `logs`, then new lines as they come, until the server ends or `signal` aborts. */
  followLogs(name: string, query?: LogQuery): AsyncIterable<result.WorkerLogLine>
  /** Newest first. */
  cronRuns(name: string, query?: TenantPage & { readonly cron?: string | undefined }): Promise<result.CronRunList>
  /** Runs the scheduled handler once, now; answers when it ended. */
  triggerCron(name: string, cron?: string | null, options?: CallOptions): Promise<result.CronRun>
}

type WireWorker = Answers['getWorker'][200]
type WireLogLine = Answers['getWorkerLogs'][200]['logs'][number]

const root = '/api/v1/workers'
const at = (name: string, rest = '') => `${root}/${segment(name)}${rest}`
/** An upload of megabytes, a start that is checked, a scheduled run to its end. */
const longTimeoutMs = 600_000

const workerOf = (wire: WireWorker): result.Worker => ({
  ...camel(wire),
  deployment: camel(wire.deployment),
  crons: wire.crons.map(camel),
})

export function workersClient(transport: Transport): WorkersClient {
  return {
    deploy: async (name, deployment, options = {}) => {
      const body: Bodies['deployWorker'] = snake(deployment)
      const call = { timeoutMs: longTimeoutMs, ...acted(options), method: 'POST', body } as const
      return workerOf(await read(transport, at(name, '/deployments'), call))
    },
    list: async (options) => (await read<Answers['listWorkers'][200]>(transport, root, options)).workers.map(workerOf),
    find: async (name, options) => workerOf(await read(transport, at(name), options)),
    remove: async (name, options) => {
      await transport.send(at(name), { ...options, method: 'DELETE' })
    },
    deployments: async (name, { limit, offset, ...options } = {}) => {
      const answer = await read<Answers['listDeployments'][200]>(transport, at(name, '/deployments'), {
        ...options,
        query: { limit, offset },
      })
      return { deployments: answer.deployments.map(camel), pagination: paginationOf(answer.pagination) }
    },
    rollback: async (name, deployment, options = {}) =>
      workerOf(
        await read(transport, at(name, '/rollback'), {
          timeoutMs: longTimeoutMs,
          ...acted(options),
          method: 'POST',
          body: deployment === undefined || deployment === null ? {} : { deployment },
        }),
      ),
    ...watching(transport),
  }
}

function watching(transport: Transport) {
  return {
    logs: async (name: string, query: LogQuery = {}): Promise<result.WorkerLogLine[]> =>
      (await read<Answers['getWorkerLogs'][200]>(transport, at(name, '/logs'), logCall(query))).logs.map(camel),
    followLogs: (name: string, query: LogQuery = {}) => followLogs(transport, name, query),
    cronRuns: async (
      name: string,
      { limit, offset, cron, ...options }: TenantPage & { cron?: string | undefined } = {},
    ): Promise<result.CronRunList> => {
      const answer = await read<Answers['listCronRuns'][200]>(transport, at(name, '/cron/runs'), {
        ...options,
        query: { limit, offset, cron },
      })
      return { runs: answer.runs.map(camel), pagination: paginationOf(answer.pagination) }
    },
    triggerCron: async (name: string, cron?: string | null, options?: CallOptions): Promise<result.CronRun> =>
      camel(
        await read<Answers['triggerCron'][200]>(transport, at(name, '/cron/trigger'), {
          timeoutMs: longTimeoutMs,
          ...options,
          method: 'POST',
          body: cron === undefined || cron === null ? {} : { cron },
        }),
      ),
  }
}

async function* followLogs(transport: Transport, name: string, query: LogQuery): AsyncGenerator<result.WorkerLogLine> {
  const call = logCall(query)
  const body = await transport.stream(at(name, '/logs'), {
    ...call,
    query: { ...call.query, follow: true },
    headers: { accept: 'text/event-stream' },
  })
  for await (const { event, data } of readEvents(body)) {
    const line: unknown = JSON.parse(data)
    if (event === 'log' && isLogLine(line)) yield camel(line)
  }
}

function isLogLine(value: unknown): value is WireLogLine {
  return isRecord(value) && typeof value['message'] === 'string'
}

function logCall({ limit, since, level, runId, requestId, ...options }: LogQuery) {
  const from = since instanceof Date ? since.toISOString() : since
  return { ...options, query: { limit, since: from, level, run_id: runId, request_id: requestId } }
}
