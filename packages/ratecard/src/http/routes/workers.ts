import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ServiceError } from '../../errors/service-error.ts'
import type { Page, Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
import { actorHeaders, actorOf, pageQuery } from '../request-parts.ts'
import { paginationToWire } from '../wire.ts'
import { PaginationSchema } from '../wire-schemas.ts'
import { DeploymentBodySchema, DeploymentSchema, WorkerSchema } from '../worker-schemas.ts'
import { deploymentFromWire, deploymentToWire, workerToWire } from '../worker-wire.ts'
import type { DeploymentBody } from '../worker-wire.ts'

/** Ten megabytes of modules in base64, their source map beside them. */
const deploymentBody = 48 * 1024 * 1024
const closed = { additionalProperties: false } as const

export const nameParams = Type.Object({ name: Type.String({ maxLength: 63, description: 'The worker’s name.' }) })
export interface NameParams {
  readonly name: string
}

type Deps = {
  readonly service: Pick<
    Service,
    'deployWorker' | 'listWorkers' | 'findWorker' | 'removeWorker' | 'workerDeployments' | 'rollbackWorker'
  >
}

/** Deploying workers and looking at them. Their logs and runs are in worker-runs.ts. */
export function workerRoutes(app: FastifyInstance, deps: Deps): void {
  deployRoute(app, deps)
  changeRoutes(app, deps)
  app.get(
    '',
    {
      schema: describeRoute({
        operationId: 'listWorkers',
        scope: 'read',
        summary: 'Workers, by name',
        tag: 'Workers',
        access: 'service_key',
        answers: {
          200: { description: 'All workers.', schema: Type.Object({ workers: Type.Array(WorkerSchema) }, closed) },
        },
      }),
    },
    async () => ({ workers: (await deps.service.listWorkers()).map(workerToWire) }),
  )
  app.get<{ Params: NameParams }>(
    '/:name',
    {
      schema: describeRoute({
        operationId: 'getWorker',
        scope: 'read',
        summary: 'A worker with the deployment that serves',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        answers: { 200: { description: 'The worker.', schema: WorkerSchema } },
        errors: ['worker_not_found'],
      }),
    },
    async ({ params }) => workerToWire(await deps.service.findWorker(params.name)),
  )
  app.get<{ Params: NameParams; Querystring: Page }>(
    '/:name/deployments',
    {
      schema: describeRoute({
        operationId: 'listDeployments',
        scope: 'read',
        summary: 'Deployments of a worker, newest first',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        query: pageQuery,
        answers: {
          200: {
            description: 'A page of deployments.',
            schema: Type.Object({ deployments: Type.Array(DeploymentSchema), pagination: PaginationSchema }, closed),
          },
        },
        errors: ['worker_not_found'],
      }),
    },
    async ({ params, query: { limit, offset } }) => {
      const page = { limit, offset }
      const { items, total } = await deps.service.workerDeployments(params.name, page)
      return { deployments: items.map(deploymentToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
}

function deployRoute(app: FastifyInstance, { service }: Deps): void {
  app.post<{ Params: NameParams; Body: DeploymentBody }>(
    '/:name/deployments',
    {
      bodyLimit: deploymentBody,
      schema: describeRoute({
        operationId: 'deployWorker',
        scope: 'write',
        summary: 'Deploy a worker',
        description:
          'The upload is started beside what serves, checked, and then switched to, its schedules with it. When it does not come up, what served goes on.',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        headers: actorHeaders,
        body: DeploymentBodySchema,
        answers: { 201: { description: 'It serves.', schema: WorkerSchema } },
        errors: [
          'worker_bundle_invalid',
          'cron_invalid',
          'worker_start_failed',
          'worker_unavailable',
          'deployment_in_progress',
          'conflict',
        ],
      }),
    },
    async (request, reply) => {
      const { name } = request.params
      if (request.body.name !== undefined && request.body.name !== name)
        throw new ServiceError('request_invalid', `The body is for "${request.body.name}", the path for "${name}".`)
      const worker = await service.deployWorker(deploymentFromWire(name, request.body, actorOf(request)))
      return reply.code(201).header('location', `/api/v1/workers/${name}`).send(workerToWire(worker))
    },
  )
}

function changeRoutes(app: FastifyInstance, { service }: Deps): void {
  app.post<{ Params: NameParams; Body: { deployment?: string | null } | undefined }>(
    '/:name/rollback',
    {
      schema: describeRoute({
        operationId: 'rollBackWorker',
        scope: 'write',
        summary: 'Serve an earlier deployment again',
        description: 'Code, environment and schedules together. Without `deployment`: the one before the present one.',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        headers: actorHeaders,
        body: Type.Union([
          Type.Object({ deployment: Type.Optional(Type.Union([Type.String(), Type.Null()])) }, closed),
          Type.Null(),
        ]),
        answers: { 200: { description: 'It serves.', schema: WorkerSchema } },
        errors: [
          'worker_not_found',
          'deployment_not_found',
          'worker_start_failed',
          'worker_unavailable',
          'deployment_in_progress',
          'conflict',
          'secret_unreadable',
        ],
      }),
    },
    async (request) => {
      const to = request.body?.deployment ?? null
      return workerToWire(await service.rollbackWorker(request.params.name, to, actorOf(request)))
    },
  )
  app.delete<{ Params: NameParams }>(
    '/:name',
    {
      schema: describeRoute({
        operationId: 'removeWorker',
        scope: 'write',
        summary: 'Remove a worker',
        description: 'With its deployments, environment values, schedules, runs and logs.',
        tag: 'Workers',
        access: 'service_key',
        params: nameParams,
        answers: { 204: { description: 'Removed.', schema: null } },
        errors: ['worker_not_found', 'deployment_in_progress'],
      }),
    },
    async (request, reply) => {
      await service.removeWorker(request.params.name)
      return reply.code(204).send()
    },
  )
}
