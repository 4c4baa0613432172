// Workers as `--json` prints them: in the names of the wire.
import type * as client from '@ratecard/client'

export function jsonDeployment(deployment: client.Deployment) {
  const { createdAt, sizeBytes, ...rest } = deployment
  return { ...rest, created_at: createdAt, size_bytes: sizeBytes }
}

export function jsonWorker({ lastExit, deployment, crons, ...rest }: client.Worker) {
  return {
    ...rest,
    last_exit: lastExit,
    deployment: jsonDeployment(deployment),
    crons: crons.map(({ cron, nextAt }) => ({ cron, next_at: nextAt })),
  }
}

export function jsonRun({ scheduledTime, startedAt, finishedAt, ...rest }: client.CronRun) {
  return { ...rest, scheduled_time: scheduledTime, started_at: startedAt, finished_at: finishedAt }
}

export function jsonLog({ requestId, runId, ...rest }: client.WorkerLogLine) {
  return {
    ...rest,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(runId === undefined ? {} : { run_id: runId }),
  }
}
