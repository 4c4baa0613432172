// Operations on logs and cron runs of workers.
import { Type } from 'typebox'
import { runOutcomes } from '../../store/records/workers.ts'
import { Pagination } from '../notation/common.ts'
import { operations, pageQuery } from '../notation/operation.ts'
import { omittedIf, closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'
import { workerParams, workersPath } from './workers.ts'

export const CronRun = shape('CronRun', {
  id: Type.String(),
  cron: Type.String(),
  scheduled_time: Time('Time for which the run was scheduled.'),
  started_at: nullable(Time('Start of the run; null when it never started.')),
  finished_at: nullable(Time('End of the run; null while it runs.')),
  outcome: Type.Enum([...runOutcomes]),
  cpu_ms: nullable(Type.Number({ minimum: 0 })),
  error: omittedIf(Type.String({ description: 'Message and trace of the first failure.' }), null),
})
export type CronRunView = Inside<typeof CronRun>

export const CronRunList = shape('CronRunList', { runs: Type.Array(CronRun), pagination: Pagination })

export const WorkerLogLine = shape('WorkerLogLine', {
  id: Type.String(),
  time: Time('Time at which the worker logged the line.'),
  level: Type.String({ description: 'debug, log, info, warn, error, exception, or system for lines of the host.' }),
  message: Type.String(),
  request_id: omittedIf(Type.String(), null),
  run_id: omittedIf(Type.String(), null),
  deployment: Type.String(),
})
export type WorkerLogView = Inside<typeof WorkerLogLine>

export const WorkerLogs = Type.Object({ logs: Type.Array(WorkerLogLine) }, closed)

const one = `${workersPath}/:name` as const
const all = { tag: 'Workers', access: 'service_key', params: workerParams } as const
const levels = ['debug', 'log', 'info', 'warn', 'error', 'exception', 'system'] as const

export const workerRunOperations = operations({
  getWorkerLogs: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${one}/logs`,
    summary: 'List the log lines of a worker, oldest first',
    description:
      'Returns the newest `limit` lines that match the filters. With `follow=true` they are the start of a stream of server-sent events `log`, which continues until the client disconnects.',
    query: {
      limit: Type.Integer({
        minimum: 0,
        maximum: 1000,
        default: 100,
        description: 'Maximum number of items to return.',
      }),
      since: Type.Optional(Type.String({ description: 'Only lines since this time, RFC 3339.' })),
      level: Type.Optional(Type.Enum(levels, { description: 'Only lines of this level.' })),
      run_id: Type.Optional(Type.String({ description: 'Only lines of this scheduled run.' })),
      request_id: Type.Optional(Type.String({ description: 'Only lines of this request.' })),
      follow: Type.Boolean({ default: false, description: 'Keep the response open, and stream new lines.' }),
    },
    answers: { 200: { description: 'The lines; with `follow` a stream of `text/event-stream`.', schema: WorkerLogs } },
    events: { log: WorkerLogLine },
    errors: ['worker_not_found'],
  },
  listCronRuns: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${one}/cron/runs`,
    summary: 'List the scheduled runs of a worker, newest first',
    query: { ...pageQuery, cron: Type.Optional(Type.String({ description: 'Only runs of this cron expression.' })) },
    answers: { 200: { description: 'A page of runs.', schema: CronRunList } },
    errors: ['worker_not_found'],
  },
  triggerCron: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${one}/cron/trigger`,
    summary: 'Run the scheduled handler now',
    description:
      'Responds when the run has ended, including `waitUntil`. Without `cron`, the handler gets the worker’s first schedule. The outcome is `skipped` if another run is in progress.',
    body: nullable(Type.Object({ cron: Type.Optional(nullable(Type.String())) }, closed)),
    answers: { 200: { description: 'The run.', schema: CronRun } },
    errors: ['worker_not_found', 'worker_unavailable', 'cron_invalid'],
  },
})
