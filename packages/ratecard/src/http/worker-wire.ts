// Workers in their form on the wire.
import { toRfc3339 } from '../clock.ts'
import type {
  CronRunView,
  DeploymentVar,
  DeploymentView,
  NewDeployment,
  UploadedModule,
  WorkerLogView,
  WorkerView,
} from '../service-workers.ts'
import type { Actor } from '../service.ts'

const timeOrNull = (epochMs: number | null) => (epochMs === null ? null : toRfc3339(epochMs))

export interface DeploymentBody {
  readonly name?: string
  readonly modules: readonly UploadedModule[]
  readonly main: string
  readonly source_map?: string | null
  readonly compatibility_date: string
  readonly compatibility_flags?: readonly string[]
  readonly vars?: Readonly<Record<string, DeploymentVar>>
  readonly secrets?: Readonly<Record<string, string>>
  readonly crons?: readonly string[]
  readonly cpu_ms?: number | null
  readonly hosts?: readonly string[]
  readonly service_key?: 'read' | 'write' | null
  readonly pass_credentials?: boolean
  readonly environment?: string | null
  readonly author?: string | null
  readonly message?: string | null
}

/** Author and message may come in the headers instead, as for pushes. */
export function deploymentFromWire(name: string, body: DeploymentBody, actor: Actor): NewDeployment {
  return {
    name,
    modules: body.modules,
    main: body.main,
    sourceMap: body.source_map ?? null,
    compatibilityDate: body.compatibility_date,
    compatibilityFlags: body.compatibility_flags ?? [],
    vars: body.vars ?? {},
    secrets: body.secrets ?? {},
    crons: body.crons ?? [],
    cpuMs: body.cpu_ms ?? null,
    hosts: body.hosts ?? [],
    serviceKey: body.service_key ?? null,
    passCredentials: body.pass_credentials ?? false,
    environment: body.environment ?? null,
    author: body.author ?? actor.author,
    message: body.message ?? actor.message,
  }
}

export function deploymentToWire(deployment: DeploymentView) {
  return {
    id: deployment.id,
    created_at: toRfc3339(deployment.createdAt),
    author: deployment.author,
    message: deployment.message,
    checksum: deployment.checksum,
    environment: deployment.environment,
    active: deployment.active,
    variables: deployment.variables,
    crons: deployment.crons,
    size_bytes: deployment.sizeBytes,
  }
}

export function workerToWire(worker: WorkerView) {
  return {
    name: worker.name,
    url: worker.url,
    state: worker.state,
    restarts: worker.restarts,
    last_exit: worker.lastExit,
    hosts: worker.hosts,
    deployment: deploymentToWire(worker.deployment),
    crons: worker.crons.map(({ cron, nextAt }) => ({ cron, next_at: toRfc3339(nextAt) })),
  }
}

export function runToWire(run: CronRunView) {
  return {
    id: run.id,
    cron: run.cron,
    scheduled_time: toRfc3339(run.scheduledTime),
    started_at: timeOrNull(run.startedAt),
    finished_at: timeOrNull(run.finishedAt),
    outcome: run.outcome,
    // To the microsecond: the runtime's own figures are no finer.
    cpu_ms: run.cpuMs === null ? null : Math.round(run.cpuMs * 1000) / 1000,
    ...(run.error === null ? {} : { error: run.error }),
  }
}

export function logToWire(line: WorkerLogView) {
  return {
    id: line.id,
    time: toRfc3339(line.time),
    level: line.level,
    message: line.message,
    ...(line.requestId === null ? {} : { request_id: line.requestId }),
    ...(line.runId === null ? {} : { run_id: line.runId }),
    deployment: line.deployment,
  }
}
