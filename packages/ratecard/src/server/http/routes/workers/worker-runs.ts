import { pointerOf } from '../../../../base/errors/issue.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { toWire } from '../../../../api/notation/case-conversion.ts'
import { workerRunOperations as rows, WorkerLogLine, type WorkerLogView } from '../../../../api/workers/worker-runs.ts'
import { goneWith, openEventStream, sendEvents } from '../../response/event-stream.ts'
import { pageOf } from '../../response/page.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, send, type Routes } from '../../contract/route.ts'

export const workerRunRoutes = ({ service, closing }: RouteDeps): Routes<typeof rows> => ({
  getWorkerLogs: rawRoute(
    rows.getWorkerLogs,
    async ({ params: { name }, query, reply, answer }) => {
      const { follow, limit, since, ...rest } = query
      const from = sinceOf(since)
      const wanted = { ...rest, ...(from === undefined ? {} : { since: from }) }
      if (!follow) return send(reply, answer(200, { logs: await service.workerLogs(name, { limit, ...wanted }) }))
      const signal = AbortSignal.any([closing, goneWith(reply)])
      const earlier = await service.workerLogs(name, { limit, ...wanted })
      const lines = earlierAndComing(earlier, service.followWorkerLogs(name, signal), wanted)
      return sendEvents(
        reply,
        openEventStream(lines, (line) => ({ event: 'log', data: toWire(WorkerLogLine, line) })),
      )
    },
    { exposeHeadRoute: false },
  ),
  listCronRuns: route(rows.listCronRuns, async ({ params, query }) => {
    const { items: runs, pagination } = pageOf(query, await service.cronRuns(params.name, query))
    return { runs, pagination }
  }),
  triggerCron: route(rows.triggerCron, ({ params, body }) => service.triggerCron(params.name, body?.cron ?? null)),
})

type LogFilter = {
  readonly since?: number
  readonly level?: string
  readonly runId?: string
  readonly requestId?: string
}
async function* earlierAndComing(
  earlier: readonly WorkerLogView[],
  coming: AsyncIterable<WorkerLogView>,
  wanted: LogFilter,
) {
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

function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  const detail = '"since" must be a time such as 2026-11-01T12:00:00Z.'
  throw new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: pointerOf(['query', 'since']), severity: 'error', detail }],
  })
}
