import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RequestOutcome, ScheduledResult } from './worker-runtime.ts'
import type { HostedState } from './supervisor-options.ts'

export interface WorkerMetrics {
  request(worker: string, outcome: RequestOutcome): void
  run(worker: string, result: ScheduledResult): void
  dropped(lines: number): void
}

/** Creates the metrics of the workers on this replica. Values of processes (e.g. memory) are read at each scrape. */
export function createWorkerMetrics(registry: Registry, states: () => readonly HostedState[]): WorkerMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'ratecard_worker_requests_total',
    help: 'Requests to workers, by outcome.',
    labelNames: ['worker', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'ratecard_worker_request_duration_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['worker'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  })
  const cpu = new Counter({
    name: 'ratecard_worker_cpu_seconds_total',
    help: 'CPU time of requests and scheduled runs.',
    labelNames: ['worker', 'kind'],
    registers,
  })
  const runs = new Counter({
    name: 'ratecard_worker_cron_runs_total',
    help: 'Scheduled runs carried out by this replica, by outcome.',
    labelNames: ['worker', 'outcome'],
    registers,
  })
  const dropped = new Counter({
    name: 'ratecard_worker_log_lines_dropped_total',
    help: 'Log lines that could not be stored.',
    registers,
  })
  watchProcesses(registers, states)
  return {
    request(worker, { outcome, wallMs, cpuMs }) {
      requests.inc({ worker, outcome })
      duration.observe({ worker }, wallMs / 1_000)
      if (cpuMs !== null) cpu.inc({ worker, kind: 'request' }, cpuMs / 1_000)
    },
    run(worker, result) {
      runs.inc({ worker, outcome: result.outcome })
      if (result.cpuMs !== null) cpu.inc({ worker, kind: 'scheduled' }, result.cpuMs / 1_000)
    },
    dropped: (lines) => {
      dropped.inc(lines)
    },
  }
}

function watchProcesses(registers: Registry[], states: () => readonly HostedState[]): void {
  const gauge = (name: string, help: string, read: (state: HostedState) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['worker'],
      registers,
      collect() {
        this.reset()
        for (const state of states()) {
          const value = read(state)
          if (value !== null) this.set({ worker: state.name }, value)
        }
      },
    })
  gauge('ratecard_worker_memory_bytes', 'Resident memory of the worker’s process.', ({ stats }) =>
    typeof stats?.memoryMb === 'number' ? stats.memoryMb * 1024 * 1024 : null,
  )
  gauge('ratecard_worker_requests_in_flight', 'Requests in progress.', ({ stats }) => stats?.inFlight ?? 0)
  gauge('ratecard_worker_restarts', 'Restarts of the current version.', ({ restarts }) => restarts)
  gauge('ratecard_worker_up', 'Whether the process runs.', ({ state }) => (state === 'running' ? 1 : 0))
}
