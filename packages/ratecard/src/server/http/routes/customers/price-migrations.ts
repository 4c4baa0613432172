import { jobsPath } from '../../../../api/customers/jobs.ts'
import { migrationOperations as rows, type MigrationRequest } from '../../../../api/customers/price-migrations.ts'
import { answerKeyed } from '../../response/keyed-answer.ts'
import { overrideOf } from '../../request/override.ts'
import { callerOf, timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const migrationRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  startMigration: route(rows.startMigration, async (call) => {
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
