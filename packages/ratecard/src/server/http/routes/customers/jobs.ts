import { jobOperations as rows } from '../../../../api/customers/jobs.ts'
import { callerOf } from '../../request/request-parts.ts'
import { pageOf } from '../../response/page.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const jobRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listJobs: route(rows.listJobs, async ({ query }) => {
    const { items: jobs, pagination } = pageOf(query, await service.listJobs(query))
    return { jobs, pagination }
  }),
  getJob: route(rows.getJob, ({ params }) => service.findJob(params.id)),
  resumeJob: route(rows.resumeJob, ({ params }) => service.resumeJob(params.id)),
  cancelJob: route(rows.cancelJob, ({ params, body, request }) =>
    service.cancelJob(params.id, body?.takeBack === true, callerOf(request)),
  ),
})
