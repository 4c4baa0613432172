// Creates and connects the parts of a replica that hosts workers. Contains no decisions.
import type { DeployDeps } from './deploy.ts'
import { ReplicaWorkers } from './replica-workers.ts'
import type { LogBuffer } from './log-buffer.ts'
import type { WorkerRuntime } from './worker-runtime.ts'
import { Scheduler } from './scheduler.ts'
import { Supervisor } from './supervisor.ts'
import type { WorkerMetrics } from './worker-metrics.ts'
import type { WorkersOptions } from './workers-options.ts'

export interface Hosting {
  readonly supervisor: Supervisor
  readonly replica: ReplicaWorkers
  readonly scheduler: Scheduler
  readonly deps: DeployDeps
}

export interface HostingParts {
  readonly logs: LogBuffer
  readonly metrics: WorkerMetrics | undefined
  readonly instance: string
  readonly serviceUrl: () => string | null
  readonly isOwnHost: (host: string) => boolean
}

/** How long a worker idles before it is stopped, and how often a replica looks for deployments made at another one. */
export const hostingDefaults = { idleMs: 10 * 60_000, pollMs: 500 }

export function createHosting(
  options: WorkersOptions & { readonly runtime: WorkerRuntime },
  { logs, metrics, instance, serviceUrl, isOwnHost }: HostingParts,
): Hosting {
  const { store, runtime, clock, newId, keys, report, onDeployStep } = options
  const supervisor = new Supervisor({
    ...options.supervisor,
    runtime,
    clock,
    events: {
      log: (name, line) => {
        logs.add(name, line)
      },
      request: (name, version, outcome) => {
        metrics?.request(name, outcome)
        logs.addRequest(name, version, outcome)
      },
    },
  })
  const replica = new ReplicaWorkers({
    store: store.workers,
    supervisor,
    clock,
    idleMs: options.idleMs ?? hostingDefaults.idleMs,
    pollMs: options.pollMs ?? hostingDefaults.pollMs,
    report,
    say: (worker, version, message) => {
      logs.add(worker, { time: clock.now(), level: 'system', message, version })
    },
    serviceUrl,
  })
  const scheduler = new Scheduler({
    runs: store.workerRuns,
    time: options.time ?? (() => store.workers.now()),
    instance,
    newId,
    carryOut: (run) => replica.runScheduled(run),
    onEnd: (run, result) => metrics?.run(run.worker, result),
    report,
  })
  const onStep = onDeployStep === undefined ? {} : { onStep: onDeployStep }
  const deps = { store, workers: store.workers, supervisor, replica, newId, keys, serviceUrl, isOwnHost, ...onStep }
  return { supervisor, replica, scheduler, deps }
}
