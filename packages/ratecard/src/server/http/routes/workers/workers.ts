import { ServiceError } from '../../../../base/errors/service-error.ts'
import { workerOperations as rows, workersPath } from '../../../../api/workers/workers.ts'
import { pageOf } from '../../response/page.ts'
import { actorOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

/** Routes that deploy and inspect workers. Their logs and runs are in worker-runs.ts. */
export const workerRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  deployWorker: route(rows.deployWorker, async ({ params: { name }, body, request, answer }) => {
    if (body.name !== undefined && body.name !== name) {
      const detail = `The body is for "${body.name}", the path for "${name}".`
      throw new ServiceError('request_invalid', detail, {
        issues: [{ code: 'value_invalid', pointer: '#/name', severity: 'error', detail }],
      })
    }
    const actor = actorOf(request)
    const worker = await service.deployWorker({
      name,
      modules: body.modules,
      main: body.main,
      sourceMap: body.sourceMap ?? null,
      compatibilityDate: body.compatibilityDate,
      compatibilityFlags: body.compatibilityFlags ?? [],
      vars: body.vars ?? {},
      secrets: body.secrets ?? {},
      crons: body.crons ?? [],
      cpuMs: body.cpuMs ?? null,
      hosts: body.hosts ?? [],
      serviceKey: body.serviceKey ?? null,
      passCredentials: body.passCredentials ?? false,
      environment: body.environment ?? null,
      // Author and message may also be sent in headers, as for pushes.
      author: body.author ?? actor.author,
      message: body.message ?? actor.message,
    })
    return answer(201, worker, { location: `${workersPath}/${name}` })
  }),
  rollBackWorker: route(rows.rollBackWorker, ({ params, body, request }) =>
    service.rollbackWorker(params.name, body?.deployment ?? null, actorOf(request)),
  ),
  removeWorker: route(rows.removeWorker, ({ params }) => service.removeWorker(params.name)),
  listWorkers: route(rows.listWorkers, async () => ({ workers: await service.listWorkers() })),
  getWorker: route(rows.getWorker, ({ params }) => service.findWorker(params.name)),
  listDeployments: route(rows.listDeployments, async ({ params, query }) => {
    const { items: deployments, pagination } = pageOf(query, await service.workerDeployments(params.name, query))
    return { deployments, pagination }
  }),
})
