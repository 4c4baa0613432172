// Deploys an uploaded worker; deployments of one worker run one at a time. Until the store has activated the new version, any failure is
// rolled back and the previous version keeps serving.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Store } from '../../store/store.ts'
import { checkDeployment, serviceKeyVariable } from './check-deployment.ts'
import { specOf, type Env } from './deployment-spec.ts'
import { firstTicks } from './due-runs.ts'
import { notFound, type ReplicaWorkers } from './replica-workers.ts'
import type { Candidate, Supervisor } from './supervisor.ts'
import type { NewDeployment, WorkerKeys } from '../../api/workers/workers.ts'
import type { LeaseToken } from '../../store/lease-token.ts'
import type { DeploymentContent, DeploymentRecord, WorkerRecord } from '../../store/records/workers.ts'

export interface DeployDeps {
  readonly store: Pick<Store, 'tryExclusively' | 'workerRuns' | 'workerLogs'>
  readonly workers: Store['workers']
  readonly supervisor: Supervisor
  readonly replica: ReplicaWorkers
  readonly newId: () => string
  readonly keys: WorkerKeys
  readonly serviceUrl: () => string | null
  readonly isOwnHost: (host: string) => boolean
  /** Called after each step. Tests use it to kill the process at that step. */
  readonly onStep?: (step: DeployStep) => void
}

export type DeployStep = 'checked' | 'prepared' | 'stored' | 'activated'

/** Number of deployments kept per worker for a rollback, including the active one. */
const keptDeployments = 20

export async function deploy(deps: DeployDeps, given: NewDeployment): Promise<WorkerRecord> {
  const now = await deps.workers.now()
  const checked = checkDeployment(given, { now, isOwnHost: deps.isOwnHost })
  const { content, crons, hosts, variables, sizeBytes, checksum } = checked
  deps.onStep?.('checked')
  return withDeployLease(deps, given.name, async (token) => {
    const { name: worker, author, message, environment } = given
    const meta = { author, message, environment, variables, crons, hosts, sizeBytes, checksum }
    if ((await deps.workers.find(worker)) === null) await forgetTraces(deps.store, worker)
    const record: DeploymentRecord = { id: deps.newId(), worker, ...meta, createdAt: now }
    const own = await ownKey(deps, worker, content)
    try {
      return await bringUp(deps, { record, content: own.content, isNew: true }, token)
    } catch (error) {
      if (own.made !== null) await deps.keys.revoke(own.made)
      throw error
    }
  })
}

/**
 * Rolls back to deployment `to` or, if null, to the one made before the active deployment. Restores code, environment and schedules
 * together.
 */
export async function rollBack(deps: DeployDeps, name: string, to: string | null): Promise<WorkerRecord> {
  return withDeployLease(deps, name, async (token) => {
    const { workers } = deps
    const present = await workers.find(name)
    if (present === null) throw notFound(name)
    const record =
      to === null ? await workers.deploymentBefore(name, present.deployment.id) : await workers.deployment(name, to)
    if (record === null) throw noDeployment(name, to)
    const content = await workers.content(record.id)
    if (content === null) throw noDeployment(name, to)
    return bringUp(deps, { record, content, isNew: false }, token)
  })
}

export async function removeWorker(deps: DeployDeps, name: string): Promise<void> {
  await withDeployLease(deps, name, async (token) => {
    if (!(await deps.workers.remove(name, token))) throw notFound(name)
    await deps.replica.drop(name)
    await deps.keys.revokeAll(name)
    await forgetTraces(deps.store, name)
  })
}

/**
 * Adds the worker's service key to the environment if the manifest requests a key. If the key of the active version is valid and has the
 * right scope, it is used again, so that not every version adds a key. Otherwise creates a key and returns its id as `made`.
 */
async function ownKey(
  { keys, workers }: DeployDeps,
  worker: string,
  content: DeploymentContent,
): Promise<{ readonly content: DeploymentContent; readonly made: string | null }> {
  const scope = content.serviceKey
  if (scope === null) return { content, made: null }
  const withKey = (key: string): DeploymentContent => {
    const env = { ...(JSON.parse(content.env) as Env), [serviceKeyVariable]: key }
    return { ...content, env: JSON.stringify(env) }
  }
  const serving = (await workers.find(worker))?.deployment.id
  const before = serving === undefined ? null : await workers.content(serving)
  const present = before?.serviceKey === scope ? (JSON.parse(before.env) as Env)[serviceKeyVariable] : undefined
  if (typeof present === 'string' && (await keys.isValid(present, scope)))
    return { content: withKey(present), made: null }
  const { id, key } = await keys.create(worker, scope)
  return { content: withKey(key), made: id }
}

/**
 * Deletes the runs and logs of a removed worker. Also called before a first deployment, because an earlier removal may have been
 * interrupted.
 */
export async function forgetTraces(store: Pick<Store, 'workerRuns' | 'workerLogs'>, worker: string): Promise<void> {
  await store.workerRuns.removeAll(worker)
  await store.workerLogs.removeAll(worker)
}

interface Version {
  readonly record: DeploymentRecord
  readonly content: DeploymentContent
  readonly isNew: boolean
}

async function bringUp(deps: DeployDeps, version: Version, token: LeaseToken): Promise<WorkerRecord> {
  const { record, content, isNew } = version
  const spec = specOf({ name: record.worker, deploymentId: record.id }, content, deps.serviceUrl())
  const candidate = await deps.supervisor.prepare(spec)
  deps.onStep?.('prepared')
  let worker: WorkerRecord
  try {
    checkHandlers(record, candidate)
    const schedules = firstTicks(record.crons, await deps.workers.now())
    const options = { keep: keptDeployments, token }
    worker = await deps.workers.activate(record, isNew ? content : null, schedules, options)
  } catch (error) {
    await candidate.discard()
    throw error
  }
  deps.onStep?.('stored')
  deps.replica.adopt(worker, candidate)
  deps.onStep?.('activated')
  return worker
}

function checkHandlers({ crons }: DeploymentRecord, { handlers }: Candidate): void {
  if (crons.length === 0 || handlers.scheduled) return
  throw new ServiceError(
    'worker_start_failed',
    `The worker has ${crons.length === 1 ? 'a schedule' : 'schedules'}, but no scheduled handler.`,
    { hint: 'Add `async scheduled(event, env, ctx) { … }` to the default export, or remove the crons.' },
  )
}

async function withDeployLease<T>(deps: DeployDeps, name: string, work: (token: LeaseToken) => Promise<T>): Promise<T> {
  const busy = (cause?: unknown) =>
    new ServiceError('deployment_in_progress', `The worker "${name}" is being changed by another request now.`, {
      hint: 'Wait until it is done, then try again.',
      cause,
    })
  const entered = await deps.store.tryExclusively(`worker:${name}`, async ({ token }) => {
    try {
      return { done: await work(token) }
    } catch (error) {
      // The lease was lost: another request has taken over.
      throw error instanceof ServiceError && error.code === 'push_in_progress' ? busy(error) : error
    }
  })
  if (entered === null) throw busy()
  return entered.done
}

function noDeployment(name: string, id: string | null): ServiceError {
  const detail =
    id === null
      ? `The worker "${name}" has no deployment before the current one.`
      : `The worker "${name}" has no deployment "${id}".`
  return new ServiceError('deployment_not_found', detail, {
    hint: `The newest ${String(keptDeployments)} deployments are kept.`,
  })
}
