import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { pointerOf } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Service } from '../../service.ts'
import type { WorkerLogView } from '../../service-workers.ts'
import { describeRoute } from '../contract.ts'
import { openEventStream } from '../event-stream.ts'
import { pageQuery } from '../request-parts.ts'
import { paginationToWire } from '../wire.ts'
import { PaginationSchema } from '../wire-schemas.ts'
import { LogLineSchema, RunSchema } from '../worker-schemas.ts'
import { logToWire, runToWire } from '../worker-wire.ts'
import { nameParams } from './workers.ts'
import type { NameParams } from './workers.ts'

const closed = { additionalProperties: false } as const
const levels = ['debug', 'log', 'info', 'warn', 'error', 'exception', 'system'] as const

interface LogQuery {
  readonly limit: number
  readonly since?: string
  readonly level?: string
  readonly run_id?: string
  readonly request_id?: string
  readonly follow: boolean
}

interface Deps {
  readonly service: Pick<Service, 'workerLogs' | 'followWorkerLogs' | 'cronRuns' | 'triggerCron'>
  /** Aborts when the server drains: streams end then. */
  readonly closing: AbortSignal
}

/** What workers said, and what their schedules did. */
export function workerRunRoutes(app: FastifyInstance, deps: Deps): void {
  logRoute(app, deps)
  cronRoutes(app, deps)
}

function logRoute(app: FastifyInstance, deps: Deps): void {
  app.get<{ Params: NameParams; Querystring: LogQuery }>(
    '/:name/logs',
    {
      exposeHeadRoute: false,
      schema: describeRoute({
        operationId: 'getWorkerLogs',
        scope: 'read',
        summary: 'Log lines of a worker, oldest first',
        description:
          'The newest `limit` lines that fit. With `follow=true` they are the beginning of a stream of server-sent events `log`, which goes on until the client leaves.',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        query: {
          limit: Type.Integer({ minimum: 0, maximum: 1000, default: 100, description: 'How many to list.' }),
          since: Type.Optional(Type.String({ description: 'Only lines from this time on, RFC 3339.' })),
          level: Type.Optional(Type.Enum(levels, { description: 'Only lines of this level.' })),
          run_id: Type.Optional(Type.String({ description: 'Only lines of this scheduled run.' })),
          request_id: Type.Optional(Type.String({ description: 'Only lines of this request.' })),
          follow: Type.Boolean({ default: false, description: 'Stream what comes.' }),
        },
        answers: {
          200: {
            description: 'The lines; with `follow` a stream of `text/event-stream`.',
            schema: Type.Object({ logs: Type.Array(LogLineSchema) }, closed),
          },
        },
        errors: ['worker_not_found'],
      }),
    },
    async (request, reply) => {
      const { params, query } = request
      const { limit, level, run_id: runId, request_id: requestId } = query
      const since = sinceOf(query.since)
      const wanted = {
        ...(since === undefined ? {} : { since }),
        ...(level === undefined ? {} : { level }),
        ...(runId === undefined ? {} : { runId }),
        ...(requestId === undefined ? {} : { requestId }),
      }
      if (!query.follow)
        return { logs: (await deps.service.workerLogs(params.name, { limit, ...wanted })).map(logToWire) }
      const gone = goneWith(reply)
      const signal = AbortSignal.any([deps.closing, gone])
      const earlier = await deps.service.workerLogs(params.name, { limit, ...wanted })
      const lines = both(earlier, deps.service.followWorkerLogs(params.name, signal), wanted)
      const stream = openEventStream(lines, (line) => ({ event: 'log', data: logToWire(line) }))
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream)
    },
  )
}

type Wanted = {
  readonly since?: number
  readonly level?: string
  readonly runId?: string
  readonly requestId?: string
}

async function* both(earlier: readonly WorkerLogView[], coming: AsyncIterable<WorkerLogView>, wanted: Wanted) {
  const shown = new Set(earlier.map((line) => line.id))
  yield* earlier
  for await (const line of coming) {
    const fits =
      (wanted.since === undefined || line.time >= wanted.since) &&
      (wanted.level === undefined || line.level === wanted.level) &&
      (wanted.runId === undefined || line.runId === wanted.runId) &&
      (wanted.requestId === undefined || line.requestId === wanted.requestId)
    if (fits && !shown.has(line.id)) yield line
  }
}

function cronRoutes(app: FastifyInstance, { service }: Deps): void {
  app.get<{ Params: NameParams; Querystring: { limit: number; offset: number; cron?: string } }>(
    '/:name/cron/runs',
    {
      schema: describeRoute({
        operationId: 'listCronRuns',
        scope: 'read',
        summary: 'Scheduled runs of a worker, newest first',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        query: { ...pageQuery, cron: Type.Optional(Type.String({ description: 'Only runs of this expression.' })) },
        answers: {
          200: {
            description: 'A page of runs.',
            schema: Type.Object({ runs: Type.Array(RunSchema), pagination: PaginationSchema }, closed),
          },
        },
        errors: ['worker_not_found'],
      }),
    },
    async ({ params, query: { limit, offset, cron } }) => {
      const page = { limit, offset }
      const { items, total } = await service.cronRuns(params.name, { ...page, ...(cron === undefined ? {} : { cron }) })
      return { runs: items.map(runToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
  app.post<{ Params: NameParams; Body: { cron?: string | null } | undefined }>(
    '/:name/cron/trigger',
    {
      schema: describeRoute({
        operationId: 'triggerCron',
        scope: 'write',
        summary: 'Run the scheduled handler now',
        description:
          'Answers when the run ended, `waitUntil` included. Without `cron`: the first of the worker’s. `skipped` when one is still running.',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        body: Type.Union([
          Type.Object({ cron: Type.Optional(Type.Union([Type.String(), Type.Null()])) }, closed),
          Type.Null(),
        ]),
        answers: { 200: { description: 'The run.', schema: RunSchema } },
        errors: ['worker_not_found', 'worker_unavailable', 'cron_invalid'],
      }),
    },
    async ({ params, body }) => runToWire(await service.triggerCron(params.name, body?.cron ?? null)),
  )
}

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  const detail = '"since" is a time such as 2026-11-01T12:00:00Z.'
  throw new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: pointerOf(['query', 'since']), severity: 'error', detail }],
  })
}

function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    gone.abort()
  })
  return gone.signal
}
