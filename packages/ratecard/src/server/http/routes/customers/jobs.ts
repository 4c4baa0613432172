import { jobOperations as jobRows, jobsPath } from '../../../../api/customers/jobs.ts'
import { callerOf, timeOf } from '../../request/request-parts.ts'
import { pageOf } from '../../response/page.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import {
  migrationOperations as migrationRows,
  type MigrationRequest,
} from '../../../../api/customers/price-migrations.ts'
import { answerKeyed } from '../../response/keyed-answer.ts'
import { overrideOf } from '../../request/override.ts'

export const jobRoutes = ({ service }: RouteDeps): Routes<typeof jobRows> => ({
  listJobs: route(jobRows.listJobs, async ({ query }) => {
    const { items: jobs, pagination } = pageOf(query, await service.listJobs(query))
    return { jobs, pagination }
  }),
  getJob: route(jobRows.getJob, ({ params }) => service.findJob(params.id)),
  resumeJob: route(jobRows.resumeJob, ({ params }) => service.resumeJob(params.id)),
  cancelJob: route(jobRows.cancelJob, ({ params, body, request }) =>
    service.cancelJob(params.id, body?.takeBack === true, callerOf(request)),
  ),
})

export const migrationRoutes = ({ service }: RouteDeps): Routes<typeof migrationRows> => ({
  startMigration: route(migrationRows.startMigration, async (call) => {
    const { to = 'renewal', ...rest } = call.body
    const migration: MigrationRequest = {
      ...rest,
      to: to === 'renewal' || to === 'now' ? to : { at: timeOf(to, 'to') },
    }
    const caller = { ...callerOf(call.request), ...overrideOf(call.request, call.query.override, call.query) }
    if (call.query.dryRun) return call.answer(200, await service.planMigration(migration, caller))
    return answerKeyed(service, call, async () => {
      const job = await service.startMigration(migration, caller)
      return call.answer(202, job, { location: `${jobsPath}/${job.id}` })
    })
  }),
})
