import type { CronRunView, DeploymentView, WorkerLogView, WorkerView } from '../../service/workers.ts'
import type { DeploymentRecord, LogRecord, RunRecord, WorkerRecord } from '../../store/worker-store.ts'
import type { HostedState } from './supervisor-options.ts'

export function deploymentView(record: DeploymentRecord, activeId: string): DeploymentView {
  const { id, createdAt, author, message, checksum, environment, variables, crons, sizeBytes } = record
  const active = id === activeId
  return { id, createdAt, author, message, checksum, environment, active, variables, crons, sizeBytes }
}

export function workerView(
  { name, deployment, schedules }: WorkerRecord,
  live: {
    readonly url: string
    readonly state: WorkerView['state']
    readonly detail: string | null
    readonly hosted: HostedState | undefined
  },
): WorkerView {
  return {
    name,
    url: live.url,
    state: live.state,
    restarts: live.hosted?.restarts ?? 0,
    lastExit: live.hosted?.lastExit?.detail ?? live.detail,
    hosts: deployment.hosts,
    deployment: deploymentView(deployment, deployment.id),
    crons: schedules,
  }
}

export function runView(run: RunRecord): CronRunView {
  const { id, cron, scheduledTime, startedAt, finishedAt, outcome, error, cpuMs } = run
  return { id, cron, scheduledTime, startedAt, finishedAt, outcome, error, cpuMs }
}

export function logView(line: LogRecord): WorkerLogView {
  const { id, time, level, message, requestId, runId, deploymentId } = line
  return { id, time, level, message, requestId, runId, deployment: deploymentId }
}
