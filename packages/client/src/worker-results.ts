// What calls about edge workers take and answer. Times are RFC 3339 in UTC.
import type { Pagination } from './results.ts'

export interface WorkerModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** base64 for `data` and `wasm`, text for the others. */
  readonly content: string
}

export interface NewDeployment {
  readonly modules: readonly WorkerModule[]
  /** Name of the module that holds the handlers. */
  readonly main: string
  readonly sourceMap?: string | null | undefined
  readonly compatibilityDate: string
  readonly compatibilityFlags?: readonly string[] | undefined
  /** Texts, or other JSON values as `[vars]` of a manifest may hold. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined
  /** Sealed at rest and never shown again. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  readonly crons?: readonly string[] | undefined
  readonly cpuMs?: number | null | undefined
  readonly hosts?: readonly string[] | undefined
  /** A service key of its own, in `env.RATECARD_SERVICE_KEY`; revoked with the worker. */
  readonly serviceKey?: 'read' | 'write' | null | undefined
  /** Let `X-Service-Key` and the cookies of the service reach the worker. */
  readonly passCredentials?: boolean | undefined
  readonly environment?: string | null | undefined
}

export interface Deployment {
  id: string
  createdAt: string
  author: string | null
  message: string | null
  checksum: string
  environment: string | null
  /** Whether it serves now. */
  active: boolean
  /** Names of the environment values, never the values. */
  variables: string[]
  crons: string[]
  sizeBytes: number
}

export interface Worker {
  name: string
  url: string
  state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
  restarts: number
  /** Why it last ended by itself. */
  lastExit: string | null
  hosts: string[]
  deployment: Deployment
  crons: { cron: string; nextAt: string }[]
}

export interface DeploymentList {
  deployments: Deployment[]
  pagination: Pagination
}

export interface WorkerLogLine {
  id: string
  time: string
  level: string
  message: string
  requestId?: string
  runId?: string
  /** Id of the deployment. */
  deployment: string
}

export interface CronRun {
  id: string
  cron: string
  scheduledTime: string
  startedAt: string | null
  finishedAt: string | null
  outcome:
    'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'
  error?: string
}

export interface CronRunList {
  runs: CronRun[]
  pagination: Pagination
}
