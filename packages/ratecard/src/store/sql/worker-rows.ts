// Rows of edge workers, and how they become records. Lists are JSON text.
import type { DeploymentContent, DeploymentRecord, RunRecord, StoredModule } from '../worker-store.ts'

type Lists = 'variables' | 'crons' | 'hosts'

export type DeploymentRow = Omit<DeploymentRecord, Lists> & { readonly [Name in Lists]: string }

/** Beside the deployments: lists of those must not read megabytes. */
export interface BundleRow {
  readonly deploymentId: string
  /** JSON. */
  readonly modules: string
  readonly main: string
  readonly sourceMap: string | null
  readonly compatibilityDate: string
  /** JSON. */
  readonly compatibilityFlags: string
  readonly cpuMs: number
}

export interface WorkerRow {
  readonly name: string
  readonly deploymentId: string
  readonly updatedAt: number
}

export interface ScheduleRow {
  readonly worker: string
  readonly cron: string
  readonly nextAt: number
}

export type RunRow = RunRecord

export const deploymentToRow = (record: DeploymentRecord): DeploymentRow => ({
  ...record,
  variables: JSON.stringify(record.variables),
  crons: JSON.stringify(record.crons),
  hosts: JSON.stringify(record.hosts),
})

export const deploymentOf = (row: DeploymentRow): DeploymentRecord => ({
  ...row,
  variables: texts(row.variables),
  crons: texts(row.crons),
  hosts: texts(row.hosts),
})

export function bundleToRow(deploymentId: string, content: DeploymentContent): BundleRow {
  const { main, sourceMap, compatibilityDate, cpuMs } = content
  return {
    deploymentId,
    // Escaped by JSON, code keeps characters that neither engine can hold as text.
    modules: JSON.stringify(content.modules),
    main,
    sourceMap,
    compatibilityDate,
    compatibilityFlags: JSON.stringify(content.compatibilityFlags),
    cpuMs,
  }
}

export function contentOf(row: BundleRow, env: string): DeploymentContent {
  const { main, sourceMap, compatibilityDate, cpuMs } = row
  return {
    modules: JSON.parse(row.modules) as StoredModule[],
    main,
    sourceMap,
    compatibilityDate,
    compatibilityFlags: texts(row.compatibilityFlags),
    cpuMs,
    env,
  }
}

const texts = (json: string) => JSON.parse(json) as string[]
