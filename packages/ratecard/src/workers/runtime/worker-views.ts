import { shownColumns } from '../../store/records/columns.ts'
import {
  deploymentColumns,
  logColumns,
  runColumns,
  workerColumns,
  type DeploymentRecord,
  type LogRecord,
  type RunRecord,
  type WorkerRecord,
} from '../../store/records/workers.ts'
import type { HostedState } from './supervisor-options.ts'
import type { CronRunView, WorkerLogView } from '../../api/workers/worker-runs.ts'
import type { DeploymentView, WorkerView } from '../../api/workers/workers.ts'

export function deploymentView(record: DeploymentRecord, activeId: string): DeploymentView {
  return { ...shownColumns(deploymentColumns, record), active: record.id === activeId }
}

export function workerView(
  record: WorkerRecord,
  live: {
    readonly url: string
    readonly state: WorkerView['state']
    readonly detail: string | null
    readonly hosted: HostedState | undefined
  },
): WorkerView {
  const { deployment, schedules } = record
  return {
    ...shownColumns(workerColumns, record),
    url: live.url,
    state: live.state,
    restarts: live.hosted?.restarts ?? 0,
    lastExit: live.hosted?.lastExit?.detail ?? live.detail,
    hosts: deployment.hosts,
    deployment: deploymentView(deployment, deployment.id),
    crons: schedules,
  }
}

export const runView = (run: RunRecord): CronRunView => shownColumns(runColumns, run)

export function logView(line: LogRecord): WorkerLogView {
  return { ...shownColumns(logColumns, line), deployment: line.deploymentId }
}
