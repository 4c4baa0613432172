// Operations on edge workers and their deployments.
import { Type } from 'typebox'
import { workerKeyScopes } from '../../store/records/auth.ts'
import { Pagination } from '../notation/common.ts'
import { actorHeaders, operations, pageQuery } from '../notation/operation.ts'
import { asWritten, closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'

const text = (description: string) => Type.String({ description })

/** Value of a variable in `env`: text, or another JSON value as in Cloudflare's `[vars]`. */
export type DeploymentVar =
  string | number | boolean | null | readonly DeploymentVar[] | { readonly [key: string]: DeploymentVar }

export const WorkerModule = shape('WorkerModule', {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  type: Type.Enum(['esm', 'text', 'data', 'wasm', 'json']),
  content: text('base64 for `data` and `wasm`, the text itself for the others.'),
})
export type UploadedModule = Inside<typeof WorkerModule>

export const DeploymentBody = shape('DeploymentBody', {
  name: Type.Optional(text('The worker’s name. If given, it must equal the name in the path.')),
  modules: Type.Array(WorkerModule, { minItems: 1, description: 'The bundle, at most 10 MB.' }),
  main: text('Name of the module that holds the handlers.'),
  source_map: Type.Optional(nullable(text('Source map of the main module, version 3, as JSON text.'))),
  compatibility_date: Type.String({ description: '`YYYY-MM-DD`.' }),
  compatibility_flags: Type.Optional(Type.Array(Type.String())),
  vars: Type.Optional(
    asWritten(
      Type.Unsafe<Readonly<Record<string, DeploymentVar>>>(
        Type.Record(Type.String(), Type.Unknown(), { description: 'Environment values, JSON.' }),
      ),
    ),
  ),
  secrets: Type.Optional(
    asWritten(
      Type.Record(Type.String(), Type.String(), {
        description: 'Secret values. They are stored encrypted and never returned.',
      }),
    ),
  ),
  crons: Type.Optional(
    Type.Array(Type.String(), { description: 'Cron expressions. They replace the earlier schedules.' }),
  ),
  cpu_ms: Type.Optional(nullable(Type.Integer({ description: 'CPU time of one request or run, 10 to 300,000.' }))),
  hosts: Type.Optional(Type.Array(Type.String(), { description: 'Custom host names.' })),
  service_key: Type.Optional(
    nullable(
      Type.Enum([...workerKeyScopes], {
        description:
          'Gives the worker its own service key with this scope, in `env.RATECARD_SERVICE_KEY`. The key is revoked when the worker is deleted.',
      }),
    ),
  ),
  pass_credentials: Type.Optional(
    Type.Boolean({
      description:
        'Pass `X-Service-Key` and the cookies of this service on to the worker. By default they are removed from its requests.',
    }),
  ),
  environment: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  author: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  message: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
})

/** Deployment request with all members: omitted ones are null or empty. */
export type NewDeployment = Readonly<Required<Inside<typeof DeploymentBody>>>

export const Deployment = shape('Deployment', {
  id: Type.String(),
  created_at: Time('Time of the upload.'),
  author: nullable(Type.String()),
  message: nullable(Type.String()),
  checksum: text('SHA-256 of the code and the configuration, without the values of the environment.'),
  environment: nullable(Type.String()),
  active: Type.Boolean({ description: 'Whether the deployment serves requests now.' }),
  variables: Type.Array(Type.String(), { description: 'Names of the environment values.' }),
  crons: Type.Array(Type.String()),
  size_bytes: Type.Integer({ minimum: 0 }),
})
export type DeploymentView = Inside<typeof Deployment>

export const DeploymentList = shape('DeploymentList', { deployments: Type.Array(Deployment), pagination: Pagination })

export const Worker = shape('Worker', {
  name: Type.String(),
  url: Type.String(),
  state: Type.Enum(['running', 'starting', 'restarting', 'stopped', 'idle', 'unavailable'], {
    description: 'State on the replica that responds. An idle worker starts with the next request.',
  }),
  restarts: Type.Integer({ minimum: 0 }),
  last_exit: nullable(text('Why the process last crashed, or why it cannot be started.')),
  hosts: Type.Array(Type.String()),
  deployment: Deployment,
  crons: Type.Array(Type.Object({ cron: Type.String(), next_at: Time('Time of the next run.') }, closed)),
})
export type WorkerView = Inside<typeof Worker>

export const WorkerList = Type.Object({ workers: Type.Array(Worker) }, closed)

export const workersPath = '/api/v1/workers'
const one = `${workersPath}/:name` as const
export const workerParams = { name: Type.String({ maxLength: 63, description: 'The worker’s name.' }) }
const all = { tag: 'Workers', access: 'service_key' } as const
const serves = { 200: { description: 'It serves.', schema: Worker } } as const
/** Maximum size of a deployment in bytes: 10 MB of modules in base64, plus their source maps. */
const deploymentLimit = 48 * 1024 * 1024

export const workerOperations = operations({
  deployWorker: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${one}/deployments`,
    summary: 'Deploy a worker',
    description:
      'The new version is started beside the current one and checked; then requests and schedules switch to it. If it does not start, the current version keeps serving.',
    params: workerParams,
    headers: actorHeaders,
    body: DeploymentBody,
    bodyLimit: deploymentLimit,
    answers: { 201: { description: 'It serves.', schema: Worker } },
    errors: [
      'worker_bundle_invalid',
      'cron_invalid',
      'worker_start_failed',
      'worker_unavailable',
      'deployment_in_progress',
      'conflict',
    ],
  },
  rollBackWorker: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${one}/rollback`,
    summary: 'Serve an earlier deployment again',
    description:
      'Restores code, environment and schedules together. Without `deployment`, restores the deployment before the current one.',
    params: workerParams,
    headers: actorHeaders,
    body: nullable(Type.Object({ deployment: Type.Optional(nullable(Type.String())) }, closed)),
    answers: serves,
    errors: [
      'worker_not_found',
      'deployment_not_found',
      'worker_start_failed',
      'worker_unavailable',
      'deployment_in_progress',
      'conflict',
      'secret_unreadable',
    ],
  },
  removeWorker: {
    ...all,
    scope: 'write',
    method: 'DELETE',
    path: one,
    summary: 'Remove a worker',
    description: 'Deletes the worker with its deployments, environment values, schedules, runs and logs.',
    params: workerParams,
    answers: { 204: { description: 'Removed.', schema: null } },
    errors: ['worker_not_found', 'deployment_in_progress'],
  },
  listWorkers: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: workersPath,
    summary: 'Workers, by name',
    answers: { 200: { description: 'All workers.', schema: WorkerList } },
  },
  getWorker: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: one,
    summary: 'Get a worker with its current deployment',
    params: workerParams,
    answers: { 200: { description: 'The worker.', schema: Worker } },
    errors: ['worker_not_found'],
  },
  listDeployments: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${one}/deployments`,
    summary: 'List the deployments of a worker, newest first',
    params: workerParams,
    query: pageQuery,
    answers: { 200: { description: 'A page of deployments.', schema: DeploymentList } },
    errors: ['worker_not_found'],
  },
})

/** Operations on service keys that belong to workers. */
export interface WorkerKeys {
  /**
   * Creates a service key named after the worker. Such a key does not count as a key of the operator: revoking it never locks the operator
   * out.
   */
  create(worker: string, scope: 'read' | 'write'): Promise<{ readonly id: string; readonly key: string }>
  isValid(key: string, scope: 'read' | 'write'): Promise<boolean>
  revoke(id: string): Promise<void>
  revokeAll(worker: string): Promise<void>
}

export const workersRoot = '/workers/'
