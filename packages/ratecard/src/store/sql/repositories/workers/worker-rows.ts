// Converts deployments and their code to rows and back.
import { sql } from 'kysely'
import { toRecord, toRow, type RecordOf, type RowOf } from '../../../records/columns.ts'
import {
  bundleColumns,
  deploymentColumns,
  workerColumns,
  type DeploymentRecord,
  type DeploymentContent,
  type StoredModule,
} from '../../../records/workers.ts'

type BundleRow = RowOf<typeof bundleColumns>

export const deploymentToRow = (record: DeploymentRecord) => toRow(deploymentColumns, record)
export const deploymentOf = (row: RowOf<typeof deploymentColumns>) => toRecord(deploymentColumns, row)

/** Aliases for the columns of a worker, because the joined table of deployments may have columns of the same names. */
const beside = Object.keys(workerColumns).map((name) => ({
  name,
  alias: `worker${name.charAt(0).toUpperCase()}${name.slice(1)}`,
}))
export const workerSelection = beside.map(({ name, alias }) => sql.ref(`workers.${name}`).as(alias))
export function workerOf(joined: Readonly<Record<string, unknown>>): RecordOf<typeof workerColumns> {
  const row = Object.fromEntries(beside.map(({ name, alias }) => [name, joined[alias]]))
  return toRecord(workerColumns, row as RowOf<typeof workerColumns>)
}

export function bundleToRow(
  deploymentId: string,
  { env: _sealed, modules, passCredentials, ...content }: DeploymentContent,
): BundleRow {
  // JSON escapes the characters that the engines do not store unchanged as text, e.g. NUL.
  const rest = { modules: JSON.stringify(modules), passCredentials: passCredentials ? 1 : 0 }
  const record: RecordOf<typeof bundleColumns> = { ...content, deploymentId, ...rest }
  return toRow(bundleColumns, record)
}

export function contentOf(row: BundleRow, env: string): DeploymentContent {
  const { deploymentId: _of, modules, passCredentials, ...content } = toRecord(bundleColumns, row)
  return { ...content, modules: JSON.parse(modules) as StoredModule[], passCredentials: passCredentials === 1, env }
}
