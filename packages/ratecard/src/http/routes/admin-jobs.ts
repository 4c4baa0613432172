import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Page, Service } from '../../service.ts'
import type { JobSummary, MigrationRequest } from '../../service-tenants.ts'
import { describeRoute, customerErrors } from '../contract.ts'
import type { KeyRoute } from '../contract.ts'
import { jobKinds, JobReportSchema, JobSchema, MigrationPlanSchema, NewMigrationSchema } from '../enterprise-schemas.ts'
import { jobReportToWire, jobToWire, migrationPlanToWire } from '../enterprise-wire.ts'
import { answerKeyed, keyErrors, keyHeader } from '../keyed-answer.ts'
import { actorHeaders, callerOf, idParams, pageQuery, timeOf } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import { paginationToWire } from '../wire.ts'
import { closed, PaginationSchema } from '../wire-schemas.ts'

export const jobsPath = '/api/v1/billing/admin/jobs'

export interface AdminJobDeps {
  readonly service: Pick<
    Service,
    'planMigration' | 'startMigration' | 'listJobs' | 'findJob' | 'resumeJob' | 'cancelJob' | 'idempotent'
  >
}

const contract = (rest: Omit<KeyRoute, 'tag' | 'access'>) =>
  describeRoute({ tag: 'Jobs', access: 'service_key', ...rest })

/** Work on many tenants: migrations of subscribers to a price's successor, and the jobs that carry such work out. */
export function adminJobRoutes(app: FastifyInstance, deps: AdminJobDeps): void {
  migrationRoute(app, deps)
  readRoutes(app, deps)
  steerRoutes(app, deps)
}

interface WireMigration {
  readonly price_id: string
  readonly to?: string
  readonly only?: readonly string[]
  readonly except?: readonly string[]
}

function migrationOf({ price_id: priceId, to = 'renewal', only, except }: WireMigration): MigrationRequest {
  return {
    priceId,
    to: to === 'renewal' || to === 'now' ? to : { at: timeOf(to, 'to') },
    ...(only === undefined ? {} : { only }),
    ...(except === undefined ? {} : { except }),
  }
}

function migrationRoute(app: FastifyInstance, { service }: AdminJobDeps): void {
  app.post<{ Body: WireMigration; Querystring: { dry_run: boolean } }>(
    '/migrations',
    {
      bodyLimit: 4 * 1024 * 1024,
      schema: contract({
        operationId: 'startMigration',
        scope: 'dry_run',
        summary: 'Move subscribers of a replaced price to what replaced it',
        query: {
          dry_run: Type.Boolean({ default: false, description: 'Answer the list and the money; move nobody.' }),
        },
        headers: { ...keyHeader, ...actorHeaders },
        body: NewMigrationSchema,
        answers: {
          200: { description: 'With `dry_run`: who would move, and what it changes.', schema: MigrationPlanSchema },
          202: {
            description: 'Journalled and running.',
            schema: JobSchema,
            headers: { Location: { type: 'string', description: 'Where the job is followed.' } },
          },
        },
        errors: [
          'price_not_found',
          'config_not_found',
          'tenant_not_found',
          'price_not_sellable',
          'tenant_busy',
          ...customerErrors,
          ...keyErrors,
        ],
      }),
    },
    async (request, reply) => {
      const migration = migrationOf(request.body)
      if (request.query.dry_run) return reply.send(migrationPlanToWire(await service.planMigration(migration)))
      return answerKeyed(service, request, reply, async () => {
        const job = await service.startMigration(migration, callerOf(request))
        return { status: 202, body: jobToWire(job), location: `${jobsPath}/${job.id}` }
      })
    },
  )
}

function readRoutes(app: FastifyInstance, { service }: AdminJobDeps): void {
  app.get<{ Querystring: Page & { readonly kind?: JobSummary['kind'] } }>(
    '/jobs',
    {
      schema: contract({
        operationId: 'listJobs',
        scope: 'read',
        summary: 'Jobs, newest first',
        query: { ...pageQuery, kind: Type.Optional(Type.Enum(jobKinds, { description: 'Only jobs of this kind.' })) },
        answers: {
          200: {
            description: 'A page of jobs.',
            schema: Type.Object({ jobs: Type.Array(JobSchema), pagination: PaginationSchema }, closed),
          },
        },
      }),
    },
    async ({ query: { limit, offset, kind } }) => {
      const page = { limit, offset }
      const { items, total } = await service.listJobs({ ...page, ...(kind === undefined ? {} : { kind }) })
      return { jobs: items.map(jobToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
  app.get<{ Params: IdParams }>(
    '/jobs/:id',
    {
      schema: contract({
        operationId: 'getJob',
        scope: 'read',
        summary: 'A job with each of its steps',
        params: idParams,
        answers: { 200: { description: 'The job.', schema: JobReportSchema } },
        errors: ['job_not_found'],
      }),
    },
    async ({ params }) => jobReportToWire(await service.findJob(params.id)),
  )
}

function steerRoutes(app: FastifyInstance, { service }: AdminJobDeps): void {
  app.post<{ Params: IdParams }>(
    '/jobs/:id/resume',
    {
      schema: contract({
        operationId: 'resumeJob',
        scope: 'write',
        summary: 'Go on with a job that stopped before its end',
        params: idParams,
        answers: { 202: { description: 'It runs again.', schema: JobSchema } },
        errors: ['job_not_found', 'job_not_running', 'tenant_busy', 'push_in_progress', ...customerErrors],
      }),
    },
    async ({ params }, reply) => reply.code(202).send(jobToWire(await service.resumeJob(params.id))),
  )
  app.post<{ Params: IdParams }>(
    '/jobs/:id/cancel',
    {
      schema: contract({
        operationId: 'cancelJob',
        scope: 'write',
        summary: 'Stop a job between two steps, or one that waits',
        description: 'What was done stays done.',
        params: idParams,
        answers: { 200: { description: 'It stops.', schema: JobSchema } },
        errors: ['job_not_found', 'job_not_running'],
      }),
    },
    async ({ params }) => jobToWire(await service.cancelJob(params.id)),
  )
}
